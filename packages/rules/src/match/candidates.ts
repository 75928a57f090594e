import { AddressMap } from './address-map.js'
import type { Field, Request } from './reading.js'
import type { PathReading } from './paths/patterns.js'
import { numberOf, sortKeyOf } from './predicates/operators.js'
import { anything, Failure, Several, type Value } from './value.js'
import type { Anchor } from './when.js'

interface Indexed {
  readonly number: number
  readonly when: { readonly anchors: readonly Anchor[] }
}

/** Rules that are found by their patterns, by the values of one field, or by ranges of addresses. */
interface Source<R> {
  readonly all: readonly R[]
  /** The rules that may match, in the order of the document. Undefined while the application has not been asked for the value. */
  find(request: Request): readonly R[] | undefined
}

/**
 * The rules that may match a request, in the order of the document. Each rule is found by one of its requirements, the one that the fewest other rules share.
 * Rules without such a requirement may match every request.
 */
export class Candidates<R extends Indexed> {
  readonly #always: readonly R[]
  readonly #sources: readonly Source<R>[]

  constructor(rules: readonly R[]) {
    const shares = sharesOf(rules)
    const always: R[] = []
    const filed = new Map<Anchor['by'], [R, Anchor][]>()
    for (const rule of rules) {
      const [anchor] = rule.when.anchors.toSorted((a, b) => shares(a) - shares(b))
      if (anchor === undefined) always.push(rule)
      else add(filed, anchor.by, [rule, anchor])
    }
    this.#always = always
    this.#sources = Array.from(filed, ([by, entries]) => sourceOf(by, entries))
  }

  /** Returns one after another, and undefined at their end. A value that becomes known in between leaves rules out. */
  of(request: Request): () => R | undefined {
    if (this.#sources.length === 0) {
      let next = 0
      return () => this.#always[next++]
    }
    const lists = this.#always.length === 0 ? [] : [this.#always]
    const waiting: Source<R>[] = []
    for (const source of this.#sources) {
      const found = source.find(request)
      if (found === undefined) waiting.push(source)
      else if (found.length > 0) lists.push(found)
    }
    const known = lists.length
    for (const { all } of waiting) lists.push(all)
    const positions = lists.map(() => 0)
    let last = -1
    return () => {
      for (let i = 0; i < waiting.length; i++) {
        const found = lists[known + i] === waiting[i].all ? waiting[i].find(request) : undefined
        if (found === undefined) continue
        lists[known + i] = found
        positions[known + i] = found.findIndex(({ number }) => number > last) >>> 0
      }
      let least: R | undefined
      let from = 0
      for (let i = 0; i < lists.length; i++) {
        const rule = lists[i][positions[i]] as R | undefined
        if (rule === undefined || (least !== undefined && rule.number > least.number)) continue
        least = rule
        from = i
      }
      // Each rule is in one list.
      positions[from]++
      if (least !== undefined) last = least.number
      return least
    }
  }
}

/** Returns the most rules that share a member of an anchor. */
function sharesOf(rules: readonly Indexed[]): (anchor: Anchor) => number {
  const uses = new Map<Anchor['by'], Map<string | number, number>>()
  for (const { by, members } of rules.flatMap(({ when }) => when.anchors)) {
    const known = uses.get(by) ?? new Map<string | number, number>()
    uses.set(by, known)
    for (const member of members) known.set(member, (known.get(member) ?? 0) + 1)
  }
  return ({ by, members }) =>
    members.reduce<number>((most, member) => Math.max(most, uses.get(by)?.get(member) ?? 0), 0)
}

function sourceOf<R extends Indexed>(
  by: Anchor['by'],
  entries: readonly (readonly [R, Anchor])[],
): Source<R> {
  const all = entries.map(([rule]) => rule)
  if (by === 'path') return { all, find: pathSearch(all, byMember(entries)) }
  return {
    all,
    find:
      by.type === 'address'
        ? addressSearch(by, all, entries)
        : valueSearch(by, all, byMember(entries)),
  }
}

function byMember<R>(
  entries: readonly (readonly [R, Anchor])[],
): ReadonlyMap<unknown, readonly R[]> {
  const found = new Map<unknown, R[]>()
  for (const [rule, { members }] of entries) {
    for (const member of new Set(members)) add(found, member, rule)
  }
  return found
}

function pathSearch<R extends Indexed>(
  all: readonly R[],
  byPattern: ReadonlyMap<unknown, readonly R[]>,
): Source<R>['find'] {
  /** The rules of recent paths. */
  const recent = new WeakMap<readonly PathReading[], readonly R[]>()
  return ({ paths, meanings }) => {
    let found = recent.get(paths.all)
    if (found === undefined) {
      const numbers = meanings.flatMap(({ fits }) => [...fits])
      const isAny = meanings.some(({ text }) => text === anything)
      found = isAny ? all : inOrder(numbers.flatMap((number) => byPattern.get(number) ?? []))
      recent.set(paths.all, found)
    }
    return found
  }
}

function addressSearch<R extends Indexed>(
  field: Field,
  all: readonly R[],
  entries: readonly (readonly [R, Anchor])[],
): Source<R>['find'] {
  const map = new AddressMap(
    entries.flatMap(([rule, { ranges }]) => ranges.map((range) => [range, rule] as const)),
  )
  return (request) => {
    const address = request.peek(field)
    if (address instanceof Failure) return all
    const key = typeof address === 'string' ? sortKeyOf(address) : undefined
    return key === undefined ? [] : inOrder(map.valuesOf(key))
  }
}

function valueSearch<R extends Indexed>(
  field: Field,
  all: readonly R[],
  byText: ReadonlyMap<unknown, readonly R[]>,
): Source<R>['find'] {
  const asked = field.check === undefined ? [] : [field]
  const { spell = String } = field
  return (request) => {
    if (request.lacks(asked)) return undefined
    const slot = request.peek(field)
    if (slot instanceof Failure || slot === anything) return all
    if (slot instanceof Several) return inOrder(slot.values.flatMap((value) => rulesOf(value)))
    return rulesOf(slot)
  }

  /** A number is also equal to a text of that number. */
  function rulesOf(value: Exclude<Value, typeof anything>): readonly R[] {
    if (value === undefined) return []
    const exact = byText.get(spell(`${value}`)) ?? []
    const number = typeof value === 'string' ? numberOf(value) : undefined
    if (number === undefined || `${number}` === value) return exact
    return inOrder([...exact, ...(byText.get(`${number}`) ?? [])])
  }
}

function inOrder<R extends Indexed>(rules: readonly R[]): readonly R[] {
  if (rules.length < 2) return rules
  return [...new Set(rules)].sort((a, b) => a.number - b.number)
}

function add<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

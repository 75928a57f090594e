import { AddressMap, addressSortKey, type Range } from '@sluice/core/http'
import type { Scalar } from '../document/document.js'
import type { Anchor, Condition } from './conditions.js'
import { Failure, type Field, type RequestContext } from './context.js'
import { chooseAnchors } from './anchors.js'
import type { List } from './lists.js'
import { numberOf } from './operators.js'
import type { Patterns } from './patterns.js'

/** The numbers of rules, in order. */
export type Posting = readonly number[]

/** Takes the postings that a source finds. */
interface Postings {
  add(posting: Posting | undefined): void
}

/** The rules that one kind of anchor finds. */
interface Source {
  /** The first of its rules. A search that ends before does not read what the source needs. */
  readonly first: number
  /** Adds the rules that may match a request. */
  find(context: RequestContext, search: Postings): void
}

/** A rule, for the index. */
export interface Indexed {
  readonly number: number
  readonly conditions: readonly Condition[]
}

/**
 * Finds the rules that may match a request. Each rule is filed under one condition that has to hold for it, the one that the fewest other rules share.
 * Rules without such a condition are candidates for every request.
 */
export class CandidateIndex<R extends Indexed> {
  readonly #rules: readonly (R | undefined)[]
  readonly #start: Start
  readonly #sources: readonly Source[]

  constructor(rules: readonly R[], patternsOf: (exact: boolean) => Patterns) {
    const { always, anchored } = chooseAnchors(rules)
    const byNumber: (R | undefined)[] = []
    for (const rule of rules) byNumber[rule.number] = rule
    // Without holes, which make arrays slow.
    this.#rules = Array.from(byNumber)
    const filing = new Filing()
    for (const [number, anchor] of anchored) filing.add(number, anchor)
    this.#sources = filing.sources(patternsOf).toSorted((a, b) => a.first - b.first)
    this.#start = startWith(always, this.#sources.length)
  }

  /** A search for the candidates of a request. */
  search(context: RequestContext): Search<R> {
    return new Search(this.#rules, this.#sources, this.#start, context)
  }
}

/** The postings with which a search starts, in rows with room for one of each source. A copy of a row has just that size. */
interface Start {
  readonly postings: readonly Posting[]
  readonly positions: readonly number[]
}

function startWith(always: Posting, sources: number): Start {
  const room = Array.from({ length: sources })
  return { postings: [always, ...room.map(() => noRules)], positions: [0, ...room.map(() => 0)] }
}

const noRules: Posting = []

/** The candidates of one request, in the order of the document, each once. Sources are opened when the search comes to their first rule. */
export class Search<R> implements Postings {
  readonly #rules: readonly (R | undefined)[]
  readonly #sources: readonly Source[]
  readonly #context: RequestContext
  readonly #postings: Posting[]
  readonly #positions: number[]
  #opened = 0
  #count = 1

  constructor(
    rules: readonly (R | undefined)[],
    sources: readonly Source[],
    start: Start,
    context: RequestContext,
  ) {
    this.#rules = rules
    this.#sources = sources
    this.#context = context
    this.#postings = start.postings.slice()
    this.#positions = start.positions.slice()
  }

  add(posting: Posting | undefined): void {
    if (posting === undefined) return
    // A source can add several postings, for several values.
    if (this.#count === this.#postings.length) this.#positions.push(0)
    this.#postings[this.#count++] = posting
  }

  /** The next candidate. */
  next(): R | undefined {
    let least = this.#least()
    while (this.#opened < this.#sources.length && this.#sources[this.#opened].first <= least) {
      this.#sources[this.#opened].find(this.#context, this)
      this.#opened++
      least = this.#least()
    }
    if (least === Infinity) return undefined
    for (let i = 0; i < this.#count; i++) {
      if (this.#postings[i][this.#positions[i]] === least) this.#positions[i]++
    }
    return this.#rules[least]
  }

  #least(): number {
    let least = Infinity
    for (let i = 0; i < this.#count; i++) {
      const head = this.#postings[i][this.#positions[i]]
      if (head !== undefined && head < least) least = head
    }
    return least
  }
}

/** Rules by what they are filed under. */
class Filing {
  readonly #values = new Map<Field, Map<Scalar, number[]>>()
  readonly #patterns = new Map<boolean, Map<number, number[]>>()
  readonly #ranges = new Map<Field, [Range, number][]>()
  readonly #lists = new Map<Field, Map<List, number[]>>()

  add(number: number, anchor: Anchor): void {
    switch (anchor.type) {
      case 'values':
        for (const value of anchor.values) file(this.#values, anchor.field, value, number)
        break
      case 'patterns':
        for (const pattern of anchor.patterns) file(this.#patterns, anchor.exact, pattern, number)
        break
      case 'ranges': {
        const ranges = this.#ranges.get(anchor.field) ?? []
        this.#ranges.set(anchor.field, ranges)
        for (const range of anchor.ranges) ranges.push([range, number])
        break
      }
      case 'list':
        file(this.#lists, anchor.field, anchor.list, number)
        break
      default:
        anchor satisfies never
    }
  }

  sources(patternsOf: (exact: boolean) => Patterns): readonly Source[] {
    return [
      ...[...this.#values].map(([field, postings]) => valueSource(field, postings)),
      ...[...this.#patterns].map(([exact, postings]) =>
        pathSource(patternsOf(exact), exact, postings),
      ),
      ...[...this.#ranges].map(([field, ranges]) => rangeSource(field, ranges)),
      ...[...this.#lists].flatMap(([field, postings]) =>
        [...postings].map(([list, posting]) => listSource(field, list, posting)),
      ),
    ]
  }
}

function file<G, K>(groups: Map<G, Map<K, number[]>>, group: G, key: K, number: number): void {
  const postings = groups.get(group) ?? new Map<K, number[]>()
  groups.set(group, postings)
  const posting = postings.get(key)
  if (posting === undefined) postings.set(key, [number])
  else if (posting.at(-1) !== number) posting.push(number)
}

function valueSource(field: Field, postings: ReadonlyMap<Scalar, Posting>): Source {
  const all = union(postings.values())
  const hasNumbers = [...postings.keys()].some((value) => typeof value === 'number')

  function addFor(value: Scalar, search: Postings): void {
    search.add(postings.get(value))
    if (!hasNumbers || typeof value !== 'string') return
    const number = numberOf(value)
    if (number !== undefined) search.add(postings.get(number))
  }

  return {
    first: all[0],
    find(context, search) {
      const value = context.peek(field)
      if (value === undefined) return
      if (typeof value !== 'object') addFor(value, search)
      // The rule that needs the value throws the error, if the search comes to it.
      else if (value instanceof Failure) search.add(all)
      else for (const one of new Set(value)) addFor(one, search)
    },
  }
}

function pathSource(
  patterns: Patterns,
  exact: boolean,
  postings: ReadonlyMap<number, Posting>,
): Source {
  const all = union(postings.values())
  return {
    first: all[0],
    find(context, search) {
      const match = context.pathMatch(patterns, exact)
      if (match === undefined) return
      match.rules ??= union([...match.fits].flatMap((pattern) => [postings.get(pattern) ?? []]))
      search.add(match.rules)
    },
  }
}

function rangeSource(field: Field, ranges: readonly [Range, number][]): Source {
  const map = new AddressMap(ranges)
  const all = union([ranges.map(([, number]) => number)])
  return {
    first: all[0],
    find(context, search) {
      const value = context.peek(field)
      if (value instanceof Failure) search.add(all)
      const key = typeof value === 'string' ? addressSortKey(value) : undefined
      if (key !== undefined) search.add(union([map.valuesOf(key)]))
    },
  }
}

function listSource(field: Field, list: List, posting: Posting): Source {
  return {
    first: posting[0],
    find(context, search) {
      const value = context.peek(field)
      if (value === undefined) return
      if (value instanceof Failure) search.add(posting)
      else if (typeof value !== 'object') {
        if (list.includes(`${value}`, field.spell)) search.add(posting)
      } else if (value.some((one) => list.includes(one, field.spell))) search.add(posting)
    },
  }
}

/** All numbers of some postings, in order and each once. */
function union(postings: Iterable<readonly number[]>): Posting {
  const numbers = new Set<number>()
  for (const posting of postings) for (const number of posting) numbers.add(number)
  return [...numbers].sort((a, b) => a - b)
}

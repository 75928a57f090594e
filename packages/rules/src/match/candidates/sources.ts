import { addressSortKey, type Range } from '@sluice/core/http'
import { AddressMap } from './address-map.js'
import type { Scalar } from '../../document/document.js'
import type { Anchor } from '../predicates/conditions.js'
import { anything, Failure, type Field, type RequestContext } from '../context.js'
import type { List } from '../lists.js'
import { numberOf } from '../predicates/operators.js'
import type { Patterns } from '../paths/patterns.js'

/** The numbers of rules, in order. */
export type Posting = readonly number[]

/** Takes the postings that a source finds. */
export interface Postings {
  add(posting: Posting | undefined): void
}

/** The rules that one kind of anchor finds. */
export interface Source {
  /** The first of its rules. A search that ends before does not read what the source needs. */
  readonly first: number
  /** Adds the rules that may match a request. */
  find(context: RequestContext, search: Postings): void
}

/** Rules by what they are filed under. */
export class Filing {
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
      // The rule that needs the value throws the error, if the search comes to it.
      if (value === anything || value instanceof Failure) search.add(all)
      else if (typeof value !== 'object') addFor(value, search)
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
  const own = patterns.addIndex()
  return {
    first: all[0],
    find(context, search) {
      const match = context.pathMatch(patterns, exact)
      if (match === undefined) return
      search.add((match.rules[own] ??= union([...match.fits].map(postingOf))))
    },
  }

  function postingOf(pattern: number): Posting {
    return postings.get(pattern) ?? []
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
      if (value === anything || value instanceof Failure) search.add(posting)
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

import { RE2JS } from 're2js'
import { addressSortKey, AddressRanges, type Range } from '@sluice/core/http'
import type { Scalar } from '../../document/document.js'
import type { List } from '../lists.js'
import { RecentMap } from '../recent-map.js'

/** A test of one present value. */
export interface Operator {
  /** The reason why a value fails, in words: `is not one of ask, answer`. */
  readonly failure: string
  /** How much work a test is. Cheaper operators are tested first. */
  readonly work: number
  test(value: Scalar): boolean
}

/** Equal to one of the values. A number equals a text that is written as that number. */
export function equals(
  values: readonly Scalar[],
  spell: (text: string) => string = asIs,
): Operator {
  const set = new Set<Scalar>(
    values.map((value) => (typeof value === 'string' ? spell(value) : value)),
  )
  const hasNumbers = values.some((value) => typeof value === 'number')
  const [only] = set
  const test =
    set.size === 1 && typeof only === 'string'
      ? (value: Scalar) => value === only
      : (value: Scalar) => {
          if (set.has(value)) return true
          if (!hasNumbers || typeof value !== 'string') return false
          const number = numberOf(value)
          return number !== undefined && set.has(number)
        }
  return {
    failure: values.length === 1 ? `is not ${only}` : `is not one of ${values.join(', ')}`,
    work: 1,
    test,
  }
}

/** The spelling of a field that has no other notations. */
export function asIs(text: string): string {
  return text
}

/** A number from a text such as `12` or `-0.5`. */
export function numberOf(value: Scalar): number | undefined {
  if (typeof value === 'number') return value
  return typeof value === 'string' && value.length <= 32 && decimal.test(value)
    ? Number(value)
    : undefined
}

const decimal = /^-?\d+(?:\.\d+)?$/

/** An address within one of the ranges. */
export function withinRanges(ranges: readonly Range[], words: string): Operator {
  const set = new AddressRanges(ranges)
  return {
    failure: `is not ${words}`,
    work: 3,
    test(value) {
      const key = typeof value === 'string' ? sortKeyOf(value) : undefined
      return key !== undefined && set.hasKey(key)
    },
  }
}

/** Rules ask for the address of one request one after another. */
let latest: { readonly text: string; readonly key: ReturnType<typeof addressSortKey> } | undefined

export function sortKeyOf(text: string): ReturnType<typeof addressSortKey> {
  if (latest?.text !== text) latest = { text, key: addressSortKey(text) }
  return latest.key
}

/** In a list. The list is read later than the predicate. */
export function inList(list: List, spell: ((text: string) => string) | undefined): Operator {
  return {
    get failure() {
      return `is not in $${list.name} (${list.size} ${list.kind === 'address' ? 'ranges' : 'entries'})`
    },
    work: 3,
    test: (value) => list.includes(`${value}`, spell),
  }
}

/** A number that passes a comparison. */
export function compares(name: 'from' | 'to' | 'above' | 'below', bound: number): Operator {
  const [words, holds] = comparisons[name]
  return {
    failure: `is not ${words} ${bound}`,
    work: 1,
    test(value) {
      const number = numberOf(value)
      return number !== undefined && holds(number, bound)
    },
  }
}

const comparisons = {
  from: ['at least', (value: number, bound: number) => value >= bound],
  to: ['at most', (value: number, bound: number) => value <= bound],
  above: ['above', (value: number, bound: number) => value > bound],
  below: ['below', (value: number, bound: number) => value < bound],
} as const

/** A text that begins with, ends with or contains one of the texts. */
export function partly(
  part: 'prefix' | 'suffix' | 'contains',
  texts: () => Iterable<string>,
  words: string,
): Operator {
  const [verb, has] = parts[part]
  return {
    failure: `does not ${verb} ${words}`,
    work: 4,
    test(value) {
      const text = `${value}`
      for (const known of texts()) if (has(text, known)) return true
      return false
    },
  }
}

const parts = {
  prefix: ['begin with', (text: string, known: string) => text.startsWith(known)],
  suffix: ['end with', (text: string, known: string) => text.endsWith(known)],
  contains: ['contain', (text: string, known: string) => text.includes(known)],
} as const

/** Regular expressions see this many characters of a value. */
const longestSearched = 2048

/** The cached results of the regular expressions of one document for recent texts. */
export type RegexpMemo = RecentMap<string, boolean>

export function createRegexpMemo(): RegexpMemo {
  return new RecentMap(1000)
}

/**
 * A text in which RE2 finds the expression. Native regular expressions can take exponential time for a text that a client chooses.
 *
 * @throws Error if RE2 does not know the syntax
 */
export function finds(source: string, ignoreCase: boolean, memo: RegexpMemo): Operator {
  const regexp = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)
  const prefix = `${ignoreCase ? 'i' : 's'}${source.length}:${source}`
  return {
    failure: `does not match ${source}`,
    work: 100,
    test(value) {
      const text = `${value}`
      // A slice refers to the whole value, and so does a text that is joined with it: as a key it would keep the value in memory.
      if (text.length > longestSearched) return regexp.test(text.slice(0, longestSearched))
      const key = `${prefix}${text}`
      const known = memo.get(key)
      if (known !== undefined) return known
      const found = regexp.test(text)
      memo.set(key, found)
      return found
    },
  }
}

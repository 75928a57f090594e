import { isList, isRecord } from '../../options/predicates.js'
import { byIp } from '../keys/by-ip.js'
import { checkOptions } from '../options/check-options.js'
import { joinPlans } from '../options/join-plans.js'
import type { RateLimitOptions } from '../options/options.js'
import { planOf } from '../options/plan.js'

/** One limit of a list that is stated for a route. */
export interface ListedLimit<R, H> {
  /** Its position in the list, from 0. */
  readonly at: number
  /** All of its options, those that it inherits included. */
  readonly options: RateLimitOptions<R, H>
  /** The name of its limiter. */
  readonly name: string
  /** Whether the name is derived from the route. A number is appended to it for all but the first limit of the list. */
  readonly derived: boolean
}

/**
 * Makes one limit of those that have the same name and differ only in what they allow. Its policies allow a request together or not at all, so a
 * request that one of them denies costs nothing in the others. The limits that remain keep their order; a merged one has the place of its first.
 *
 * A single policy is called "default" if its limit is the first of a merged one, else "default #2" and so on.
 *
 * @throws SluiceError where an option is unknown or wrong, and where one of a merged limit is missing
 */
export function mergeLimits<R, H>(
  list: readonly ListedLimit<R, H>[],
): readonly ListedLimit<R, H>[] {
  const groups: ListedLimit<R, H>[][] = []
  for (const limit of list) {
    checkOptions(limit.options)
    const group = groups.find(([first]) => canMerge(first, limit))
    if (group === undefined) groups.push([limit])
    else group.push(limit)
  }
  return groups.map(merged)
}

function merged<R, H>(group: readonly ListedLimit<R, H>[]): ListedLimit<R, H> {
  const [first] = group
  const name = first.derived && first.at > 0 ? `${first.name} #${first.at + 1}` : first.name
  return { ...first, name, options: group.length === 1 ? first.options : mergedOptions(group) }
}

function mergedOptions<R, H>(group: readonly ListedLimit<R, H>[]): RateLimitOptions<R, H> {
  const { limit: _l, window: _w, algorithm: _a, policy: _p, ...shared } = group[0].options
  return { ...shared, policies: joinPlans(group.map(({ options }) => planOf(options))) }
}

function canMerge<R, H>(first: ListedLimit<R, H>, other: ListedLimit<R, H>): boolean {
  return (
    first.name === other.name &&
    first.derived === other.derived &&
    hasKnownNames(first.options) &&
    hasKnownNames(other.options) &&
    differOnlyInPolicies(first.options, other.options)
  )
}

/** Options that name policies mean those of their own limit, and a function may name other policies for each request. */
function hasKnownNames<R, H>({ key, resetOn, policies }: RateLimitOptions<R, H>): boolean {
  return !isRecord(key) && !isRecord(resetOn) && typeof policies !== 'function'
}

function differOnlyInPolicies(first: object, other: object): boolean {
  const mine = new Map<string, unknown>(Object.entries({ key: byIp(), ...first }))
  const theirs = new Map<string, unknown>(Object.entries({ key: byIp(), ...other }))
  return [...mine.keys(), ...theirs.keys()].every(
    (name) => ofPolicies.has(name) || isSame(mine.get(name), theirs.get(name)),
  )
}

const ofPolicies: ReadonlySet<string> = new Set<keyof RateLimitOptions<unknown, unknown>>([
  'limit',
  'window',
  'algorithm',
  'policy',
  'policies',
  'name',
])

/** By identity, but for lists and plain objects: whatever else looks the same, such as two stores, may be another thing. */
function isSame(first: unknown, other: unknown): boolean {
  if (Object.is(first, other)) return true
  if (isList(first) && isList(other)) {
    return first.length === other.length && first.every((each, i) => isSame(each, other[i]))
  }
  if (!isPlain(first) || !isPlain(other)) return false
  const mine = Object.entries(first)
  const theirs = new Map<string, unknown>(Object.entries(other))
  return mine.length === theirs.size && mine.every(([name, each]) => isSame(each, theirs.get(name)))
}

// A store has methods, and may be told from another one by what they know alone.
function isPlain(value: unknown): value is object {
  return (
    isRecord(value) &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every((each) => typeof each !== 'function')
  )
}

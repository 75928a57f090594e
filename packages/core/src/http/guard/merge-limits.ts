import { isList, isRecord } from '../../options/predicates.js'
import { byIp } from '../keys/by-ip.js'
import { checkOptions } from '../options/check-options.js'
import { policyOptions, decidedByRules, type RateLimitOptions } from '../options/options.js'
import { requestPoliciesOf, type RequestPolicies } from '../options/request-policies.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { isPolicy, namedPolicies, type Policy } from '../../policy.js'
import { after, together } from '../../awaitable.js'
import { rememberNames } from '../response/policy-items.js'

/** One limit of a route's list. */
export interface ListedLimit<R, H> {
  /** Its position in the list, from 0. */
  readonly at: number
  /** Its options, with the inherited ones. */
  readonly options: RateLimitOptions<R, H>
  /** The name of its limiter. */
  readonly name: string
  /** Whether the name is derived from the route. From the second limit of the list on, a number is appended to a derived name. */
  readonly derived: boolean
}

/**
 * Merges limits that have the same name and differ only in their policies. The policies of one limiter are all or nothing, so a request that one of
 * them denies consumes nothing in the others. The order of the list is kept; a merged limit has the position of its first member.
 *
 * The single policy of the first member is called "default", that of the second "default #2", and so on.
 *
 * @throws SluiceError if an option is unknown or wrong, or if an option of a merged limit is missing
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
  const { limit: _l, window: _w, algorithm: _a, ...shared } = group[0].options
  return {
    ...shared,
    policies: joinPolicies(group.map(({ options }) => requestPoliciesOf(options))),
  }
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

/** A record of keys or `resetOn` would refer to the wrong policies after a merge, and a function or rules may return any policy names. */
function hasKnownNames<R, H>({ key, resetOn, policies, rules }: RateLimitOptions<R, H>): boolean {
  return (
    !isRecord(key) && !isRecord(resetOn) && typeof policies !== 'function' && rules === undefined
  )
}

const policyNames: ReadonlySet<string> = new Set(policyOptions)

function differOnlyInPolicies(first: object, other: object): boolean {
  const mine = new Map<string, unknown>(Object.entries({ key: byIp(), ...first }))
  const theirs = new Map<string, unknown>(Object.entries({ key: byIp(), ...other }))
  return [...mine.keys(), ...theirs.keys()].every(
    (name) => policyNames.has(name) || isSame(mine.get(name), theirs.get(name)),
  )
}

/** Compares lists and plain objects by their contents, and anything else by identity: two stores with equal properties are still two stores. */
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

// An object with methods may be a store, whose state is in closures.
function isPlain(value: unknown): value is object {
  return (
    isRecord(value) &&
    Object.getPrototypeOf(value) === Object.prototype &&
    Object.values(value).every((each) => typeof each !== 'function')
  )
}

/**
 * Joins the policies of several limits. If a name is taken already, a number is appended: the single policy of the first limit is called "default", and
 * that of the second limit "default #2".
 */
function joinPolicies<R>(
  limits: readonly RequestPolicies<R>[],
): Policies | ((request: R) => Policies | Promise<Policies>) {
  if (limits.every(({ perRequest }) => !perRequest)) {
    return joined(limits.map(({ policies }) => policies))
  }
  const join = cachedByIdentity(joined)
  return (request) =>
    after(
      together(limits, (limit) => limit.policiesFor(request)),
      join,
    )
}

function joined(each: readonly Policies[]): Policies {
  const all = new Map<string, Policy>()
  const before = new Map<string, string | undefined>()
  for (const policies of each) {
    for (const [name, policy] of Object.entries(namedPolicies(policies))) {
      let free = name
      for (let n = 2; all.has(free); n++) free = `${name} #${n}`
      all.set(free, policy)
      before.set(free, isPolicy(policies) ? undefined : name)
    }
  }
  const record = Object.fromEntries(all)
  rememberNames(record, before)
  return record
}

interface Node {
  readonly next: WeakMap<Policies, Node>
  joined?: Policies
}

/** Equal lists return the same record, because the header writer caches by the identity of the record. */
function cachedByIdentity(
  join: (each: readonly Policies[]) => Policies,
): (each: readonly Policies[]) => Policies {
  const root: Node = { next: new WeakMap() }
  return function joinOnce(each) {
    let node = root
    for (const policies of each) {
      let next = node.next.get(policies)
      if (next === undefined) {
        next = { next: new WeakMap() }
        node.next.set(policies, next)
      }
      node = next
    }
    return (node.joined ??= join(each))
  }
}

/**
 * Merges the options of a route over those of the application. The name is not inherited, because the limit of a route has its own counts. An option
 * is not inherited either if the route has one that excludes it: "policies" of the route replaces "limit" and "window" of the application.
 */
export function inherit<R, H>(
  base: RateLimitOptions<R, H>,
  own: RateLimitOptions<R, H>,
): RateLimitOptions<R, H> {
  const kept: { -readonly [K in keyof RateLimitOptions<R, H>]: RateLimitOptions<R, H>[K] } = {
    ...base,
  }
  delete kept.name
  for (const [mine, theirs] of exclusive) {
    if (mine.some((option) => own[option] !== undefined)) {
      for (const option of theirs) delete kept[option]
    }
  }
  return { ...kept, ...defined(own) }
}

/** Drops options that are undefined, because they count as absent and must not override inherited ones. */
function defined<T extends object>(options: T): Partial<T> {
  const kept: Partial<T> = { ...options }
  for (const option in kept) {
    if (kept[option] === undefined) delete kept[option]
  }
  return kept
}

type OptionName = keyof RateLimitOptions<unknown, unknown>

const shortOptions: readonly OptionName[] = ['limit', 'window', 'algorithm']
const responseOptions: readonly OptionName[] = ['statusCode', 'body']

const exclusive: readonly (readonly [readonly OptionName[], readonly OptionName[]])[] = [
  [shortOptions, ['policies']],
  [['policies'], shortOptions],
  // Only a limit of the route replaces inherited rules. Any other option that rules decide is an error beside them.
  [['limit', 'policies'], ['rules']],
  [['rules'], decidedByRules],
  [responseOptions, ['onDenied']],
  [['onDenied'], responseOptions],
]

import type { Algorithm } from '../algorithms/algorithm.js'
import { resolvePolicy, sharePolicy } from '../algorithms/kind.js'
import { sluiceError, warn, type SluiceError } from '../errors.js'
import { isFunction, isPlainRecord, isRecord } from '../options/predicates.js'
import { isPolicy, type Policy } from '../policy.js'
import { someOf, storeContract, type LimiterPolicy, type Store } from '../stores/store.js'

/** One policy, which gets the name 'default', or a record from name to policy. */
export type Policies = Policy | Readonly<Record<string, Policy>>

/** The policies of a limiter whose calls pass their own policies. */
export const chosenPerCall: Policies = Object.freeze({})

/** The option `policies` of every call of a limiter. */
export interface PolicyChoice {
  /**
   * The policies of this call, in place of those of the limiter: for a plan, a tenant, a time of day. Counts belong to the name of a policy, so a changed limit
   * applies at once to the units that already count. Another algorithm, or another number of buckets, has a count of its own under the name. A record is read
   * once: pass a new one to change a limit, because one that is changed in place keeps its old limits.
   */
  readonly policies?: Policies | undefined
}

const longestName = 64

/**
 * The policies of a limiter: each has its limiter, its name and its steps.
 *
 * @throws SluiceError if a value is not a policy, or its numbers are invalid
 */
export function limiterPolicies(limiter: string, policies: Policies): readonly LimiterPolicy[] {
  const where = `limiter "${limiter}"`
  if (isPolicy(policies)) return [limiterPolicy(limiter, 'default', policies)]
  const named = isRecord(policies) ? Object.entries(policies) : []
  if (named.length === 0) throw noPolicies(where, policies)
  return named.map(([name, policy]) => limiterPolicy(limiter, name, policy))
}

function noPolicies(where: string, value: unknown): SluiceError {
  if (isPlainRecord(value)) {
    return sluiceError('SLUICE_OPTION_MISSING', where, 'policies', 'at least one policy')
  }
  const expected = 'a policy, or a record from name to policy'
  const advice = isFunction(value)
    ? 'Call it: gcra({ limit: 100, window: "1m" })'
    : value instanceof Promise
      ? 'Await the promise'
      : undefined
  return sluiceError('SLUICE_OPTION_INVALID', where, 'policies', value, expected, advice)
}

/**
 * Makes the function that finds the policies of a call: those of the limiter for undefined, and those of any other object, which is read once.
 *
 * @throws SluiceError if a policy is invalid, or the store cannot keep its counts
 */
export function createPolicyReader(
  limiter: string,
  policies: Policies,
  store: Store,
): (chosen: Policies | undefined) => readonly LimiterPolicy[] {
  const own = policies === chosenPerCall ? undefined : read(policies)
  const known = new WeakMap<Policies, readonly LimiterPolicy[]>()
  const names = new Set<string>()

  return function policiesOf(chosen) {
    if (chosen === undefined) {
      if (own === undefined) throw sluiceError('SLUICE_POLICIES_MISSING', limiter)
      return own
    }
    let list = known.get(chosen)
    if (list === undefined) {
      list = read(chosen)
      watchNames(list)
      known.set(chosen, list)
    }
    return list
  }

  function read(policies: Policies): readonly LimiterPolicy[] {
    const list = limiterPolicies(limiter, policies)
    assertKept(list, store)
    return list
  }

  /** Warns if a limiter has so many policy names that clients probably choose them. In Redis, each name adds a field to the state of its key. */
  function watchNames(list: readonly LimiterPolicy[]): void {
    if (names.size >= maxNames) return
    for (const { name } of list) names.add(name)
    if (names.size < maxNames) return
    warn(sluiceError('SLUICE_POLICY_NAMES_MANY', limiter, names.size, list[0].name))
  }
}

/** More than an application has plans, or tenants with their own limits; fewer than it has clients. */
const maxNames = 1000

/** Checks that a store can keep the counts of some policies, and prepares it for them. */
function assertKept(policies: readonly LimiterPolicy[], store: Store): void {
  const { largestLimits = {}, mostPolicies = Infinity, prepare } = store[storeContract] ?? {}
  if (policies.length > mostPolicies) {
    const where = `limiter "${policies[0].limiter}"`
    const expected = `at most ${mostPolicies} policies over this store`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies.length, expected)
  }
  for (const { limiter, name, policy, quota } of policies) {
    const { kind } = policy
    const most = Object.hasOwn(largestLimits, kind) ? largestLimits[kind] : Infinity
    if (quota <= most) continue
    const expected = `at most ${most} for "${kind}" over this store, which keeps its records in one row`
    const advice = 'slidingWindow has no records, so its limit can be any number'
    const where = whereOf(limiter, name)
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'limit', quota, expected, advice)
  }
  const counted = [...policies.keys()].filter((i) => counts(policies[i]))
  if (counted.length > 0) prepare?.(someOf(policies, counted))
}

/** Whether a policy has a state. */
export function counts({ quota }: LimiterPolicy): boolean {
  return quota !== Infinity
}

function limiterPolicy(limiter: string, name: string, policy: unknown): LimiterPolicy {
  const where = whereOf(limiter, name)
  if (name === '' || name.length > longestName) {
    const expected = `a name of 1 to ${longestName} characters`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', name, expected)
  }
  const { policy: checked, steps, params, block } = resolvePolicy(policy, where)
  const { times, counts, extras = 0 } = steps.size(params)
  return {
    limiter,
    name,
    policy: checked,
    steps,
    params,
    block,
    quota: steps.quota(params),
    width: times + counts,
    extras,
    followsWall: steps.followsWall?.(params) === true,
    keepsFirstRow: keepsFirst(steps, params, times + counts + extras),
  }
}

function whereOf(limiter: string, policy: string): string {
  return `limiter "${limiter}", policy "${policy}"`
}

/** Whether a new key has a row that is not all zeros: that of a bucket that begins partly full. */
function keepsFirst({ records, look, ends }: Algorithm, params: object, width: number): boolean {
  if (records !== undefined) return false
  const row = Array.from({ length: width }, () => 0)
  look(row, params, 1, 0)
  return ends(row, params) > 1
}

/** The same policy with a share of its limit. */
export function shareOf({ limiter, name, policy }: LimiterPolicy, share: number): LimiterPolicy {
  return limiterPolicy(limiter, name, sharePolicy(policy, share))
}

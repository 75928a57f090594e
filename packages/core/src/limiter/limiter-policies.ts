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
   * The policies of this call, in place of those of the limiter: for a plan, a tenant, a time of day. Counts belong to the name of a policy, so a
   * changed limit applies at once to the units that already count. Another algorithm, or another number of buckets, has a count of its own under the
   * name. A record is read once: pass a new one to change a limit, because one that is changed in place keeps its old limits.
   */
  readonly policies?: Policies
}

const longestName = 64

/**
 * Binds policies to a limiter: each gets its limiter, its name and its steps.
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
 * Makes the function that binds the policies of a call, each object of policies once. Undefined means the limiter's own policies.
 *
 * @param check throws if the store cannot keep the counts of these policies
 */
export function createBinder(
  limiter: string,
  own: readonly LimiterPolicy[] | undefined,
  check: (policies: readonly LimiterPolicy[]) => void,
): (policies: Policies | undefined) => readonly LimiterPolicy[] {
  const bound = new WeakMap<Policies, readonly LimiterPolicy[]>()
  const watchNames = watchPolicyNames(limiter)

  return function boundFor(policies) {
    if (policies === undefined) {
      if (own === undefined) throw sluiceError('SLUICE_POLICIES_MISSING', limiter)
      return own
    }
    let list = bound.get(policies)
    if (list === undefined) {
      list = limiterPolicies(limiter, policies)
      check(list)
      watchNames(list)
      bound.set(policies, list)
    }
    return list
  }
}

/** Whether a policy has a state. */
export function counts({ quota }: LimiterPolicy): boolean {
  return quota !== Infinity
}

function limiterPolicy(limiter: string, name: string, policy: unknown): LimiterPolicy {
  const where = `limiter "${limiter}", policy "${name}"`
  if (name === '' || name.length > longestName) {
    const expected = `a name of 1 to ${longestName} characters`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', name, expected)
  }
  const resolved = resolvePolicy(policy, where)
  const { kind, policy: checked, steps, params, block } = resolved
  const { times, counts, extras = 0 } = steps.size(params)
  return {
    limiter,
    name,
    kind,
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

/** Whether a new key has a row that is not all zeros: that of a bucket that begins partly full. */
function keepsFirst({ records, look, ends }: Algorithm, params: object, width: number): boolean {
  if (records !== undefined) return false
  const row = Array.from({ length: width }, () => 0)
  look(row, params, 1, 0)
  return ends(row, params) > 1
}

/** Returns a function that finds, for a policy, the same policy with a share of its limit. */
export function sharing(share: number): (policy: LimiterPolicy) => LimiterPolicy {
  const shared = new WeakMap<LimiterPolicy, LimiterPolicy>()
  return function shareOf(policy) {
    if (share === 1) return policy
    const known = shared.get(policy)
    if (known !== undefined) return known
    const made = limiterPolicy(policy.limiter, policy.name, sharePolicy(policy.policy, share))
    shared.set(policy, made)
    return made
  }
}

/** More than an application has plans, or tenants with their own limits; fewer than it has clients. */
const maxNames = 1000

/**
 * Warns if a limiter has so many policy names that clients probably choose them. In Redis, each name adds a row to the state of its key, and that
 * state is read and written as a whole.
 */
function watchPolicyNames(limiter: string): (policies: readonly LimiterPolicy[]) => void {
  const seen = new Set<string>()
  return function watch(policies) {
    if (seen.size >= maxNames) return
    for (const { name } of policies) seen.add(name)
    if (seen.size >= maxNames) {
      warn(sluiceError('SLUICE_POLICY_NAMES_MANY', limiter, seen.size, policies[0].name))
    }
  }
}

/**
 * Makes the function that checks whether a store can keep the counts of some policies, and prepares it for them. A store that keeps the records of a key in
 * one row cannot keep any number of them.
 */
export function storeCheck(store: Store): (policies: readonly LimiterPolicy[]) => void {
  const { largestLimits = {}, mostPolicies = Infinity, prepare } = store[storeContract] ?? {}
  return function assertKept(policies) {
    if (policies.length > mostPolicies) {
      const where = `limiter "${policies[0].limiter}"`
      const expected = `at most ${mostPolicies} policies over this store`
      throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies.length, expected)
    }
    for (const { limiter, name, policy, steps, params } of policies) {
      const most = Object.hasOwn(largestLimits, policy.kind) ? largestLimits[policy.kind] : Infinity
      const limit = steps.quota(params)
      if (limit <= most) continue
      const where = `limiter "${limiter}", policy "${name}"`
      const expected = `at most ${most} for "${policy.kind}" over this store, which keeps its records in one row`
      throw sluiceError('SLUICE_OPTION_INVALID', where, 'limit', limit, expected, advice)
    }
    const counted = [...policies.keys()].filter((i) => counts(policies[i]))
    if (counted.length > 0) prepare?.(someOf(policies, counted))
  }
}

const advice = 'slidingWindow has no records, so its limit can be any number'

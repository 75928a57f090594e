import { sluiceError, warn } from '../errors.js'
import type { LimiterPolicy } from '../stores/store.js'
import { isKey, type Keys } from './arguments.js'
import type { Policies } from './limiter-policies.js'

/**
 * Finds a policy of a limiter that allows at least the units of another one, in at most its window; undefined if there is none. The returned function warns
 * once, when both policies count by the same key. It does not warn for policies that a call chooses, nor for different keys, because then the policy denies
 * requests of its own. With one key it hardly ever does: only what is spread over the ends of the longer windows.
 */
export function watchRedundancy(
  own: readonly LimiterPolicy[],
  policies: Policies,
): ((key: Keys, chosen: Policies | undefined) => void) | undefined {
  for (const policy of own.toReversed()) {
    const other = own.find((each) => each !== policy && isRedundant(policy, each))
    if (other === undefined) continue
    let isKnown = false
    return function watch(key, chosen = policies) {
      if (isKnown || chosen !== policies || !isKey(key)) return
      isKnown = true
      warn(sluiceError('SLUICE_POLICY_REDUNDANT', policy.limiter, policy.name, other.name))
    }
  }
  return undefined
}

/** Compares policies of one kind that differ in numbers only. A block also denies requests below the limit, and a limit of 0 denies everything on purpose. */
function isRedundant(one: LimiterPolicy, other: LimiterPolicy): boolean {
  const { steps, params, policy, quota, block } = one
  if (policy.kind !== other.policy.kind || block !== undefined || one.keepsFirstRow) return false
  for (const [name, value] of Object.entries(policy)) {
    if (typeof value !== 'number' && value !== Reflect.get(other.policy, name)) return false
  }
  const isShorter = steps.windowMs(params) <= other.steps.windowMs(other.params)
  return quota >= other.quota && other.quota > 0 && isShorter
}

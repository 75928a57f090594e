import { isKey, type Keys, type Policies } from '../bound-policies.js'
import { sluiceError } from '../../errors.js'
import type { BoundPolicy } from '../../stores/store.js'
import { warn } from '../../warnings.js'

/**
 * Finds a policy of a limiter that allows at least the units of another one, in at most its window; undefined if there is none. The returned function warns
 * once, when both policies count by the same key. It does not warn for policies that a call chooses, nor for different keys, because then the policy can deny
 * a request.
 */
export function watchRedundancy(
  entries: readonly BoundPolicy[],
  policies: Policies,
): ((key: Keys, chosen: Policies | undefined) => void) | undefined {
  for (const entry of entries.toReversed()) {
    const other = entries.find((each) => each !== entry && isRedundant(entry, each))
    if (other === undefined) continue
    let isKnown = false
    return function watch(key, chosen = policies) {
      if (isKnown || chosen !== policies || !isKey(key)) return
      isKnown = true
      warn(sluiceError('SLUICE_POLICY_REDUNDANT', entry.limiter, entry.name, other.name))
    }
  }
  return undefined
}

/** Compares policies of one kind that differ in numbers only. A block also denies requests below the limit, and a limit of 0 denies everything on purpose. */
function isRedundant(entry: BoundPolicy, other: BoundPolicy): boolean {
  const { steps, params, policy, block } = entry
  if (entry.kind !== other.kind || block !== undefined || steps.persistsOnDenial(params))
    return false
  for (const [name, value] of Object.entries(policy)) {
    if (typeof value !== 'number' && value !== Reflect.get(other.policy, name)) return false
  }
  const [quota, least] = [steps.quota(params), other.steps.quota(other.params)]
  return quota >= least && least > 0 && steps.windowMs(params) <= other.steps.windowMs(other.params)
}

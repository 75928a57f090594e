import { ruleOf } from '../../algorithms/registry.js'
import type { Policy } from '../../policy.js'

/**
 * Checks a policy that comes from a file as its builder does, and returns it in the builder's form.
 *
 * @throws SluiceError SLUICE_POLICY_UNKNOWN, or the errors of the builder
 */
export function checkedPolicy(policy: unknown, where: string): Policy {
  return ruleOf(policy, where).policy
}

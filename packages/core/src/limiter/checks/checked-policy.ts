import { registerAlgorithms } from '../../algorithms/register.js'
import { ruleOf } from '../../algorithms/kind.js'
import type { Policy } from '../../policy.js'

/**
 * Checks a policy that comes from a file as its builder does, and returns it in the builder's form. Every kind of policy is available to files.
 *
 * @throws SluiceError SLUICE_POLICY_UNKNOWN, or the errors of the builder
 */
export function checkedPolicy(policy: unknown, where: string): Policy {
  registerAlgorithms()
  return ruleOf(policy, where).policy
}

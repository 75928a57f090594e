import type { Decision } from '../../limiter/decision.js'
import { receiptOf } from '../../limiter/receipts/receipt.js'
import type { Policies } from '../../limiter/bound-policies.js'
import { isPolicy } from '../../policy.js'
import { firmWaitOf } from '../../limiter/waiting/waits.js'
import type { HeaderField } from './fields.js'
import { seconds } from './fields.js'

/** RFC 9110, section 10.2.3. */
export function retryAfter(policies: Policies, decision: Decision): HeaderField {
  return ['Retry-After', `${retryAfterSeconds(policies, decision)}`]
}

/**
 * The whole seconds after which a denied client may retry: until the cost fits, or until the quota is full if the cost can never fit. The result is at
 * least 1, because 0 would ask the client to retry immediately. It is not shorter than the `t` of a policy that denies, as the draft requires: a
 * request of cost 0 can fit before a whole unit does. Leases are ignored, because they may be released at any time.
 */
export function retryAfterSeconds(policies: Policies, decision: Decision): number {
  const wait = seconds(waitMs(policies, decision))
  const resets = decision.deniedBy
    .filter((name) => !isLeased(policies, name))
    .map((name) => seconds(decision.policies[name].nextMs))
  return Math.max(1, wait, ...resets)
}

function waitMs(policies: Policies, decision: Decision): number {
  if (decision.retryAfterMs === null) return decision.resetMs
  // A request that was denied because other requests wait for the same key has no receipt.
  if (receiptOf(decision) === undefined) {
    return decision.deniedBy.every((name) => isLeased(policies, name)) ? 0 : decision.retryAfterMs
  }
  return firmWaitOf(decision) ?? decision.resetMs
}

function isLeased(policies: Policies, name: string): boolean {
  const { kind } = isPolicy(policies) ? policies : policies[name]
  return kind === 'concurrency'
}

import type { Decision } from '../../limiter/decision.js'
import { receiptOf } from '../../limiter/receipts/receipt.js'

/** Why a request was denied: the problem types of draft-ietf-httpapi-ratelimit-headers-10. */
export type DenialCause =
  | 'quota-exceeded'
  | 'temporary-reduced-capacity'
  | 'abnormal-usage-detected'

/**
 * The cause of a denial. While its store is unavailable, a limiter has a reduced capacity if it counts with a share of its limits or denies every request.
 *
 * @param localShare the share of each limit while the store is unavailable
 */
export function denialCauseOf(decision: Decision, localShare: number): DenialCause {
  const { source } = decision
  if (source === 'closed') return 'temporary-reduced-capacity'
  if (isBlocked(decision)) return 'abnormal-usage-detected'
  return source === 'fallback' && localShare < 1 ? 'temporary-reduced-capacity' : 'quota-exceeded'
}

/** Whether one of the policies is blocked, by its `block` option or by `limiter.block`. */
function isBlocked(decision: Decision): boolean {
  const states = receiptOf(decision)?.states ?? []
  return states.some(({ blockedUntil, now }) => blockedUntil > now)
}

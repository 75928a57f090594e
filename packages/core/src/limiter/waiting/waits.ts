import type { Decision } from '../decision.js'
import { hasLeases } from '../reading/read-decision.js'
import { longest } from '../reading/verdict.js'
import { receiptOf } from '../receipts/receipt.js'
import { costAt } from '../../stores/store.js'

/**
 * The part of a denied request's wait that nothing can shorten; null if it never ends. A wait for a lease is not part of it, because a lease can be
 * released at any moment.
 */
export function firmWaitOf(decision: Decision): number | null {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return decision.retryAfterMs
  const { states } = receipt
  let firm: number | null = 0
  receipt.call.policies.forEach((policy, i) => {
    const wait = decision.policies[policy.name].retryAfterMs
    const { blockedUntil, now } = states[i]
    firm = longest(
      firm,
      hasLeases(policy) && wait !== null ? Math.max(0, blockedUntil - now) : wait,
    )
  })
  return firm
}

/** Whether one of the policies of a decision is a leaky queue, which determines when a request starts. */
export function isQueued(decision: Decision): boolean {
  const policies = receiptOf(decision)?.call.policies ?? []
  return policies.some(({ steps }) => steps.queueWait !== undefined)
}

/**
 * Whether a leaky queue is too long for a denied request, and still will be when the other policies allow it. If the request waited before it entered
 * the queue, its whole wait would be longer than `maxDelay`.
 */
export function overflows(decision: Decision): boolean {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return false
  const { cost, states } = receipt
  let inQueue = 0
  let otherwise = 0
  receipt.call.policies.forEach(({ name, steps, params }, i) => {
    const { row, blockedUntil, now } = states[i]
    const queueWait = steps.queueWait?.(row, params, now, costAt(cost, i)) ?? 0
    const wait = decision.policies[name].retryAfterMs ?? Infinity
    inQueue = Math.max(inQueue, queueWait)
    otherwise = Math.max(otherwise, queueWait > 0 ? blockedUntil - now : wait)
  })
  return inQueue > otherwise
}

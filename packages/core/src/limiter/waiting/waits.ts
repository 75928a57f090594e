import { hasLeases, longest, type Decision } from '../decision.js'
import { receiptOf } from '../receipts/receipt.js'

/**
 * How long a denied request has to wait whatever happens: null if forever. Of the wait of a decision this is the part that only time can end;
 * what is held under leases may be released at any moment.
 */
export function firmWaitOf(decision: Decision): number | null {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return decision.retryAfterMs
  const { request, outcome } = receipt
  let firm: number | null = 0
  request.entries.forEach((entry, i) => {
    const wait = decision.policies[entry.name].retryAfterMs
    const { blockedUntil, now } = outcome.states[i]
    firm = longest(firm, hasLeases(entry) && wait !== null ? Math.max(0, blockedUntil - now) : wait)
  })
  return firm
}

/** Whether one of the policies of a decision is a queue, which says itself when a request starts. */
export function isQueued(decision: Decision): boolean {
  const entries = receiptOf(decision)?.request.entries ?? []
  return entries.some(({ steps }) => steps.queueWait !== undefined)
}

/**
 * Whether a queue is too long for a denied request, and still would be once nothing else denies it. To wait in front of the queue, and then
 * in it, would take longer than the queue allows.
 */
export function overflows(decision: Decision): boolean {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return false
  const { request, outcome } = receipt
  const { entries = request.entries, states } = outcome
  let inQueue = 0
  let otherwise = 0
  entries.forEach(({ name, steps, params }, i) => {
    const { row, blockedUntil, now } = states[i]
    const queueWait = steps.queueWait?.(row, params, now, request.cost) ?? 0
    const wait = decision.policies[name].retryAfterMs ?? Infinity
    inQueue = Math.max(inQueue, queueWait)
    otherwise = Math.max(otherwise, queueWait > 0 ? blockedUntil - now : wait)
  })
  return inQueue > otherwise
}

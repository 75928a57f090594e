import { hasLeases } from '../algorithms/kind.js'
import type { Decision } from './decision.js'
import { keepAlive } from './leases.js'
import { withoutDelay } from './read-decision.js'
import { receiptOf } from './receipt.js'
import { longest } from './verdict.js'
import { blockedMs, isExempt } from '../stores/override.js'
import { costAt, type Store } from '../stores/store.js'
import { pause, turnBefore, type Turn } from './turns.js'

/**
 * The part of a denied request's wait that nothing can shorten; null if it never ends. A wait for a lease is not part of it, because a lease can be
 * released at any moment.
 */
export function firmWaitOf(decision: Decision): number | null {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return decision.retryAfterMs
  const { states } = receipt.result
  let firm: number | null = 0
  receipt.request.policies.forEach((policy, i) => {
    const wait = decision.policies[policy.name].retryAfterMs
    firm = longest(firm, hasLeases(policy) && wait !== null ? blockedMs(states[i]) : wait)
  })
  return firm
}

/** Whether one of the policies of a decision is a leaky queue, which determines when a request starts unless it is exempt. */
export function isQueued(decision: Decision): boolean {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return false
  const { states } = receipt.result
  return receipt.request.policies.some(
    ({ steps, params }, i) =>
      !isExempt(states[i]) &&
      steps.read(states[i].row, params, states[i].now, 0, true).queue !== undefined,
  )
}

/**
 * Whether a leaky queue is too long for a denied request, and still will be when the other policies allow it. If the request waited before it entered
 * the queue, its whole wait would be longer than `maxDelay`.
 */
export function overflows(decision: Decision): boolean {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return false
  const { policies, cost } = receipt.request
  const { states } = receipt.result
  let inQueue = 0
  let otherwise = 0
  policies.forEach(({ name, steps, params }, i) => {
    if (isExempt(states[i])) return
    const { row, now } = states[i]
    const queueWait = steps.read(row, params, now, costAt(cost, i), false).queue ?? 0
    const wait = decision.policies[name].retryAfterMs ?? Infinity
    inQueue = Math.max(inQueue, queueWait)
    otherwise = Math.max(otherwise, queueWait > 0 ? blockedMs(states[i]) : wait)
  })
  return inQueue > otherwise
}

/**
 * Delays an allowed request by the `delayMs` of its decision, and then until its turn. Resolves to the decision without the delay. If it also has a lease, it is
 * renewed during the delay, because a delay can be longer than a lease. If the signal is aborted, the request is refunded, and the promise rejects with the
 * signal's reason.
 */
export async function delayRequest<S extends Store>(
  limiter: { refund(decision: Decision): unknown },
  decision: Decision<S>,
  signal: AbortSignal | undefined,
  turn?: Turn,
): Promise<Decision<S>> {
  const { lease, delayMs } = decision
  const stopRenewing = lease === undefined || delayMs === 0 ? undefined : keepAlive(lease)
  try {
    await pause(delayMs, signal)
    if (turn !== undefined) await turnBefore(turn, Infinity, signal)
    signal?.throwIfAborted()
    return withoutDelay(decision)
  } catch (error) {
    await limiter.refund(decision)
    throw error
  } finally {
    turn?.end()
    stopRenewing?.()
  }
}

import { hasLeases } from '../algorithms/kind.js'
import { blockedMs, isExempt } from '../stores/override.js'
import { costAt, type Store } from '../stores/store.js'
import type { Decision } from './decision.js'
import { keepAlive } from './leases.js'
import { pause } from './pause.js'
import { withoutDelay } from './read-decision.js'
import { receiptOf } from './receipt.js'

/**
 * The part of a denied request's wait that nothing can shorten; null if it never ends. A wait for a lease is not part of it, because a lease can be released at
 * any moment.
 */
export function firmWaitOf(decision: Decision): number | null {
  const waits = waitsOf(decision)
  const { retryAfterMs } = decision
  const longestMs = Math.max(0, ...waits.map(({ waitMs }) => waitMs))
  // A copy of a decision, or one of a request that would have to wait for others.
  if (waits.length === 0 || retryAfterMs === null || retryAfterMs > longestMs) return retryAfterMs
  return Math.max(...waits.map(({ firmMs }) => firmMs))
}

/** Whether one of the policies of a decision is a leaky queue, which determines when a request starts unless it is exempt. */
export function isQueued(decision: Decision): boolean {
  return waitsOf(decision).some(({ queueMs }) => queueMs !== undefined)
}

/**
 * Whether a leaky queue is too long for a denied request, and still will be when the other policies allow it. If the request waited before it entered the
 * queue, its whole wait would be longer than `maxDelay`.
 */
export function overflows(decision: Decision): boolean {
  const waits = waitsOf(decision)
  const inQueue = Math.max(0, ...waits.map(({ queueMs = 0 }) => queueMs))
  return (
    inQueue > 0 &&
    waits.every(({ queueMs = 0, blockMs, waitMs }) => {
      return inQueue > (queueMs > 0 ? blockMs : waitMs)
    })
  )
}

/** How long one policy of a decision makes a request wait; Infinity if it never allows it. */
interface Wait {
  readonly waitMs: number
  /** The part that nothing can shorten. */
  readonly firmMs: number
  readonly blockMs: number
  /** Until a leaky queue is short enough. Undefined for any other policy, and for an exempt one. */
  readonly queueMs: number | undefined
}

/** The waits of a decision. Empty for a copy of a decision. */
function waitsOf(decision: Decision): readonly Wait[] {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return []
  const { policies, cost } = receipt.request
  return policies.map((policy, i) => {
    const { name, steps, params } = policy
    const state = receipt.result.states[i]
    const { queue } = steps.read(state.row, params, state.now, costAt(cost, i), false)
    const waitMs = decision.policies[name].retryAfterMs ?? Infinity
    const blockMs = blockedMs(state)
    const firmMs = hasLeases(policy) && waitMs < Infinity ? blockMs : waitMs
    return { waitMs, firmMs, blockMs, queueMs: isExempt(state) ? undefined : queue }
  })
}

/**
 * Delays an allowed request by the `delayMs` of its decision, and then until `mayStart` resolves. Resolves to the decision without the delay. If it also has a
 * lease, it is renewed during the delay, because a delay can be longer than a lease. If the signal is aborted, the request is refunded, and the promise rejects
 * with the signal's reason.
 */
export async function delayRequest<S extends Store>(
  limiter: { refund(decision: Decision): unknown },
  decision: Decision<S>,
  signal: AbortSignal | undefined,
  mayStart?: () => Promise<void>,
): Promise<Decision<S>> {
  const { lease, delayMs } = decision
  const stopRenewing = lease === undefined || delayMs === 0 ? undefined : keepAlive(lease)
  try {
    await pause(delayMs, signal)
    await mayStart?.()
    signal?.throwIfAborted()
    return withoutDelay(decision)
  } catch (error) {
    await limiter.refund(decision)
    throw error
  } finally {
    stopRenewing?.()
  }
}

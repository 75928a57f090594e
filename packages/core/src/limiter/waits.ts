import { hasLeases } from '../algorithms/kind.js'
import type { Decision } from './decision.js'
import { keepAlive } from './leases.js'
import { longest, asOf } from './read-decision.js'
import { receiptOf, type Receipt } from './receipt.js'
import { costAt, isExempt, type State, type Store } from '../stores/store.js'
import type { PolicyChoice } from './bound-policies.js'
import type { Keys } from './arguments.js'
import { pause, turnBefore, type Turn } from './turns.js'

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

/** Whether one of the policies of a decision is a leaky queue, which determines when a request starts unless it is exempt. */
export function isQueued(decision: Decision): boolean {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return false
  const { call, states } = receipt
  return call.policies.some(({ steps }, i) => steps.queueWait !== undefined && !isExempt(states[i]))
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
    if (isExempt(states[i])) return
    const { row, blockedUntil, now } = states[i]
    const queueWait = steps.queueWait?.(row, params, now, costAt(cost, i)) ?? 0
    const wait = decision.policies[name].retryAfterMs ?? Infinity
    inQueue = Math.max(inQueue, queueWait)
    otherwise = Math.max(otherwise, queueWait > 0 ? blockedUntil - now : wait)
  })
  return inQueue > otherwise
}

/** The methods of a limiter that `delayRequest` uses. */
export interface DelayingLimiter {
  peek(key: Keys, options: PolicyChoice & { readonly cost: number }): Decision | Promise<Decision>
  refund(decision: Decision): unknown
}

/** An allowed request, with its key and its policies. */
export interface AllowedRequest<S extends Store> extends PolicyChoice {
  readonly key: Keys
  readonly decision: Decision<S>
}

/**
 * Delays an allowed request by the `delayMs` of its decision, and then until its turn. Resolves to the decision with the numbers of the moment at which
 * the delay ends, so that its `delayMs` is 0. If the decision also has a lease, it is renewed during the delay, because a delay can be longer than a lease. If the signal is
 * aborted, the request is refunded, and the promise rejects with the signal's reason.
 */
export async function delayRequest<S extends Store>(
  limiter: DelayingLimiter,
  allowed: AllowedRequest<S>,
  signal: AbortSignal | undefined,
  turn?: Turn,
): Promise<Decision<S>> {
  const { decision } = allowed
  const { lease, delayMs } = decision
  const due = performance.now() + delayMs
  const stopRenewing = lease === undefined || delayMs === 0 ? undefined : keepAlive(lease)
  try {
    await pause(delayMs, signal)
    // The peek is sent before the turn begins, so that the round trips of consecutive requests overlap.
    let current = delayMs === 0 ? decision : asOfNow(limiter, allowed)
    if (turn !== undefined) {
      const asked = performance.now()
      await turnBefore(turn, Infinity, signal)
      if (performance.now() - asked > maxAgeMs) current = asOfNow(limiter, allowed)
    }
    const settled = await current
    signal?.throwIfAborted()
    return settled
  } catch (error) {
    await new Promise<void>((begin) => {
      beginRefund(due, begin)
    })
    await limiter.refund(decision)
    throw error
  } finally {
    turn?.end()
    stopRenewing?.()
  }
}

interface PendingRefund {
  readonly due: number
  begin(): void
}

let pendingRefunds: PendingRefund[] = []

/**
 * Begins the refund of a request that would have begun at `due`. Of requests that end together, such as those of one client that disconnects, the last one is
 * refunded first, because a queue takes back only its last request.
 */
function beginRefund(due: number, begin: () => void): void {
  pendingRefunds.push({ due, begin })
  if (pendingRefunds.length > 1) return
  queueMicrotask(() => {
    const all = pendingRefunds.sort((one, other) => other.due - one.due)
    pendingRefunds = []
    for (const refund of all) refund.begin()
  })
}

/** A turn that begins later than this after the peek waits for more than round trips: for a call with other policies, whose delay is longer. */
const maxAgeMs = 20

/**
 * The decision with the numbers of the moment at which the delay of its request ends. Other requests may have been counted since the decision, so this
 * peeks once more. If the peek fails, it computes the numbers from the state of the decision.
 */
async function asOfNow<S extends Store>(
  limiter: DelayingLimiter,
  { key, decision, policies }: AllowedRequest<S>,
): Promise<Decision<S>> {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return decision
  const starts = receipt.states.map(({ now }) => now + decision.delayMs)
  const asked = policies === undefined ? { cost: 0 } : { cost: 0, policies }
  const current = await currentDecision(limiter, key, asked)
  // The counts of another source are different ones.
  const known = current?.source === decision.source ? receiptOf(current) : undefined
  const later = known ?? receipt
  return asOf(decision, later.call.policies, advancedTo(starts, later))
}

/** Undefined if the peek fails: the request stays allowed, even if its store has been closed since. */
async function currentDecision(
  limiter: DelayingLimiter,
  key: Keys,
  asked: PolicyChoice & { readonly cost: number },
): Promise<Decision | undefined> {
  try {
    return await limiter.peek(key, asked)
  } catch {
    return undefined
  }
}

/** The states of a decision advanced to these moments, unless they are later already. */
function advancedTo(moments: readonly number[], { call, states }: Receipt): readonly State[] {
  return states.map((state, i): State => {
    const { steps, params } = call.policies[i]
    // The receipt does not contain the records, so a state with records cannot be advanced.
    if (state.now >= moments[i] || steps.hasRecords === true) return state
    const row = [...state.row]
    steps.look(row, params, moments[i], 0)
    return { row, blockedUntil: state.blockedUntil, now: moments[i] }
  })
}

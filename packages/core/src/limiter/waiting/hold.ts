import { asOf, type Decision } from '../decision.js'
import { receiptOf, type Receipt } from '../receipts/receipt.js'
import type { Keys, PolicyChoice } from '../bound-policies.js'
import { keepAlive } from '../leases/keep-alive.js'
import { pause } from './pause.js'
import { turnBefore, type Turn } from './turns.js'
import type { Outcome, State } from '../../stores/store.js'

/** What holding needs of a limiter. */
export interface Holder {
  peek(key: Keys, options: PolicyChoice & { readonly cost: number }): Decision | Promise<Decision>
  refund(decision: Decision): unknown
}

/** An allowed request, and what it was asked with. */
export interface AllowedRequest<D extends Decision> extends PolicyChoice {
  readonly key: Keys
  readonly decision: D
}

/**
 * Holds an allowed request for as long as a leaky queue asks, and then until its turn among those before it. Its numbers are then those of
 * the moment at which it is let go. A lease that it has besides is kept alive meanwhile, because a queue can be longer than a lease. If the signal ends the
 * hold, what the request took is given back, and the promise rejects with the signal's reason.
 */
export async function hold<D extends Decision>(
  limiter: Holder,
  allowed: AllowedRequest<D>,
  signal: AbortSignal | undefined,
  turn?: Turn,
): Promise<D> {
  const { decision } = allowed
  const { lease, delayMs } = decision
  const stopRenewing = lease === undefined || delayMs === 0 ? undefined : keepAlive(lease)
  try {
    await pause(delayMs, signal)
    // Asked before the turn has come, so that a fast queue does not wait for one answer after the other.
    const current = delayMs === 0 ? decision : asOfNow(limiter, allowed)
    if (turn !== undefined) await turnBefore(turn, Infinity, signal)
    const settled = await current
    signal?.throwIfAborted()
    return settled
  } catch (error) {
    await limiter.refund(decision)
    throw error
  } finally {
    turn?.leave()
    stopRenewing?.()
  }
}

/**
 * The decision with the numbers of the moment at which its request is let go. Others may have been decided since, so the store is asked once
 * more. If it cannot say, its last answer is grown older.
 */
async function asOfNow<D extends Decision>(
  limiter: Holder,
  { key, decision, policies }: AllowedRequest<D>,
): Promise<D> {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return decision
  const starts = receipt.outcome.states.map(({ now }) => now + decision.delayMs)
  const asked = policies === undefined ? { cost: 0 } : { cost: 0, policies }
  const current = await standOf(limiter, key, asked)
  // Another source has other counts.
  const known = current?.source === decision.source ? receiptOf(current) : undefined
  return asOf(decision, grownTo(starts, known ?? receipt))
}

/** Undefined if it fails. The request has been allowed, and stays allowed though its store was closed since. */
async function standOf(
  limiter: Holder,
  key: Keys,
  asked: PolicyChoice & { readonly cost: number },
): Promise<Decision | undefined> {
  try {
    return await limiter.peek(key, asked)
  } catch {
    return undefined
  }
}

/** An outcome as it stands at these moments at the earliest, if nothing else happens. */
function grownTo(moments: readonly number[], { request, outcome }: Receipt): Outcome {
  const { entries = request.entries } = outcome
  const states = outcome.states.map((state, i): State => {
    const { steps, params } = entries[i]
    // What a body would say then is not known.
    if (state.now >= moments[i] || steps.bodied === true) return state
    const row = [...state.row]
    steps.look(row, params, moments[i], 0)
    return { row, blockedUntil: state.blockedUntil, now: moments[i] }
  })
  return { ...outcome, states }
}

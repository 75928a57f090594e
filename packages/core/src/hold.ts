import type { Decision } from './decision.js'
import { keepAlive } from './leases.js'
import { pause } from './pause.js'

/**
 * Holds an admitted request for as long as a leaky queue asks. The lease that it may have besides is kept alive meanwhile, since a queue can be
 * longer than a lease. Where the signal ends the hold, what the request took is given back, and the promise rejects with the signal's reason.
 */
export async function hold<D extends Decision>(
  limiter: { refund(decision: Decision): unknown },
  decision: D,
  signal: AbortSignal | undefined,
): Promise<D> {
  const { lease, delayMs } = decision
  const leave = lease === undefined || delayMs === 0 ? undefined : keepAlive(lease)
  try {
    await pause(delayMs, signal)
    return decision
  } catch (error) {
    await limiter.refund(decision)
    throw error
  } finally {
    leave?.()
  }
}

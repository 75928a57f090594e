import type { HeldLease } from '../decision.js'
import { longestTimerMs } from '../waiting/pause.js'

/** Renews a lease periodically. The returned function stops that and releases the lease. If the process dies, the lease expires. */
export function keepLease(lease: HeldLease): () => boolean | Promise<boolean> {
  const stopRenewing = keepAlive(lease)
  return function releaseLease() {
    stopRenewing()
    return lease.release()
  }
}

/** Renews a lease periodically. The returned function stops that. */
export function keepAlive(lease: HeldLease): () => void {
  const timer = setInterval(() => void renewed(lease), Math.min(lease.lengthMs / 3, longestTimerMs))
  timer.unref()
  return () => clearInterval(timer)
}

/** A renewal that fails is tried again before the lease expires. */
async function renewed(lease: HeldLease): Promise<boolean> {
  try {
    return await lease.renew()
  } catch {
    return false
  }
}

import type { HeldLease } from '../decision.js'
import { longestTimerMs } from '../waiting/pause.js'

/**
 * Keeps a lease alive for as long as its holder works, be that longer than the lease lasts. What it returns releases it. Where the process
 * dies, the lease ends by itself.
 */
export function keepLease(lease: HeldLease): () => boolean | Promise<boolean> {
  const leave = keepAlive(lease)
  return function letGo() {
    leave()
    return lease.release()
  }
}

/** Keeps a lease alive. What it returns leaves it to itself. */
export function keepAlive(lease: HeldLease): () => void {
  const timer = setInterval(() => void renewed(lease), Math.min(lease.lengthMs / 3, longestTimerMs))
  timer.unref()
  return () => clearInterval(timer)
}

/** What fails now is tried again before the lease has ended. */
async function renewed(lease: HeldLease): Promise<boolean> {
  try {
    return await lease.renew()
  } catch {
    return false
  }
}

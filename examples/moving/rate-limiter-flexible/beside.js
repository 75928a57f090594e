// #region app
import { createLimiter, fixedWindow } from '@sluice/core'
import { RateLimiterMemory } from 'rate-limiter-flexible'

export const compared = { same: 0, stricter: 0, looser: 0 }

const old = new RateLimiterMemory({ keyPrefix: 'jobs', points: 10, duration: 60 })
const trial = createLimiter({ name: 'jobs', policies: fixedWindow({ limit: 10, window: '1m' }) })

/** Asks both limiters and obeys the old one. */
export async function consume(key, points = 1) {
  const { allowed } = await trial.consume(key, { cost: points })
  try {
    const result = await old.consume(key, points)
    compared[allowed ? 'same' : 'stricter']++
    return result
  } catch (rejection) {
    if (!(rejection instanceof Error)) compared[allowed ? 'looser' : 'same']++
    throw rejection
  }
}
// #endregion

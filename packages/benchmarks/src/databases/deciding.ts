import { createLimiter, slidingWindow, type AsyncStore } from '@sluice/core'
import { limit, windowMs } from '../redis/contenders/contender.js'
import type { Decide } from './contender.js'

/** A busy machine may answer late. That is a part of the measurement, and must not become a decision of the fallback. */
export const timeout = '30s'

export function sluiceOver(store: AsyncStore, window: number = windowMs): Decide {
  const policies = slidingWindow({ limit, window })
  const limiter = createLimiter({ name: 'api', policies, store })
  return async (key) => {
    const { allowed, source } = await limiter.consume(key)
    if (source !== 'store') throw new Error(`the decision came from ${source}`)
    return allowed
  }
}

/** The options of rate-limiter-flexible that do not depend on the database. */
export const flexibleOptions: {
  readonly points: number
  readonly duration: number
  readonly tableCreated: true
} = { points: limit, duration: windowMs / 1000, tableCreated: true }

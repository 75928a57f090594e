import { createLimiter, type AsyncStore, type Policies } from '@sluice/core'

/** Takes one unit and returns whether it was allowed. */
export type Decide = (key: string) => Promise<boolean>

/** No decision is denied while it is timed: a denial writes less. */
export const limit = 1e8
export const windowMs = 3_600_000

/** A busy machine may answer late. That is a part of the measurement, and must not become a decision of the fallback. */
export const timeout = '30s'

/** Decides by a limiter of Sluice over a store that other processes share. */
export function decideOver(store: AsyncStore, policies: Policies): Decide {
  const limiter = createLimiter({ name: 'api', policies, store })
  return async (key) => {
    const { allowed, source } = await limiter.consume(key)
    if (source !== 'store' && source !== 'ahead')
      throw new Error(`the decision came from ${source}`)
    return allowed
  }
}

/** Decides by a limiter of rate-limiter-flexible, which rejects a denial with something that is not an Error. */
export function consuming(limiter: { consume(key: string): Promise<unknown> }): Decide {
  return async (key) => {
    try {
      await limiter.consume(key)
      return true
    } catch (denial) {
      if (denial instanceof Error) throw denial
      return false
    }
  }
}

import {
  createLimiter,
  fixedWindow,
  gcra,
  redisStore,
  slidingWindow,
  type Policy,
} from '@sluice/core'
import { limit, windowMs as window, type Contender } from './contender.js'

export const ours: readonly Contender[] = [
  sluice('fixedWindow', fixedWindow({ limit, window })),
  sluice('slidingWindow', slidingWindow({ limit, window })),
  sluice('gcra', gcra({ limit, window })),
]

function sluice(builder: string, policies: Policy): Contender {
  return {
    name: `Sluice, ${builder}`,
    async open(client) {
      // On a machine that is busy, Redis may answer late, and that is to be counted too.
      const store = redisStore(client, { timeout: '30s' })
      const limiter = createLimiter({ name: 'api', policies, store })
      return async (key) => {
        const { allowed, source } = await limiter.consume(key)
        if (source !== 'store') throw new Error(`the decision came from ${source}`)
        return allowed
      }
    },
  }
}

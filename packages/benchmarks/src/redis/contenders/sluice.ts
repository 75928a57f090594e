import { createLimiter, redisStore, spendAhead, type AsyncStore, type Policies } from '@sluice/core'
import type { Redis } from 'ioredis'
import { builders } from '../../builders.js'
import { limit, windowMs, type Contender, type Decide } from './contender.js'

export const ours: readonly Contender[] = builders.map(({ name, one, three }) => ({
  name: `Sluice, ${name}`,
  open: async (client) => decideOver(storeOver(client), one(limit, windowMs)),
  openThree: async (client) => decideOver(storeOver(client), three(limit)),
  // A sliding window of one bucket takes no units ahead.
  openAhead:
    name === 'slidingWindow'
      ? undefined
      : async (client) => decideOver(spendAhead(storeOver(client)), one(limit, windowMs)),
}))

function storeOver(client: Redis): AsyncStore {
  // On a busy machine Redis may answer late. That is a part of the measurement and must not become a decision of the fallback.
  return redisStore(client, { timeout: '30s' })
}

function decideOver(store: AsyncStore, policies: Policies): Decide {
  const limiter = createLimiter({ name: 'api', policies, store })
  return async (key) => {
    const { allowed, source } = await limiter.consume(key)
    if (source !== 'store' && source !== 'ahead')
      throw new Error(`the decision came from ${source}`)
    return allowed
  }
}

import { createLimiter, redisStore, type Policies } from '@sluice/core'
import type { Redis } from 'ioredis'
import { builders } from '../../builders.js'
import { limit, windowMs, type Contender, type Decide } from './contender.js'

export const ours: readonly Contender[] = builders.map(({ name, one, three }) => ({
  name: `Sluice, ${name}`,
  open: async (client) => decideOver(client, one(limit, windowMs)),
  openThree: async (client) => decideOver(client, three(limit)),
}))

function decideOver(client: Redis, policies: Policies): Decide {
  // On a busy machine Redis may answer late. That is a part of the measurement and must not become a decision of the fallback.
  const store = redisStore(client, { timeout: '30s' })
  const limiter = createLimiter({ name: 'api', policies, store })
  return async (key) => {
    const { allowed, source } = await limiter.consume(key)
    if (source !== 'store') throw new Error(`the decision came from ${source}`)
    return allowed
  }
}

import {
  createLimiter,
  fixedWindow,
  gcra,
  redisStore,
  slidingWindow,
  type Policies,
  type Policy,
} from '@sluice/core'
import type { Redis } from 'ioredis'
import { threeLimits } from '../../memory/contender.js'
import { limit, windowMs, type Contender, type Decide } from './contender.js'

export const ours: readonly Contender[] = [
  sluice('fixedWindow', (limit, window) => fixedWindow({ limit, window })),
  sluice('slidingWindow', (limit, window) => slidingWindow({ limit, window })),
  sluice('gcra', (limit, window) => gcra({ limit, window })),
]

function sluice(builder: string, policy: (limit: number, windowMs: number) => Policy): Contender {
  return {
    name: `Sluice, ${builder}`,
    open: async (client) => decideOver(client, policy(limit, windowMs)),
    async openThree(client) {
      const [minute, hour, day] = threeLimits(limit).map((each) =>
        policy(each.limit, each.windowMs),
      )
      return decideOver(client, { minute, hour, day })
    },
  }
}

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

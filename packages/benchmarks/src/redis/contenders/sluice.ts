import { redisStore, spendAhead, type AsyncStore } from '@sluice/core'
import type { Redis } from 'ioredis'
import { builders } from '../../builders.js'
import { decideOver, limit, timeout, windowMs } from '../../deciding.js'
import type { Contender } from './contender.js'

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
  return redisStore(client, { timeout })
}

import { memoryStore, redisStore, type Store } from '@sluice/core'
import type { TestRedis } from '@sluice/test-kit/redis'

/** The rows for `describe.each`: once on a memory store and once on Redis. */
export function bothStores(redis: TestRedis): { where: string; makeStore: () => Store }[] {
  return [
    { where: 'memory', makeStore: () => memoryStore() },
    { where: 'Redis', makeStore: () => redisStore(redis.client(), { timeout: '20s' }) },
  ]
}

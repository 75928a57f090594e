import {
  optional,
  readOptions,
  shortDuration,
  type Duration,
  type OptionReader,
} from '../../options/readers.js'
import { withBatching } from '../layers/batching.js'
import { withBreaker } from '../layers/breaker.js'
import { withDeadline } from '../layers/deadline.js'
import { withDenyCache } from '../layers/deny-cache.js'
import { contractVersion, storeContract, type AsyncStore } from '../store.js'
import { createCalls } from './calls.js'
import { clientOf, type SupportedClient } from './client/client.js'
import { createLanes } from './lanes.js'

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /**
   * The prefix of every Redis key. The limiter's name follows it.
   *
   * @default 'sluice'
   */
  readonly prefix?: string
  /**
   * The longest time that a decision waits for Redis. After it, `onStoreError` decides, and a call that reaches Redis later takes no units.
   *
   * @default 250
   */
  readonly timeout?: Duration
}

const text: OptionReader<string> = {
  expected: 'a non-empty string',
  read: (value) => (typeof value === 'string' && value !== '' ? value : undefined),
}

/**
 * Stores the counts in Redis 7, a single server or a Cluster, for any number of processes. One script call decides, for any number of policies, by
 * the clock of the Redis server. Pass your own client of ioredis, iovalkey or node-redis: Sluice never opens or closes a connection. While Redis is
 * unavailable, no request waits for it: see `onStoreError` of `createLimiter`.
 *
 * @example
 * import { redisStore } from '@sluice/core'
 * import { Redis } from 'ioredis'
 *
 * const redis = new Redis('redis://localhost')
 * redis.on('error', (error) => console.error(`Redis: ${error.message}`))
 * const store = redisStore(redis)
 * @throws SluiceError if the client is not supported, or an option is unknown or out of range
 */
export function redisStore(client: SupportedClient, options: RedisStoreOptions = {}): AsyncStore {
  return createRedisStore(client, options, true)
}

/** Without `hasPlans`, the script of single requests decides everything. Tests use it to compare the two scripts. */
export function createRedisStore(
  client: SupportedClient,
  options: RedisStoreOptions,
  hasPlans: boolean,
): AsyncStore {
  const redis = clientOf(client)
  const { prefix, timeout } = readOptions('redisStore', options, {
    prefix: optional(text, 'sluice'),
    timeout: optional(shortDuration, 250),
  })
  const lanes = createLanes(prefix, redis.isCluster, hasPlans)
  const store = withDeadline(createCalls(redis, prefix, timeout, lanes), 'redis', timeout)
  return {
    ...withBatching(withDenyCache(withBreaker(store, 'redis')), lanes.laneOf),
    [storeContract]: { version: contractVersion },
  }
}

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

export interface RedisStoreOptions {
  /**
   * What all keys begin with, before the limiter's name.
   *
   * @default 'sluice'
   */
  readonly prefix?: string
  /**
   * How long a decision may wait for Redis. One that takes longer is made without it, as the limiter's `onStoreError` says, and what of it
   * reaches Redis later takes nothing.
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
 * Keeps the counts in Redis 7, single or Cluster, for any number of processes. One script call decides, whatever the number of policies; time
 * is Redis's own. The client is yours, of ioredis, iovalkey or node-redis: Sluice never opens or closes a connection. While Redis is away no
 * request waits for it: see `onStoreError` of `createLimiter`.
 *
 * @example
 * const store = redisStore(new Redis(process.env.REDIS_URL))
 * @throws SluiceError where the client is none, or an option is unknown or out of range
 */
export function redisStore(client: SupportedClient, options: RedisStoreOptions = {}): AsyncStore {
  return createRedisStore(client, options, false)
}

/** `isGeneral`: the general script decides everything, as where a test compares the two. */
export function createRedisStore(
  client: SupportedClient,
  options: RedisStoreOptions,
  isGeneral: boolean,
): AsyncStore {
  const redis = clientOf(client)
  const { prefix, timeout } = readOptions('redisStore', options, {
    prefix: optional(text, 'sluice'),
    timeout: optional(shortDuration, 250),
  })
  const lanes = createLanes(prefix, redis.isCluster, Math.max(unreadMs, timeout), isGeneral)
  const store = withDeadline(createCalls(redis, prefix, timeout, lanes), 'redis', timeout)
  return {
    ...withBatching(withDenyCache(withBreaker(store, 'redis')), lanes.laneOf),
    [storeContract]: { version: contractVersion },
  }
}

/** So long at least is a key left to the general script that the direct one could not read. A call that was sent before has ended by then. */
const unreadMs = 1000

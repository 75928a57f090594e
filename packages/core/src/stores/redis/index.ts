import { isText } from '../../options/predicates.js'
import {
  checked,
  optional,
  readOptions,
  storeTimeout,
  type Duration,
} from '../../options/readers.js'
import { createPipeline, type Transport } from '../pipeline/pipeline.js'
import { contractVersion, storeContract, type AsyncStore, type StoreRequest } from '../store.js'
import { createCalls, type Calls } from './calls.js'
import { clientOf, type SupportedClient } from './client.js'
import { createTargets, mostPolicies, type Target, type TargetOf } from './compiled-policies.js'

/** Options of `redisStore`. */
export interface RedisStoreOptions {
  /**
   * The prefix of every Redis key. The limiter's name and the number of the layout follow it: `sluice:api:1…`.
   *
   * @default 'sluice'
   */
  readonly prefix?: string | undefined
  /**
   * The longest time that a decision waits for Redis. After it, `onStoreError` decides, and a call that reaches Redis later takes no units. At most 24 days.
   *
   * @default 250
   */
  readonly timeout?: Duration | undefined
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
  const redis = clientOf(client)
  const { prefix, timeout } = readOptions('redisStore', options, {
    prefix: optional(checked('a non-empty string', isText), 'sluice'),
    timeout: optional(storeTimeout, 250),
  })
  const targets = createTargets(prefix, redis.isCluster)
  const calls = createCalls(redis, prefix, timeout, targets)
  const { isRequestBound } = redis
  return {
    ...createPipeline(
      { name: 'redis', timeoutMs: timeout, isRequestBound },
      redisTransport(calls, targets.targetOf, isRequestBound),
    ),
    [storeContract]: { version: contractVersion, mostPolicies, prepare: targets.prepare },
  }
}

/** Sends requests to Redis in batches. No call should occupy Redis for more than about a millisecond. */
export function redisTransport(
  { send, ping }: Calls,
  targetOf: TargetOf,
  isRequestBound: boolean,
): Transport<Target | undefined> {
  return {
    isInProcess: false,
    batching: {
      targetOf,
      keysOf: ({ policies: [{ limiter }], keys }) => keys.map((key) => `${limiter}\0${key}`),
      weightOf,
      mostRequests: 128,
      mostWeight: 256,
      share: isRequestBound ? 1 : 1 / 2,
      fewestRequests: 2,
      mostBatches: undefined,
    },

    connect({ complete }) {
      return ({ pending, target }) => {
        const requests = pending.map(({ request }) => request)
        send(requests, target, (answers) => complete(pending, answers))
        return undefined
      }
    },

    ping,
  }
}

/** Logs and leases weigh more than a row, because each takes Redis commands of its own. */
function weightOf({ policies }: StoreRequest): number {
  return policies.reduce((sum, { steps }) => sum + (steps.records === undefined ? 1 : 8), 0)
}

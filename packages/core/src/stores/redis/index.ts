import { sluiceError } from '../../errors.js'
import {
  optional,
  readOptions,
  shortDuration,
  type Duration,
  type OptionReader,
} from '../../options/readers.js'
import { PendingRequest, storeOf } from '../pending.js'
import { Breaker } from '../pipeline/breaker.js'
import { checkPhase, createDeadlines } from '../pipeline/deadlines.js'
import { DenyCache } from '../pipeline/deny-cache.js'
import {
  contractVersion,
  refundOf,
  storeContract,
  type Answer,
  type AsyncStore,
  type StoreRequest,
} from '../store.js'
import { Batch, createBatches } from './batches.js'
import { createCalls, type Calls } from './calls.js'
import { clientOf, type SupportedClient } from './client.js'
import { createLanes, type LaneOf } from './lanes.js'

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
  const calls = createCalls(redis, prefix, timeout, lanes)
  return {
    ...createPipeline('redis', calls, lanes.laneOf, timeout),
    [storeContract]: { version: contractVersion },
  }
}

/**
 * The way of each request to Redis, and of its answer back. A request is denied by a remembered denial, or fails because the breaker is open, or is sent in a
 * batch. It is answered at the latest when the timeout is over.
 */
export function createPipeline(
  name: string,
  calls: Calls,
  laneOf: LaneOf,
  timeoutMs: number,
): AsyncStore {
  const denials = new DenyCache()
  const breaker = new Breaker(name, pingInTime, ask)
  const batches = createBatches(laneOf, send, settle)
  const deadlines = createDeadlines<Batch>(expire)
  /** The requests that are answered without a call, with their answers. */
  let answered: (() => void)[] = []

  function enter(pending: readonly PendingRequest[]): void {
    for (let i = 0; i < pending.length; i++) {
      const one = pending[i]
      const answer = denials.recall(one) ?? breaker.refuses()
      if (answer === undefined) batches.add(one)
      else answerLater(one, answer)
    }
    batches.flush()
  }

  /** Not at once, because a caller that retries until it is allowed must not block the event loop. */
  function answerLater({ done }: PendingRequest, answer: Answer): void {
    answered.push(() => done(answer))
    if (answered.length > 1) return
    checkPhase(() => {
      const all = answered
      answered = []
      for (const call of all) call()
    })
  }

  function send(batch: Batch): void {
    deadlines.begin(batch, timeoutMs)
    let isSending = true
    calls.send(batch.requests, batch.lane, (answers) => {
      if (isSending) checkPhase(() => arrive(batch, answers))
      else arrive(batch, answers)
    })
    isSending = false
  }

  function arrive(batch: Batch, answers: readonly Answer[]): void {
    if (batch.isSettled) {
      refundLate(batch.requests, answers)
      return
    }
    batch.isSettled = true
    deadlines.end(batch)
    batch.settle(batch, answers)
  }

  function expire(batch: Batch): void {
    batch.isSettled = true
    const error = sluiceError('SLUICE_STORE_TIMEOUT', name, timeoutMs)
    batch.settle(
      batch,
      batch.pending.map(() => error),
    )
  }

  function settle(batch: Batch, answers: readonly Answer[]): void {
    const { pending } = batch
    breaker.note(pending, answers)
    for (let i = 0; i < pending.length; i++) denials.note(pending[i], answers[i])
    // First, because `done` may add requests.
    batches.end(batch)
    for (let i = 0; i < pending.length; i++) pending[i].done(answers[i])
  }

  /** Refunds the units that were taken in time, but whose answer was late. */
  function refundLate(requests: readonly StoreRequest[], late: readonly Answer[]): void {
    const taken = requests.flatMap((request, i): StoreRequest[] => {
      const answer = late[i]
      if (request.verb !== 'consume' || !('allowed' in answer) || !answer.allowed) return []
      return [refundOf(request, answer.states)]
    })
    if (taken.length > 0) calls.send(taken, undefined, () => {})
  }

  /** Sends a request of the breaker's own. */
  function ask(request: StoreRequest, done: (answer: Answer) => void): void {
    send(new Batch(undefined, new PendingRequest(request, done), (_, [answer]) => done(answer)))
  }

  /** Resolves to false if the ping is not answered in time. */
  function pingInTime(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => checkPhase(() => resolve(false)), timeoutMs)
      calls
        .ping()
        .finally(() => clearTimeout(timer))
        .then(resolve, reject)
    })
  }

  return storeOf(enter, {
    ping: async () => (await pingInTime()) && !breaker.isRefusing,
    close: () => calls.close(),
  })
}

import slotOf from 'cluster-key-slot'
import { processTime } from '../../clock.js'
import { SluiceError, sluiceError, sluiceErrorFrom } from '../../errors.js'
import { redisKey } from '../../keys.js'
import {
  optional,
  readOptions,
  shortDuration,
  type Duration,
  type OptionReader,
} from '../../options/readers.js'
import { withBreaker } from '../layers/breaker.js'
import { withDeadline } from '../layers/deadline.js'
import { withDenyCache } from '../layers/deny-cache.js'
import {
  contractVersion,
  storeContract,
  type Answer,
  type AsyncStore,
  type StoreRequest,
} from '../store.js'
import { withBatching, type LaneOf } from '../layers/batching.js'
import { clientOf, type RedisClient, type SupportedClient } from './client.js'
import { createEvaluation } from './evaluation.js'
import { createPings } from './pings.js'
import { readReply } from './reply.js'
import { acrossSlots } from './slots.js'
import { createServerClock, type ServerClock } from './server-clock.js'
import { decodeReply, encodeCall, pingArgs, stale } from './wire.js'

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
  const redis = clientOf(client)
  const { prefix, timeout } = readOptions('redisStore', options, {
    prefix: optional(text, 'sluice'),
    timeout: optional(shortDuration, 250),
  })
  const laneOf = redis.isCluster ? laneBySlot(prefix) : () => 0
  const store = withDeadline(createRedisStore(redis, prefix, timeout), 'redis', timeout)
  return {
    ...withBatching(withDenyCache(withBreaker(store, 'redis')), laneOf),
    [storeContract]: { version: contractVersion },
  }
}

/** One script reaches the keys of one slot only. */
function laneBySlot(prefix: string): LaneOf {
  return function laneOf(request) {
    const [slot, ...others] = request.keys.map((key) => keySlot(prefix, key, request))
    return others.every((other) => other === slot) ? slot : undefined
  }
}

function keySlot(prefix: string, key: string, { entries }: StoreRequest): number {
  return slotOf(redisKey(prefix, entries[0].limiter, key))
}

function createRedisStore(client: RedisClient, prefix: string, timeoutMs: number): AsyncStore {
  const evaluate = createEvaluation(client)
  const clocks = new Map<number, ServerClock>()
  const ping = createPings(client.isCluster ? 16 : 1, pingAt)
  let closed = false

  /** The slots of a Cluster lie on several servers, each with a clock of its own. */
  function clockFor([request]: readonly StoreRequest[]): ServerClock {
    const slot = client.isCluster ? keySlot(prefix, request.keys[0], request) : 0
    let clock = clocks.get(slot)
    if (clock === undefined) {
      clock = createServerClock()
      clocks.set(slot, clock)
    }
    return clock
  }

  /** Answers undefined where the call came too late. */
  async function call(
    requests: readonly StoreRequest[],
    voidAt: number,
  ): Promise<readonly (Answer | typeof stale)[] | undefined> {
    const serverClock = clockFor(requests)
    const sentAt = processTime.monotonic()
    const { algorithms, keys, args } = encodeCall(prefix, requests, serverClock.at(sentAt))
    const reply = readReply(
      await evaluate(algorithms, keys, [`${serverClock.at(voidAt)}`, ...args]),
    )
    serverClock.learn(sentAt, processTime.monotonic(), Number(reply[0]))
    return decodeReply(reply, requests)
  }

  async function run(
    requests: readonly StoreRequest[],
    voidAt: number,
  ): Promise<readonly Answer[]> {
    // A void call took nothing, and has taught what the server's time is: it may be asked once more.
    const answers = (await call(requests, voidAt)) ?? (await call(requests, voidAt))
    if (answers === undefined) throw sluiceError('SLUICE_STORE_TIMEOUT', 'redis', timeoutMs)
    if (areAnswers(answers)) return answers
    const again = requests.filter((_, i) => answers[i] === stale)
    const late = [...((await call(again, voidAt)) ?? [])]
    return answers.map((answer) => (answer === stale ? answered(late.shift()) : answer))
  }

  /** What gives back does so whenever it arrives, as long as there is something to give; all else is void when nobody waits for it any more. */
  function voidAtOf(requests: readonly StoreRequest[]): number {
    const isGift = requests.every(({ verb }) => verb === 'refundReceipt')
    return processTime.monotonic() + (isGift ? neverMs : timeoutMs)
  }

  function runAll(requests: readonly StoreRequest[]): Promise<readonly Answer[]> {
    const voidAt = voidAtOf(requests)
    if (!client.isCluster) return run(requests, voidAt)
    const ask = (some: readonly StoreRequest[]) => run(some, voidAt)
    const undo = (some: readonly StoreRequest[]) => run(some, voidAtOf(some))
    return acrossSlots(ask, undo, (key, request) => keySlot(prefix, key, request))(requests)
  }

  /** Of a Cluster, a key says which master is asked; it is not touched. */
  async function pingAt(place: number): Promise<boolean> {
    const keys = client.isCluster ? [redisKey(prefix, 'ping', `${place}`)] : []
    try {
      readReply(await evaluate([], keys, pingArgs))
      return true
    } catch {
      return false
    }
  }

  return {
    async: true,
    async run(requests) {
      try {
        if (closed) throw sluiceError('SLUICE_STORE_CLOSED', 'redis')
        return await runAll(requests)
      } catch (cause) {
        const error = asStoreError(cause)
        return requests.map(() => error)
      }
    },
    ping: () => (closed ? Promise.resolve(false) : ping()),
    async close() {
      closed = true
    },
  }
}

function areAnswers(answers: readonly (Answer | typeof stale)[]): answers is readonly Answer[] {
  return !answers.includes(stale)
}

/** The second answer to a request whose first one was stale. */
function answered(answer: Answer | typeof stale | undefined): Answer {
  if (answer !== undefined && answer !== stale) return answer
  return sluiceError('SLUICE_STORE_FAILED', 'redis', 'its clock is far from ours')
}

/** Longer than any client keeps a call. */
const neverMs = 86_400_000

function asStoreError(cause: unknown): SluiceError {
  if (cause instanceof SluiceError) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  return sluiceErrorFrom(cause, 'SLUICE_STORE_FAILED', 'redis', reason)
}

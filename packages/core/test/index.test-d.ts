// Checked by the compiler alone: npm run check:types.
import type { Cluster, Redis } from 'ioredis'
import { expectTypeOf } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  notLimited,
  redisStore,
  slidingWindow,
  tokenBucket,
  type Algorithm,
  type AsyncStore,
  type Decision,
  type Duration,
  type FixedWindowPolicy,
  type Limiter,
  type MemoryStore,
  type Policy,
  type RedisClient,
  type SlidingWindowPolicy,
  type Status,
  type Store,
  type TokenBucketPolicy,
} from '../src/index.js'

declare const redis: Redis
declare const cluster: Cluster
declare const someStore: Store
const policies = slidingWindow({ limit: 100, window: '1m' })

// The type of the store determines whether a method returns a value or a promise.

const inMemory = createLimiter({ name: 'api', policies })
expectTypeOf(inMemory).toEqualTypeOf<Limiter<MemoryStore>>()
expectTypeOf(inMemory.consume('key')).toEqualTypeOf<Decision<MemoryStore>>()
expectTypeOf(inMemory.consume('key').lease?.release()).toEqualTypeOf<boolean | undefined>()
expectTypeOf(inMemory.peek('key')).toEqualTypeOf<Decision>()
expectTypeOf(inMemory.reset('key')).toEqualTypeOf<boolean>()
expectTypeOf(inMemory.close()).toEqualTypeOf<void>()

const given = createLimiter({ name: 'api', policies, store: memoryStore() })
expectTypeOf(given.consume('key')).toEqualTypeOf<Decision<MemoryStore>>()

const onRedis = createLimiter({ name: 'api', policies, store: redisStore(redis) })
expectTypeOf(onRedis).toEqualTypeOf<Limiter<AsyncStore>>()
expectTypeOf(onRedis.consume('key')).toEqualTypeOf<Promise<Decision<AsyncStore>>>()
expectTypeOf(onRedis.reset('key')).toEqualTypeOf<Promise<boolean>>()
expectTypeOf(onRedis.close()).toEqualTypeOf<Promise<void>>()

const onEither = createLimiter({ name: 'api', policies, store: someStore })
expectTypeOf(onEither.consume('key')).toEqualTypeOf<Decision | Promise<Decision>>()
expectTypeOf<Limiter['consume']>().returns.toEqualTypeOf<Decision | Promise<Decision>>()
expectTypeOf(await onEither.consume('key')).toEqualTypeOf<Decision>()

// Options in a variable.

const stated = { name: 'api', policies, store: memoryStore() }
expectTypeOf(createLimiter(stated)).toEqualTypeOf<Limiter<MemoryStore>>()

// The short form.

expectTypeOf(createLimiter({ name: 'api', limit: 5, window: '1m' })).toEqualTypeOf<
  Limiter<MemoryStore>
>()
expectTypeOf(
  createLimiter({
    name: 'api',
    limit: 5,
    window: 60_000,
    algorithm: gcra,
    store: redisStore(redis),
  }),
).toEqualTypeOf<typeof onRedis>()
const own: Algorithm = ({ limit, window }) => gcra({ limit, window, burst: 1 })
declare const window: Duration
const short: { limit: number; window: Duration; algorithm: Algorithm } = {
  limit: 5,
  window,
  algorithm: own,
}
createLimiter({ name: 'api', ...short, clock: Date.now })
// @ts-expect-error: no unit
createLimiter({ name: 'api', limit: 5, window: '60' })
// @ts-expect-error: no window
createLimiter({ name: 'api', limit: 5 })
// @ts-expect-error: no limit
createLimiter({ name: 'api', window: '1m' })
// @ts-expect-error: two forms
createLimiter({ name: 'api', limit: 5, window: '1m', policies })
// @ts-expect-error: the policy has an algorithm already
createLimiter({ name: 'api', policies, algorithm: gcra })
// @ts-expect-error: without HTTP, no request has a limit of its own
createLimiter({ name: 'api', limit: () => 5, window: '1m' })
// @ts-expect-error: a token bucket takes other options
createLimiter({ name: 'api', limit: 5, window: '1m', algorithm: tokenBucket })
// @ts-expect-error: no such option
createLimiter({ name: 'api', policy: policies })

// Every method that takes a key takes policies for the call.

const choice = { policies: { pro: policies } }
expectTypeOf(inMemory.status('key', choice)).toEqualTypeOf<Status>()
expectTypeOf(inMemory.penalize('key', 2, choice)).toEqualTypeOf<void>()
expectTypeOf(inMemory.refund('key', 2, choice)).toEqualTypeOf<boolean>()
expectTypeOf(inMemory.block('key', '1m', choice)).toEqualTypeOf<void>()
expectTypeOf(inMemory.unblock('key', choice)).toEqualTypeOf<void>()
expectTypeOf(inMemory.exempt('key', '1h', choice)).toEqualTypeOf<void>()
expectTypeOf(inMemory.unexempt('key', choice)).toEqualTypeOf<void>()
expectTypeOf(onRedis.exempt('key', '1h')).toEqualTypeOf<Promise<void>>()
expectTypeOf(inMemory.consume('key').exempt).toEqualTypeOf<true | undefined>()
expectTypeOf(inMemory.release('key', 'id', choice)).toEqualTypeOf<boolean>()
expectTypeOf(inMemory.renew('key', 'id', choice)).toEqualTypeOf<boolean>()
expectTypeOf(onRedis.status('key', choice)).toEqualTypeOf<Promise<Status>>()
expectTypeOf(inMemory.refund(inMemory.consume('key'), { policies: ['a'] })).toEqualTypeOf<boolean>()
// @ts-expect-error: the policies of a decision have names
inMemory.refund(inMemory.consume('key'), choice)
// @ts-expect-error: a decision is refunded with the policies that made it
inMemory.refund(inMemory.consume('key'), 1, choice)
// @ts-expect-error: no such option
inMemory.status('key', { policy: policies })

// Options in a variable need no `as const`.

const inVariable = { limit: 5, window: '1m' }
expectTypeOf(slidingWindow(inVariable)).toEqualTypeOf<SlidingWindowPolicy>()
expectTypeOf([inVariable].map(fixedWindow)).toEqualTypeOf<FixedWindowPolicy[]>()
const bucket = { capacity: 5, refill: 1, every: '1 second', block: { for: '1 hour' } }
expectTypeOf(tokenBucket(bucket)).toEqualTypeOf<TokenBucketPolicy>()
const algorithm: (options: { limit: number; window: Duration }) => Policy = gcra
expectTypeOf(algorithm(inVariable)).toEqualTypeOf<Policy>()

// Durations.

gcra({ limit: 5, window: '1 minute' })
gcra({ limit: 5, window: '1.5 hours' })
gcra({ limit: 5, window: '1w' })
gcra({ limit: 5, window: '10y' })
// @ts-expect-error: a month has no fixed length
gcra({ limit: 5, window: '1 month' })
// @ts-expect-error: the unit is missing
tokenBucket({ capacity: 5, refill: 1, every: '60' })
// @ts-expect-error: a word
concurrency({ limit: 5, lease: 'forever' })

// Clients.

expectTypeOf(redisStore(redis)).toEqualTypeOf<AsyncStore>()
expectTypeOf(redisStore(cluster, { prefix: 'app', timeout: '1s' })).toEqualTypeOf<AsyncStore>()
expectTypeOf(redisStore).toBeCallableWith({
  evalSha: async () => [],
  eval: async () => [],
  isCluster: false,
} satisfies RedisClient)
// @ts-expect-error: the address of a server is not a client
redisStore('redis://localhost')

// The type of a policy contains its numbers.

expectTypeOf(policies.kind).toEqualTypeOf<'slidingWindow'>()
expectTypeOf(tokenBucket({ capacity: 5, refill: 1, every: '1s' }).every).toEqualTypeOf<number>()
expectTypeOf(fixedWindow({ limit: 1, window: 1000 })).toExtend<Policy>()
expectTypeOf(gcra({ limit: 1, window: 1000 })).toExtend<Policy>()
expectTypeOf<Decision['retryAfterMs']>().toEqualTypeOf<number | null>()

// Keys.

inMemory.consume(['user', '42'])
inMemory.consume(['user', 42])
inMemory.consume({ default: 'user:42' })
inMemory.consume(notLimited)
const prepared = { default: policies.limit > 5 ? ['user', 42] : notLimited }
inMemory.consume(prepared)
inMemory.consume({ default: notLimited })
// @ts-expect-error: undefined is not a key
inMemory.consume(undefined)
// @ts-expect-error: null is not a key
inMemory.consume(null)
// @ts-expect-error: undefined is not a key of one policy
inMemory.consume({ default: null })
// @ts-expect-error: a list is not a part of a key
inMemory.consume(['user', ['42']])
// @ts-expect-error: only the symbol `notLimited` excludes a policy
inMemory.consume(Symbol('notLimited'))
// @ts-expect-error: a number is not a key
inMemory.consume(42)

// Invalid options do not compile.

// @ts-expect-error: the limit is a number
slidingWindow({ limit: '100', window: '1m' })
// @ts-expect-error: a duration without a unit
slidingWindow({ limit: 100, window: '60' })
// @ts-expect-error: the name of an option in another library
slidingWindow({ limit: 100, windowMs: 60_000 })
// @ts-expect-error: a window is missing
slidingWindow({ limit: 100 })
// @ts-expect-error: no such alignment
fixedWindow({ limit: 100, window: '1m', align: 'end' })
// @ts-expect-error: the name is missing
createLimiter({ policies })
// @ts-expect-error: the policies are missing
createLimiter({ name: 'api' })
// @ts-expect-error: no such option
createLimiter({ name: 'api', policies, windowMs: 1000 })
// @ts-expect-error: a client is not a store
createLimiter({ name: 'api', policies, store: redis })
// @ts-expect-error: no such option of a call
inMemory.consume('key', { weight: 2 })
// @ts-expect-error: the fields of a decision are read-only
inMemory.consume('key').allowed = true

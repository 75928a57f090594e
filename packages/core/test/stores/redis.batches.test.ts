import { setTimeout as delay } from 'node:timers/promises'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  redisStore,
  slidingLog,
  slidingWindow,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { beforeEach, expect, test } from 'vitest'

const server = useRedis()
beforeEach(async () => {
  await server.connection.flushall()
})

async function callsOf(work: () => Promise<unknown>): Promise<Record<string, number>> {
  await server.connection.config('RESETSTAT')
  await work()
  const stats = await server.connection.info('commandstats')
  const counted = [...stats.matchAll(/cmdstat_(evalsha|hmget|hset):calls=(\d+)/g)]
  return Object.fromEntries(counted.map(([, name, calls]) => [name, Number(calls)]))
}

function times<T>(count: number, ask: (i: number) => Promise<T>): Promise<readonly T[]> {
  return Promise.all(Array.from({ length: count }, (_, i) => ask(i)))
}

test('limiters have separate calls, and requests of one key that follow each other share a read and a write', async () => {
  const store = redisStore(server.connection, { timeout: '10s' })
  const log = createLimiter({ name: 'log', policies: gcra({ limit: 90, window: '1h' }), store })
  const api = createLimiter({
    name: 'api',
    policies: fixedWindow({ limit: 90, window: '1h', block: { for: '1h' } }),
    store,
  })
  const both = async (i: number) => Promise.all([log.consume(`k${i % 4}`), api.consume('hot')])
  await both(0)
  // The first request of `log` is alone in its call. Those of `api` are about one key.
  expect(await callsOf(() => times(30, both))).toEqual({ evalsha: 3, hmget: 31, hset: 31 })
})

test('of a hundred simultaneous requests for one key the first fifty are allowed, in their order', async () => {
  const store = redisStore(server.connection, { timeout: '10s' })
  const policies = fixedWindow({ limit: 50, window: '1h' })
  const limiter = createLimiter({ name: 'api', policies, store })
  const decisions = await times(100, () => limiter.consume('hot'))
  expect(decisions.map(({ remaining }) => remaining)).toEqual([
    ...Array.from({ length: 50 }, (_, i) => 49 - i),
    ...Array(50).fill(0),
  ])
  expect(decisions.map(({ allowed }) => allowed)).toEqual([
    ...Array(50).fill(true),
    ...Array(50).fill(false),
  ])
})

test('requests for one key are decided in their order, whatever their methods and costs', async () => {
  const store = redisStore(server.connection, { timeout: '10s' })
  const policies = slidingLog({ limit: 10, window: '1h' })
  const limiter = createLimiter({ name: 'api', policies, store })
  const first = limiter.consume('ann', { cost: 6 })
  const answers = [
    limiter.peek('ann', { cost: 5 }),
    limiter.consume('ann', { cost: 4 }),
    limiter.consume('ann'),
    limiter.reset('ann').then(() => limiter.peek('ann')),
  ]
  expect((await first).remaining).toBe(4)
  const shown = (await Promise.all(answers)).map(({ allowed, remaining }) => [allowed, remaining])
  expect(shown).toEqual([
    [false, 4],
    [true, 0],
    [false, 0],
    [true, 10],
  ])
})

test('requests of different times share a call, and each of them is decided by its own', async () => {
  let now = Date.UTC(2026, 0, 1)
  const store = redisStore(server.connection, { timeout: '10s' })
  const policies = slidingWindow({ limit: 3, window: 1000 })
  const limiter = createLimiter({ name: 'api', policies, store, clock: () => now })
  await limiter.consume('ann')
  const expected = createLimiter({ name: 'api', policies, store: memoryStore(), clock: () => now })
  expected.consume('ann')
  const calls = await callsOf(async () => {
    await times(20, async (i) => {
      now += 100
      const key = i % 2 === 0 ? 'ann' : 'bob'
      const { retryAfterMs, remaining } = expected.consume(key)
      expect(await limiter.consume(key)).toMatchObject({ retryAfterMs, remaining })
    })
  })
  expect(calls['evalsha']).toBe(3)
})

test('8000 single requests about one log, each of a later time, share their calls', async () => {
  let now = Date.UTC(2026, 0, 1)
  const store = redisStore(server.connection, { timeout: '30s' })
  const policies = slidingLog({ limit: 8000, window: '1h' })
  const limiter = createLimiter({
    name: 'api',
    policies,
    store,
    clock: () => now,
    denyCache: false,
  })
  const calls = await callsOf(async () => {
    const decisions = await times(8000, () => {
      now++
      return limiter.consume('hot')
    })
    expect(decisions.findIndex(({ remaining }, i) => remaining !== 7999 - i)).toBe(-1)
  })
  expect((await limiter.consume('hot')).allowed).toBe(false)
  expect(calls['evalsha']).toBeLessThan(400)
})

test('a release, a reset, and consumptions of leases run in their order, even if Redis does not know their scripts', async () => {
  await server.connection.script('FLUSH')
  const store = redisStore(server.connection, { timeout: '10s' })
  const policies = concurrency({ limit: 1, lease: '1m' })
  const limiter = createLimiter({ name: 'api', policies, store })
  const first = await limiter.consume('job')
  const held = await Promise.all([
    limiter.consume('job'),
    first.lease?.release(),
    limiter.consume('job'),
    limiter.reset('job'),
    limiter.consume('job'),
    limiter.consume('job'),
  ])
  expect(held.map((one) => (typeof one === 'object' ? one.allowed : one))).toEqual([
    false,
    true,
    true,
    true,
    true,
    false,
  ])
})

test('simultaneous penalties and refunds have their own numbers of units', async () => {
  const store = redisStore(server.connection, { timeout: '10s' })
  const policies = slidingLog({ limit: 100, window: '1h' })
  const limiter = createLimiter({ name: 'api', policies, store })
  const keys = ['ann', 'bob', 'eve']
  const remaining = async () =>
    Promise.all(keys.map(async (key) => (await limiter.peek(key)).remaining))
  await Promise.all(keys.map(async (key, i) => limiter.penalize(key, 10 * (i + 1))))
  expect(await remaining()).toEqual([90, 80, 70])
  const decisions = await Promise.all(
    keys.map(async (key, i) => limiter.consume(key, { cost: i + 1 })),
  )
  await Promise.all(decisions.map(async (decision) => limiter.refund(decision)))
  expect(await remaining()).toEqual([90, 80, 70])
  await Promise.all(keys.map(async (key, i) => limiter.refund(key, 10 * (i + 1))))
  expect(await remaining()).toEqual([100, 100, 100])
})

test('simultaneous refunds are those of their own windows', async () => {
  const store = redisStore(server.connection, { timeout: '10s' })
  const policies = fixedWindow({ limit: 10, window: '1h' })
  const limiter = createLimiter({ name: 'api', policies, store })
  const decisions = []
  for (const key of ['ann', 'bob', 'eve']) {
    decisions.push(await limiter.consume(key))
    await delay(3)
  }
  await Promise.all(decisions.map(async (decision) => limiter.refund(decision)))
  const left = await Promise.all(['ann', 'bob', 'eve'].map(async (key) => limiter.peek(key)))
  expect(left.map(({ remaining }) => remaining)).toEqual([10, 10, 10])
})

test('one bad key among 128 fails alone', async () => {
  const store = redisStore(server.connection, { timeout: '10s' })
  const policies = fixedWindow({ limit: 5, window: '1h' })
  const limiter = createLimiter({ name: 'api', policies, store, onStoreError: 'deny' })
  await server.connection.set('sluice:api:1{k77}', 'of somebody else')
  const decisions = await times(128, (i) => limiter.consume(`k${i}`))
  const bad = decisions.flatMap(({ source }, i) => (source === 'store' ? [] : [[i, source]]))
  expect(bad).toEqual([[77, 'closed']])
  expect(await server.connection.get('sluice:api:1{k77}')).toBe('of somebody else')
})

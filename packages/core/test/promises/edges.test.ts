import { randomUUID } from 'node:crypto'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  redisStore,
  slidingLog,
  slidingWindow,
  staged,
  type Limiter,
  type Policies,
  type Store,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { beforeEach, describe, expect, test } from 'vitest'

// Cases that random traffic reaches too rarely, in both stores.

const server = useRedis()
const start = 1_763_683_200_000
const wordMs = 2 ** 32

describe.each<[string, () => Store]>([
  ['memory', () => memoryStore()],
  ['redis', () => redisStore(server.connection, { timeout: '20s' })],
])('over %s', (_, openStore) => {
  let now: number
  beforeEach(() => {
    now = start
  })

  function limiterOf(policies: Policies): Limiter {
    return createLimiter({ name: randomUUID(), policies, store: openStore(), clock: () => now })
  }

  describe('a log over weeks', () => {
    const limit = 100
    const windowMs = 31_536_000_000

    // Redis stores records in chunks, and a memory store in a ring that grows. These counts include each boundary of both.
    test.each([1, 2, 17, 20, 21, 25, 26, 32, 33, 40, 41, 61, 62, 63])(
      'with %i records keeps the time of a record that is 2^32 ms after the first',
      async (records) => {
        for (const after of [wordMs - 1, wordMs, wordMs + 1]) {
          const limiter = limiterOf(slidingLog({ limit, window: windowMs }))
          for (let i = 0; i < records; i++) {
            now = start + i
            await limiter.consume('key')
          }
          now = start + after
          await limiter.consume('key', { cost: 2 })
          now += 10
          await limiter.consume('key')
          now = start + windowMs + records - 1
          const { remaining, resetMs, policies } = await limiter.peek('key')
          const nextMs = after - (records - 1)
          expect([remaining, resetMs]).toEqual([limit - 3, nextMs + 10])
          expect(policies['default'].nextMs).toBe(nextMs)
        }
      },
    )
  })

  describe('leases', () => {
    test('of any number that began in one millisecond end in one millisecond', async () => {
      const limiter = limiterOf(concurrency({ limit: 3000, lease: 1000 }))
      const granted = await limiter.consumeMany(
        Array.from({ length: 1100 }, () => ({ key: 'key' })),
      )
      expect(granted.every(({ allowed }) => allowed)).toBe(true)
      now += 999
      expect(await limiter.peek('key')).toMatchObject({ remaining: 1900, resetMs: 1 })
      now += 1
      expect(await limiter.peek('key')).toMatchObject({ remaining: 3000, resetMs: 0 })
    })

    test('of an owner that a refund by count ended can be neither released nor renewed', async () => {
      const limiter = limiterOf(concurrency({ limit: 3, lease: '1h' }))
      await limiter.consume('key')
      now++
      const { lease } = await limiter.consume('key', { owner: 'ann' })
      now++
      await limiter.consume('key', { owner: 'ann' })
      await limiter.refund('key', 1)
      expect([await lease?.renew(), await lease?.release()]).toEqual([false, false])
      expect((await limiter.peek('key')).remaining).toBe(2)
    })

    test('of an owner have no units left over from those that it held before', async () => {
      const limiter = limiterOf(concurrency({ limit: 9, lease: '1h' }))
      await limiter.consume('key', { cost: 2 })
      const first = await limiter.consume('key', { owner: 'ann', cost: 4 })
      await first.lease?.release()
      const second = await limiter.consume('key', { owner: 'ann' })
      expect(second.remaining).toBe(6)
      await second.lease?.release()
      expect((await limiter.peek('key')).remaining).toBe(7)
    })

    test('after a take, the remaining units are those for other owners', async () => {
      const limiter = limiterOf(concurrency({ limit: 1, lease: '1h' }))
      const taken = await limiter.consume('key', { owner: 'ann' })
      expect(taken.policies['default']).toMatchObject({ remaining: 0, nextMs: 3_600_000 })
      expect(await limiter.consume('key', { owner: 'bob' })).toMatchObject({
        allowed: false,
        retryAfterMs: 3_600_000,
      })
    })
  })

  describe('of two stages', () => {
    const second = gcra({ limit: 2, window: '1h' })

    test('a penalty of 0 does not restart the second stage', async () => {
      const limiter = limiterOf(
        staged({ free: fixedWindow({ limit: 1, window: '1h' }), then: second }),
      )
      await limiter.consume('key')
      await limiter.consume('key')
      const before = await limiter.peek('key')
      await limiter.penalize('key', 0)
      expect(await limiter.peek('key')).toEqual(before)
      expect(before.remaining).toBe(0)
    })

    test('a request that was counted in both stages is refunded in both', async () => {
      const limiter = limiterOf(
        staged({ free: fixedWindow({ limit: 3, window: '1h' }), then: second }),
      )
      await limiter.consume('key')
      const both = await limiter.consume('key', { cost: 2 })
      expect(both.remaining).toBe(0)
      await limiter.refund(both)
      const { policies } = await limiter.status('key')
      expect(policies['default']).toMatchObject({ limit: 3, used: 1 })
      expect((await limiter.consume('key')).remaining).toBe(2)
      expect((await limiter.consume('key')).remaining).toBe(1)
    })

    test('a refund of an earlier use of the second stage does not affect a later one', async () => {
      const limiter = limiterOf(
        staged({ free: fixedWindow({ limit: 1, window: 1000 }), then: second }),
      )
      await limiter.consume('key')
      const early = await limiter.consume('key')
      now += 1000
      await limiter.consume('key')
      const before = await limiter.peek('key')
      await limiter.refund(early)
      expect(await limiter.peek('key')).toEqual(before)
      expect(before.remaining).toBe(1)
    })
  })

  test('a queue allows its largest cost, and no larger one', async () => {
    const greatest = 3652.5 * 86_400
    const queue = leakyQueue({ leak: 1, every: '1s', maxDelay: '5s' })
    const tooMuch = await limiterOf(queue).consume('key', { cost: greatest + 1 })
    expect(tooMuch).toMatchObject({ allowed: false, retryAfterMs: null })
    expect((await limiterOf(queue).consume('key', { cost: greatest })).allowed).toBe(true)
  })

  test.each([
    ['fixedWindow', fixedWindow({ limit: 5, window: '1h' })],
    ['slidingWindow', slidingWindow({ limit: 5, window: '1h' })],
    ['slidingWindow, weighted', slidingWindow({ limit: 5, window: '1h', tail: 'weighted' })],
    ['slidingLog', slidingLog({ limit: 5, window: '1h' })],
  ])(
    'a count that was refunded completely and started again keeps its new units: %s',
    async (_, policy) => {
      const limiter = limiterOf(policy)
      const early = await limiter.consume('key', { cost: 2 })
      await limiter.refund('key', 2)
      now += 1
      await limiter.consume('key', { cost: 2 })
      await limiter.refund(early)
      expect((await limiter.peek('key')).remaining).toBe(3)
    },
  )

  test('a row that one call empties and starts again keeps its new units', async () => {
    const tail = 'weighted'
    const limiter = limiterOf(slidingWindow({ limit: 5, window: '1h', tail }))
    const early = await limiter.consume('key', { cost: 2 })
    now += 1
    await Promise.all([limiter.refund('key', 2), limiter.penalize('key', 2)])
    await limiter.refund(early)
    expect((await limiter.peek('key')).remaining).toBe(3)
  })

  test.each([2 ** 16, 2 ** 32])('a count of %i is exact to the unit', async (cost) => {
    const limiter = limiterOf(fixedWindow({ limit: 2 * cost, window: '10m' }))
    await limiter.consume('key', { cost: cost - 1 })
    await limiter.penalize('key', 1)
    expect((await limiter.peek('key')).remaining).toBe(cost)
    await limiter.refund('key', 1)
    await limiter.consume('key')
    expect((await limiter.peek('key')).remaining).toBe(cost)
  })

  test('two refunds in one turn refund the units of their own decisions', async () => {
    const limiter = limiterOf(slidingLog({ limit: 5, window: '1h' }))
    const first = await limiter.consume('key')
    now += 5
    const second = await limiter.consume('key')
    await Promise.all([limiter.refund(first), limiter.refund(second)])
    expect((await limiter.peek('key')).remaining).toBe(5)
  })

  test('a reset deletes the counts of another algorithm under the same name', async () => {
    const policies = [
      fixedWindow({ limit: 5, window: '1h' }),
      gcra({ limit: 5, window: '1h' }),
      slidingLog({ limit: 5, window: '1h' }),
    ]
    for (const counted of policies) {
      for (const other of policies) {
        const limiter = limiterOf(counted)
        await limiter.consume('key', { cost: 4 })
        await limiter.reset('key', { policies: other })
        expect((await limiter.peek('key')).remaining).toBe(5)
      }
    }
  })
})

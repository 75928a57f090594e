import {
  calendarWindow,
  fixedWindow,
  gcra,
  leakyBucket,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Decision,
  type Policy,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenSetup } from '../setup.js'

export function describeChangedPolicies(open: OpenSetup): void {
  describe('a limit that changed', () => {
    const windows: readonly (readonly [string, (limit: number) => Policy])[] = [
      ['fixedWindow', (limit) => fixedWindow({ limit, window: '1h' })],
      ['fixedWindow on the clock', (limit) => fixedWindow({ limit, window: '1h', align: 'clock' })],
      ['calendarWindow', (limit) => calendarWindow({ limit, period: 'hour', timeZone: 'UTC' })],
      ['slidingWindow', (limit) => slidingWindow({ limit, window: '1h' })],
      ['slidingWindow in buckets', (limit) => slidingWindow({ limit, window: '1h', buckets: 60 })],
    ]
    test.each(windows)('%s keeps the units used', async (_name, policy) => {
      const limiter = (await open()).limiter(policy(10))
      await limiter.consume('key', { cost: 6 })
      const asked = { policies: policy(20) }
      expect(limitAndRest(await limiter.consume('key', asked))).toEqual([true, 20, 13])
      expect(limitAndRest(await limiter.consume('key', { policies: policy(7) }))).toEqual([
        false,
        7,
        0,
      ])
      expect(limitAndRest(await limiter.consume('key', { policies: policy(5) }))).toEqual([
        false,
        5,
        0,
      ])
      expect(limitAndRest(await limiter.peek('key'))).toEqual([true, 10, 3])
    })

    const paced: readonly (readonly [string, (limit: number) => Policy])[] = [
      ['gcra', (limit) => gcra({ limit, window: '1h' })],
      ['tokenBucket', (limit) => tokenBucket({ capacity: limit, refill: limit * 2, every: '1h' })],
      ['leakyBucket', (limit) => leakyBucket({ capacity: limit, leak: limit * 3, every: '1h' })],
    ]
    test.each(paced)('%s keeps the share used', async (_name, policy) => {
      const limiter = (await open()).limiter(policy(10))
      await limiter.consume('key', { cost: 5 })
      const twice = { policies: policy(20) }
      expect(limitAndRest(await limiter.consume('key', { ...twice, cost: 2 }))).toEqual([
        true,
        20,
        8,
      ])
      expect(limitAndRest(await limiter.peek('key'))).toEqual([true, 10, 4])
      const none = { policies: policy(5), cost: 3 }
      expect(limitAndRest(await limiter.consume('key', none))).toEqual([false, 5, 2])
    })

    test('a call by another policy that takes and refunds nothing leaves the wait as it is', async () => {
      const setup = await open()
      const limiter = setup.limiter(gcra({ limit: 3, window: '1h' }))
      const pro = { policies: gcra({ limit: 1000, window: '1m' }) }
      const earlier = await limiter.consume('key', pro)
      setup.now += 60_000
      await limiter.consume('key', { cost: 3 })
      await limiter.refund(earlier)
      await limiter.refund('key', 0, pro)
      await limiter.penalize('key', 0, pro)
      await limiter.consume('key', { ...pro, cost: 0 })
      expect(await limiter.peek('key')).toMatchObject({
        retryAfterMs: 1_200_000,
        resetMs: 3_600_000,
      })
    })

    test('a decision by an earlier policy returns no units of a later one', async () => {
      const setup = await open()
      const limiter = setup.limiter(gcra({ limit: 1000, window: '1m' }))
      const earlier = await limiter.consume('key', { policies: gcra({ limit: 3, window: '1h' }) })
      await limiter.consume('key', { cost: 600 })
      const before = await limiter.peek('key')
      await limiter.refund(earlier)
      expect(await limiter.peek('key')).toMatchObject({
        remaining: before.remaining,
        resetMs: before.resetMs,
      })
    })

    test.each([
      { tail: 'spread', buckets: 1 },
      { tail: 'weighted', buckets: 1 },
      { tail: 'weighted', buckets: 4 },
      { tail: 'truncated', buckets: 4 },
    ] as const)(
      'a refund returns no unit of a request under another window length: %o',
      async (options) => {
        const hour = { policies: slidingWindow({ limit: 5, window: '1h', ...options }) }
        const setup = await open()
        const limiter = setup.limiter(slidingWindow({ limit: 5, window: '1m', ...options }))
        setup.now = Date.UTC(2030, 0, 1)
        const first = await limiter.consume('key', { ...hour, cost: 5 })
        // The minute forgets the first request. Then both lengths begin a sub-window.
        setup.now += (3_600_000 - 60_000) / options.buckets
        await limiter.consume('key', { cost: 5 })
        setup.now += 60_000 / options.buckets
        await limiter.refund(first)
        expect((await limiter.peek('key', hour)).remaining).toBe(0)
      },
    )

    test.each([
      ['slidingLog', slidingLog],
      ['slidingWindow', slidingWindow],
    ] as const)(
      'a refund by a shorter window that has passed changes no units of a longer one: %s',
      async (_, policy) => {
        const setup = await open()
        const limiter = setup.limiter(policy({ limit: 20, window: '1h' }))
        const first = await limiter.consume('key', {
          policies: policy({ limit: 20, window: '1m' }),
          cost: 7,
        })
        setup.now += 30_000
        await limiter.consume('key', { cost: 5 })
        setup.now += 120_000
        await limiter.refund(first)
        expect((await limiter.peek('key')).remaining).toBe(8)
      },
    )
  })

  describe('a key whose policy changed while it was used up', () => {
    type Limits = readonly [units: number, every: string]
    const minute: Limits = [10, '1m']
    const day: Limits = [1000, '1d']
    const kinds: readonly (readonly [string, (...limits: Limits) => Policy])[] = [
      ['gcra', (limit, window) => gcra({ limit, window })],
      ['tokenBucket', (capacity, every) => tokenBucket({ capacity, refill: capacity, every })],
      ['leakyBucket', (capacity, every) => leakyBucket({ capacity, leak: capacity, every })],
    ]
    const changes: readonly (readonly [string, Limits, Limits])[] = [
      ['a smaller one', day, minute],
      ['a larger one', minute, day],
    ]
    const cases = kinds.flatMap(([kind, policy]) =>
      changes.map(([change, before, after]) => [kind, change, before, after, policy] as const),
    )
    test.each(cases)(
      '%s, by %s: its waits are right, although it was denied meanwhile',
      async (_kind, _change, before, after, policy) => {
        const setup = await open()
        const limiter = setup.limiter(policy(...before))
        await limiter.consume('key', { cost: before[0] + 1 })
        for (let full = false; !full;) full = !(await limiter.consume('key')).allowed
        const asked = { policies: policy(...after) }
        setup.now += 7
        const { retryAfterMs, resetMs } = await limiter.consume('key', asked)
        const deniedAt = setup.now
        setup.now += Math.floor((retryAfterMs ?? 0) / 2)
        await limiter.consume('key', asked)
        setup.now = deniedAt + (retryAfterMs ?? 0) - 1
        expect((await limiter.consume('key', asked)).allowed).toBe(false)
        setup.now += 1
        expect((await limiter.peek('key', asked)).allowed).toBe(true)
        setup.now = deniedAt + resetMs - 1
        const almost = await limiter.peek('key', asked)
        expect(almost.remaining).toBeLessThan(almost.limit)
        setup.now += 1
        expect((await limiter.peek('key', asked)).remaining).toBe(almost.limit)
      },
    )
  })

  describe('policies chosen for one call', () => {
    test('replace those of the limiter, and do not change the counts of others', async () => {
      const day = fixedWindow({ limit: 5, window: '1d' })
      const limiter = (await open()).limiter({ day, pace: gcra({ limit: 3, window: '1d' }) })
      await limiter.consume('key')
      const chosen = { policies: { day } }
      const { policies } = await limiter.consume('key', { ...chosen, cost: 2 })
      expect(Object.keys(policies)).toEqual(['day'])
      const after = await limiter.peek('key')
      expect([after.policies['day'].remaining, after.policies['pace'].remaining]).toEqual([2, 2])
    })

    test('may be plain data', async () => {
      const limiter = (await open()).limiter(fixedWindow({ limit: 5, window: '1d' }))
      await limiter.consume('key', { cost: 2 })
      const plain: unknown = JSON.parse(JSON.stringify(fixedWindow({ limit: 3, window: '1d' })))
      const asked = { policies: plain as Policy }
      expect(limitAndRest(await limiter.consume('key', asked))).toEqual([true, 3, 0])
    })
  })

  test('a bucket keeps its used share when its size, its rate or its kind changes', async () => {
    const small = tokenBucket({ capacity: 10, refill: 1, every: '1s' })
    const limiter = (await open()).limiter(small)
    await limiter.consume('key', { cost: 5 })
    const others = [
      tokenBucket({ capacity: 100, refill: 1, every: '1s' }),
      tokenBucket({ capacity: 10, refill: 2, every: '1s' }),
      leakyBucket({ capacity: 20, leak: 20, every: '7d' }),
      gcra({ limit: 100, window: '1h' }),
    ]
    const halves: number[][] = []
    for (const policies of others) {
      await limiter.consume('key', { cost: 1, policies })
      const { limit, remaining } = await limiter.consume('key', { cost: 0, policies })
      halves.push([limit, remaining])
      await limiter.reset('key')
      await limiter.consume('key', { cost: 5 })
    }
    expect(halves).toEqual([
      [100, 49],
      [10, 4],
      [20, 9],
      [100, 49],
    ])
  })
}

function limitAndRest({ allowed, limit, remaining }: Decision) {
  return [allowed, limit, remaining]
}

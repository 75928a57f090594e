import { fixedWindow, gcra, slidingWindow, tokenBucket, type Policy } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import { today, type Setup, type OpenSetup } from '../setup.js'

const year2100 = 4_102_444_800_000
const dayMs = 86_400_000

export function describeTime(open: OpenSetup): void {
  describe.each([
    { era: 'at the epoch', start: 0 },
    { era: 'today', start: today },
    { era: 'in the year 2100', start: year2100 },
  ])('$era', ({ start }) => {
    test.each(sizedAlgorithms)(
      '$name: allowed units expire a window later, and not before',
      async (s) => {
        const setup = await open(start)
        const { policy, createModel } = s.sample(1, 1000)
        const { resetMs } = createModel().consume(start, 1)
        const limiter = setup.limiter(policy)
        expect((await limiter.consume('key')).resetMs).toBe(resetMs)
        setup.now = start + resetMs - 1
        expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
        setup.now++
        expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 0 })
      },
    )

    test('three per second are available at 334, 667 and 1000 ms: thirds of a millisecond are kept', async () => {
      const expected = [0, 0, 0, 334, 667, 1000, 1334, 1667, 2000]
      const setup = await open(start)
      expect(await admittedUntil(setup, gcra({ limit: 3, window: 1000 }), 2000)).toEqual(expected)
      const bucket = tokenBucket({ capacity: 3, refill: 3, every: 1000 })
      expect(await admittedUntil(setup, bucket, 2000)).toEqual(expected)
    })

    test('three per hour are available every twenty minutes, to the millisecond', async () => {
      const setup = await open(start)
      const limiter = setup.limiter(gcra({ limit: 3, window: '1h', burst: 1 }))
      await limiter.consume('key')
      setup.now += 1_199_999
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      setup.now += 1
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 0 })
      expect((await limiter.peek('key')).retryAfterMs).toBe(1_200_000)
    })

    test('ten million per second make ten thousand available in a millisecond, and no more', async () => {
      const setup = await open(start)
      const limiter = setup.limiter(gcra({ limit: 10_000_000, window: 1000 }))
      await limiter.consume('key', { cost: 9_999_999 })
      expect((await limiter.consume('key')).remaining).toBe(0)
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      setup.now++
      expect((await limiter.peek('key')).remaining).toBe(10_000)
      expect(await limiter.consume('key', { cost: 10_001 })).toMatchObject({ retryAfterMs: 1 })
      expect((await limiter.consume('key', { cost: 1 })).remaining).toBe(9_999)
      expect((await limiter.consume('key', { cost: 9_999 })).resetMs).toBe(1000)
    })

    test('ten million per second are counted exactly in windows', async () => {
      const setup = await open(start)
      for (const policy of [
        fixedWindow({ limit: 10_000_000, window: 1000 }),
        slidingWindow({ limit: 10_000_000, window: 1000 }),
      ]) {
        const limiter = setup.limiter(policy)
        await limiter.consume('key', { cost: 9_999_999 })
        expect((await limiter.consume('key')).remaining).toBe(0)
        expect((await limiter.consume('key')).allowed).toBe(false)
      }
    })

    test('one per seven days is available after seven days', async () => {
      const setup = await open(start)
      for (const policy of [
        fixedWindow({ limit: 1, window: '7d' }),
        gcra({ limit: 1, window: '7d' }),
        tokenBucket({ capacity: 1, refill: 1, every: '7d' }),
      ]) {
        setup.now = start
        const limiter = setup.limiter(policy)
        await limiter.consume('key')
        expect((await limiter.consume('key')).retryAfterMs).toBe(7 * dayMs)
        setup.now += 7 * dayMs - 1
        expect((await limiter.consume('key')).retryAfterMs).toBe(1)
        setup.now++
        expect((await limiter.consume('key')).allowed).toBe(true)
      }
    })
  })

  describe('windows on the clock', () => {
    test('begin when the time minus the offset is a multiple of the window', async () => {
      const setup = await open(today)
      const policy = fixedWindow({ limit: 2, window: '1d', align: 'clock', offset: '8h' })
      const limiter = setup.limiter(policy)
      setup.now = today + dayMs / 3 - 1
      expect((await limiter.consume('key', { cost: 2 })).resetMs).toBe(1)
      setup.now++
      expect((await limiter.consume('key')).resetMs).toBe(dayMs)
    })

    test('half of the used units count half a window later, if the tail is weighted', async () => {
      const setup = await open(today)
      const limiter = setup.limiter(slidingWindow({ limit: 10, window: 1000, tail: 'weighted' }))
      setup.now = today + 999
      await limiter.consume('key', { cost: 10 })
      setup.now = today + 1499
      expect(await limiter.consume('key', { cost: 5 })).toMatchObject({
        allowed: false,
        remaining: 4,
        retryAfterMs: 1,
        resetMs: 501,
      })
      setup.now++
      expect((await limiter.consume('key', { cost: 5 })).remaining).toBe(0)
      expect((await limiter.peek('key')).retryAfterMs).toBe(100)
    })
  })

  test('a fraction of a millisecond is cut off', async () => {
    const setup = await open(today + 0.9)
    const limiter = setup.limiter(fixedWindow({ limit: 1, window: 10 }))
    await limiter.consume('key')
    setup.now = today + 9.99
    expect((await limiter.consume('key')).retryAfterMs).toBe(1)
    setup.now = today + 10
    expect((await limiter.consume('key')).allowed).toBe(true)
  })
}

/** Sends requests until one is denied, and again one millisecond before and at the end of its wait. Returns the times of the allowed ones. */
async function admittedUntil(setup: Setup, policy: Policy, untilMs: number): Promise<number[]> {
  const start = setup.now
  const limiter = setup.limiter(policy)
  const admitted: number[] = []
  while (setup.now <= start + untilMs) {
    const { allowed, retryAfterMs } = await limiter.consume('key')
    if (allowed) admitted.push(setup.now - start)
    else setup.now += Math.max(1, Number(retryAfterMs) - 1)
  }
  setup.now = start
  return admitted
}

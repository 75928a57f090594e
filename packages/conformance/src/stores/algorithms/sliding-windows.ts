import { slidingWindow, type Limiter } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { unitsWithin } from '../../samples/promises.js'
import type { Admission } from '../../models/model.js'
import { today, type Setup, type OpenSetup } from '../setup.js'

const hourMs = 3_600_000
const dayMs = 86_400_000

export function describeSlidingWindows(open: OpenSetup): void {
  describe('a sliding window', () => {
    test('with a limit of one per hour allows the next request an hour later', async () => {
      const setup = await open(today + 12_345)
      const limiter = setup.limiter(slidingWindow({ limit: 1, window: '1h' }))
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, resetMs: hourMs })
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: hourMs })
      setup.now += hourMs - 1
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      setup.now += 1
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, retryAfterMs: 0 })
    })

    test('of two per minute makes each unit available again a minute after it was taken', async () => {
      const setup = await open(today + 33_000)
      const limiter = setup.limiter(slidingWindow({ limit: 2, window: '1m' }))
      expect(await admittedAt(setup, limiter, [0, 13_000, 59_999, 60_000, 72_999, 73_000])).toEqual(
        [0, 13_000, 60_000, 73_000],
      )
      expect((await limiter.consume('key')).retryAfterMs).toBe(47_000)
    })

    test('with a limit of ten per second allows ten again a second after a burst, at any position in the window', async () => {
      for (const offsetMs of [0, 1, 500, 999]) {
        const setup = await open(today + offsetMs)
        const limiter = setup.limiter(slidingWindow({ limit: 10, window: '1s' }))
        await limiter.consume('key', { cost: 10 })
        expect((await limiter.consume('key')).retryAfterMs).toBe(1000)
        setup.now += 1000
        expect(await limiter.consume('key', { cost: 10 })).toMatchObject({ allowed: true })
      }
    })

    test('counts the older window as if its units had been taken evenly between the first and the last', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 5, window: 1000 }))
      await limiter.consume('key')
      setup.now += 10
      await limiter.consume('key', { cost: 2 })
      setup.now += 890
      // Four units from 0 to 900: they count as taken at 0, 300, 600 and 900.
      expect((await limiter.consume('key')).remaining).toBe(1)
      const remaining: number[][] = []
      for (const at of [999, 1000, 1299, 1300, 1599, 1600, 1899, 1900]) {
        setup.now = today + at
        const { policies } = await limiter.peek('key')
        remaining.push([at, policies['default'].remaining, policies['default'].nextMs])
      }
      expect(remaining).toEqual([
        [999, 1, 1],
        [1000, 2, 300],
        [1299, 2, 1],
        [1300, 3, 300],
        [1599, 3, 1],
        [1600, 4, 300],
        [1899, 4, 1],
        [1900, 5, 0],
      ])
    })

    test('returns exact waits that end when the current window is the older one', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 5, window: 1000 }))
      await limiter.consume('key', { cost: 2 })
      setup.now += 1000
      await limiter.consume('key')
      setup.now += 500
      await limiter.consume('key', { cost: 2 })
      setup.now += 100
      await limiter.consume('key', { cost: 2 })
      const waits: (number | null)[] = []
      for (const cost of [1, 2, 3, 5, 6]) {
        waits.push((await limiter.consume('key', { cost })).retryAfterMs)
      }
      // Units at 1000, 1150, 1300, 1450 and 1600, seen from 1600.
      expect(waits).toEqual([400, 550, 700, 1000, null])
    })

    // One unit opens a window, the others come at its end, and the next window takes each unit as the older ones leave.
    test.each([
      [1, 1],
      [2, 2],
      [3, 4],
      [100, 198],
    ])('with a limit of %i allows exactly %i units at most in any window', async (limit, most) => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit, window: 1000 }))
      const moments = [0, ...Array.from({ length: 1001 }, (_, i) => 999 + i)]
      const asked = moments.flatMap((at) => (at === 999 ? Array<number>(limit).fill(at) : [at]))
      const admissions = (await admittedAt(setup, limiter, asked)).map((at): Admission => ({
        at,
        cost: 1,
      }))
      expect(unitsWithin(admissions, 1000)).toBe(most)
    })

    test('counts a debt of any size exactly, even beyond the precision of doubles', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 5, window: '365d' }))
      await limiter.penalize('key', 1_999_999_999)
      setup.now += 93 * dayMs
      await limiter.penalize('key', 1)
      setup.now += (365 - 93 + 57) * dayMs
      // 57 of 93 days: 2 × 10^9 - 1 less ⌊57 × (2 × 10^9 - 1) / 93⌋. A product of doubles is off by one here.
      expect((await limiter.status('key')).policies['default'].used).toBe(774_193_548)
      const { retryAfterMs } = await limiter.peek('key')
      setup.now += Number(retryAfterMs) - 1
      expect(await limiter.peek('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      setup.now += 1
      expect(await limiter.peek('key')).toMatchObject({ allowed: true, remaining: 1 })
    })

    test('keeps its units when its length changes, and they expire by the new length', async () => {
      const setup = await open()
      const hour = slidingWindow({ limit: 5, window: '1h' })
      const minute = { policies: slidingWindow({ limit: 5, window: '1m' }) }
      const limiter = setup.limiter(hour)
      await limiter.consume('key', { cost: 2 })
      setup.now += 120_000
      await limiter.consume('key', { cost: 2 })
      // Four units over two minutes: 0, 40, 80 and 120 s. Of the last minute, two.
      expect((await limiter.consume('key', { ...minute, cost: 0 })).remaining).toBe(3)
      expect((await limiter.consume('key', { ...minute, cost: 4 })).retryAfterMs).toBe(20_000)
      expect((await limiter.peek('key')).remaining).toBe(1)
    })

    test('does not count a unit that is refunded before another one is taken', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 5, window: 1000 }))
      await limiter.consume('key', { cost: 2 })
      const { policies } = await limiter.peek('key', { cost: 5 })
      setup.now += 700
      await limiter.refund(await limiter.consume('key', { cost: 2 }))
      const { retryAfterMs } = await limiter.peek('key', { cost: 5 })
      expect(Number(policies['default'].retryAfterMs) - 700).toBe(retryAfterMs)
    })

    test('keeps the last moment if an earlier unit is refunded, and refunds nothing that has left the window', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 5, window: 1000 }))
      const first = await limiter.consume('key')
      setup.now += 600
      const second = await limiter.consume('key', { cost: 2 })
      await limiter.refund(first)
      // The two units of 600 count as spread from 0 to 600: their own times are lost.
      expect(await limiter.peek('key', { cost: 4 })).toMatchObject({ retryAfterMs: 400 })
      setup.now = today + 1599
      expect(await limiter.peek('key')).toMatchObject({ remaining: 4, resetMs: 1 })
      setup.now += 1
      await limiter.consume('key')
      await limiter.refund(second)
      expect((await limiter.peek('key')).remaining).toBe(4)
    })

    test('refunds units of the older window by count, the newest first', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 9, window: 1000 }))
      await limiter.consume('key')
      setup.now += 800
      await limiter.consume('key', { cost: 8 })
      setup.now = today + 1300
      await limiter.consume('key')
      // Nine units from 0 to 800, of which four have left.
      expect((await limiter.status('key')).policies['default'].used).toBe(6)
      await limiter.refund('key', 3)
      expect((await limiter.status('key')).policies['default'].used).toBe(3)
      setup.now = today + 1599
      expect((await limiter.status('key')).policies['default'].used).toBe(1)
      setup.now += 1
      expect(await limiter.peek('key')).toMatchObject({ remaining: 9, resetMs: 0 })
    })

    test('opens no window before the units of the older one if the clock steps back', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 4, window: 1000 }))
      await limiter.consume('key')
      setup.now += 900
      await limiter.consume('key', { cost: 2 })
      setup.now += 200
      await limiter.refund(await limiter.consume('key'))
      setup.now = today + 850
      // All three units of the older window count again. A unit that is taken now counts as taken at 900, after them.
      expect(await limiter.consume('key')).toMatchObject({ remaining: 0, resetMs: 1050 })
      expect((await limiter.consume('key')).retryAfterMs).toBe(150)
      setup.now = today + 1899
      expect(await limiter.peek('key')).toMatchObject({ remaining: 2, resetMs: 1 })
      setup.now += 1
      expect(await limiter.peek('key')).toMatchObject({ remaining: 4, resetMs: 0 })
    })
  })
}

/** Sends a request at each of these moments after today, and returns the moments at which it was allowed. */
async function admittedAt(
  setup: Setup,
  limiter: Limiter,
  moments: readonly number[],
): Promise<number[]> {
  const start = setup.now
  const admitted: number[] = []
  for (const at of moments) {
    setup.now = start + at
    if ((await limiter.consume('key')).allowed) admitted.push(at)
  }
  return admitted
}

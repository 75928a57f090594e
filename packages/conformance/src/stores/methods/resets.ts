import { calendarWindow, fixedWindow, gcra, staged, tokenBucket, type Decision } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { families } from '../../samples/families.js'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import { patienceMs } from '../../random.js'
import { costOf, moved, nothingSaid, startsOf, traffic, type Step } from '../../traffic/traffic.js'
import type { OpenSetup } from '../setup.js'

const dayMs = 86_400_000

export function describeResets(open: OpenSetup): void {
  describe('a reset', () => {
    test.each(families)(
      '$name: makes the quota full, and earlier decisions refund nothing after it',
      async ({ samples }) => {
        const setup = await open()
        const cases = fc
          .constantFrom(...samples)
          .chain((sample) => startsOf(sample).map((start) => ({ sample, start })))
        await fc.assert(
          fc.asyncProperty(
            cases,
            traffic,
            fc.constantFrom(0, 0, 0, 1, 5),
            traffic,
            async ({ sample, start }, before, waitMs, after) => {
              const { policy, windowMs } = sample
              setup.now = Math.max(1, start)
              const refunded = { limiter: setup.limiter(policy), decisions: [] as Decision[] }
              const untouched = { limiter: setup.limiter(policy), decisions: [] as Decision[] }
              await drive(before)
              for (const { limiter } of [refunded, untouched]) {
                expect(await limiter.reset('key', { unblock: true })).toBe(true)
                const { remaining, resetMs, limit } = await limiter.peek('key', { cost: 0 })
                expect([remaining, resetMs]).toEqual([limit, 0])
              }
              const forgotten = refunded.decisions
              setup.now += waitMs
              await drive(after)
              for (const decision of forgotten) await refunded.limiter.refund(decision)
              const present = setup.now
              for (const windows of [0, 0.1, 0.5, 1]) {
                setup.now = present + Math.floor(windows * windowMs)
                const [one, other] = [refunded, untouched].map(({ limiter }) => limiter.peek('key'))
                expect(await one).toEqual(await other)
              }

              async function drive(steps: readonly Step[]): Promise<void> {
                refunded.decisions = []
                let last = nothingSaid
                for (const { move, cost: share, verb } of steps) {
                  setup.now = moved(setup.now, move, windowMs, last)
                  const cost = costOf(share, sample.quota, last)
                  for (const { limiter, decisions } of [refunded, untouched]) {
                    if (verb === 'penalize') {
                      await limiter.penalize('key', cost)
                      continue
                    }
                    const decision = await limiter[verb]('key', { cost })
                    decisions.push(decision)
                    last = decision.policies['default']
                  }
                }
              }
            },
          ),
          { numRuns: open.runs(25) },
        )
      },
      patienceMs,
    )

    test.each(sizedAlgorithms)(
      '$name: a decision in the millisecond of a reset is refunded only by its own refund',
      async ({ sample }) => {
        const limiter = (await open()).limiter(sample(5, 1000).policy)
        const decisions = []
        for (let i = 0; i < 4; i++) {
          decisions.push(await limiter.consume('key', { cost: 2 }))
          if (i < 3) await limiter.reset('key')
        }
        for (const forgotten of decisions.slice(0, 3)) {
          await limiter.refund(forgotten)
          expect((await limiter.peek('key')).remaining).toBe(3)
        }
        await limiter.refund(decisions[3])
        expect((await limiter.peek('key')).remaining).toBe(5)
      },
    )

    test.each([
      ['clock', fixedWindow({ limit: 5, window: '1h', align: 'clock' })],
      ['calendar', calendarWindow({ limit: 5, period: 'day', timeZone: 'UTC' })],
    ])(
      'within a window of the %s: a refund of an earlier decision returns no later unit',
      async (_, policy) => {
        const setup = await open()
        const limiter = setup.limiter(policy)
        const forgotten = await limiter.consume('key', { cost: 3 })
        await limiter.reset('key')
        setup.now += 5
        await limiter.consume('key', { cost: 4 })
        await limiter.refund(forgotten)
        expect((await limiter.peek('key')).remaining).toBe(1)
      },
    )
  })

  test('a second reset is recorded for as long as the units before the first one count', async () => {
    const setup = await open()
    const limiter = setup.limiter(gcra({ limit: 60, window: '60d' }))
    const forgotten = await limiter.consume('key', { cost: 40 })
    await limiter.reset('key')
    await limiter.consume('key')
    await limiter.reset('key')
    setup.now += 3 * dayMs
    // Requests about other keys sweep what has expired.
    await limiter.consumeMany(Array.from({ length: 500 }, (_, i) => ({ key: `other ${i}` })))
    expect((await limiter.consume('key', { cost: 40 })).remaining).toBe(20)
    await limiter.refund(forgotten)
    expect((await limiter.peek('key')).remaining).toBe(20)
  })

  test.each([
    [2, 'counts', 0],
    [3.5, 'has ended', 1],
  ])(
    'after %s days, when its record %s: a refund of a decision that a clock has dated before it',
    async (days, _, remaining) => {
      const setup = await open()
      const limiter = setup.limiter(gcra({ limit: 1, window: '7d' }))
      await limiter.consume('key')
      setup.now += 4 * dayMs
      await limiter.reset('key')
      setup.now -= 1
      const later = await limiter.consume('key')
      setup.now += days * dayMs
      await limiter.refund(later)
      expect((await limiter.peek('key')).remaining).toBe(remaining)
    },
  )

  describe('a reset of a bucket that starts with less than its capacity', () => {
    const bucket = tokenBucket({ capacity: 10, refill: 1, every: '1s', initial: 2 })

    test('does not prevent the refund of a later decision if the key is new and the clock steps back', async () => {
      const setup = await open()
      const limiter = setup.limiter(bucket)
      await limiter.reset('key')
      setup.now -= 1
      await limiter.refund(await limiter.consume('key'))
      setup.now += 1
      expect((await limiter.peek('key')).remaining).toBe(10)
    })

    test('makes it full, and it does not start again before a day without requests', async () => {
      const setup = await open()
      const limiter = setup.limiter(bucket)
      expect((await limiter.consume('key')).remaining).toBe(1)
      expect(await limiter.reset('key')).toBe(true)
      expect(await limiter.peek('key')).toMatchObject({ remaining: 10, resetMs: 0 })
      setup.now += dayMs - 1
      expect((await limiter.consume('key')).remaining).toBe(9)
      await limiter.reset('key')
      setup.now += dayMs
      expect((await limiter.consume('key')).remaining).toBe(1)
    })

    test('makes an unknown key full, and a key with a debt', async () => {
      const limiter = (await open()).limiter(bucket)
      await limiter.reset('never seen')
      expect((await limiter.consume('never seen')).remaining).toBe(9)
      await limiter.penalize('key', 30)
      await limiter.reset('key')
      expect((await limiter.consume('key', { cost: 11 })).allowed).toBe(false)
      expect((await limiter.consume('key', { cost: 10 })).allowed).toBe(true)
    })

    test('makes the quota of a stage full', async () => {
      const free = fixedWindow({ limit: 1, window: '1h' })
      const limiter = (await open()).limiter(staged({ free, then: bucket }))
      await limiter.consume('key')
      expect((await limiter.peek('key')).remaining).toBe(1)
      await limiter.reset('key')
      expect((await limiter.peek('key')).remaining).toBe(10)
      expect((await limiter.consume('key', { cost: 7 })).remaining).toBe(3)
    })
  })

  test('units that a stage took before its reset are not refunded after it', async () => {
    const setup = await open()
    const limiter = setup.limiter(
      staged({
        free: fixedWindow({ limit: 2, window: 1000 }),
        then: tokenBucket({ capacity: 5, refill: 1, every: '1h' }),
      }),
    )
    await limiter.consume('key', { cost: 2 })
    const earlier = await limiter.consume('key', { cost: 3 })
    expect(earlier.remaining).toBe(0)
    setup.now += 1000
    expect((await limiter.consume('key', { cost: 2 })).remaining).toBe(3)
    await limiter.refund(earlier)
    expect((await limiter.peek('key')).remaining).toBe(3)
  })
}

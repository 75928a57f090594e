import { fixedWindow, slidingWindow } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { families } from '../../samples/families.js'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import { patienceMs } from '@sluice/test-kit/random'
import { costOf, costs, moved, nothingSaid, traffic } from '../../traffic/traffic.js'
import { today, type OpenSetup } from '../setup.js'

/** Stores keep expired state for a second more, so that a clock that steps back by a second still finds it. */
const longestStepMs = 1000

export function describeStepsBack(open: OpenSetup): void {
  describe('a clock that steps back', () => {
    test.each(families)(
      '$name: never makes the limit looser, and delays by at most the step',
      async ({ samples: all }) => {
        const setup = await open()
        const samples = fc.constantFrom(...all)
        await fc.assert(
          fc.asyncProperty(
            samples,
            traffic,
            fc.integer({ min: 1, max: longestStepMs }),
            costs,
            async ({ policy, quota, windowMs }, steps, stepMs, lastCost) => {
              const limiter = setup.limiter(policy)
              let last = nothingSaid
              setup.now = today
              for (const { move, cost, verb } of steps) {
                setup.now = moved(setup.now, move, windowMs, last)
                if (verb === 'penalize') {
                  await limiter.penalize('key', costOf(cost, quota, last))
                  continue
                }
                const decision = await limiter[verb]('key', { cost: costOf(cost, quota, last) })
                last = decision.policies['default']
              }
              const cost = costOf(lastCost, quota, last)
              const before = await limiter.peek('key', { cost })
              setup.now -= stepMs
              const after = await limiter.peek('key', { cost })
              expect(after.remaining).toBeLessThanOrEqual(before.remaining)
              expect(after.allowed && !before.allowed).toBe(false)
              expect(after.allowed).toBe(after.retryAfterMs === 0)
              if (before.retryAfterMs === null) expect(after.retryAfterMs).toBe(null)
              else expect(after.retryAfterMs).toBeLessThanOrEqual(before.retryAfterMs + stepMs)
              expect(after.resetMs).toBeLessThanOrEqual(before.resetMs + stepMs)
              setup.now += stepMs
              expect(await limiter.peek('key', { cost })).toEqual(before)
            },
          ),
          { numRuns: open.runs(40) },
        )
      },
      patienceMs,
    )

    test.each(sizedAlgorithms)('$name: allows no unit twice', async ({ sample }) => {
      const setup = await open()
      const limiter = setup.limiter(sample(5, 1000).policy)
      expect((await limiter.consume('key', { cost: 5 })).allowed).toBe(true)
      for (const stepMs of [1, 9, 90, 400, 500]) {
        setup.now -= stepMs
        expect(await limiter.consume('key')).toMatchObject({ allowed: false, remaining: 0 })
      }
    })

    test('back over a boundary counts the expiring sub-window completely, and not more', async () => {
      const setup = await open(today)
      const limiter = setup.limiter(slidingWindow({ limit: 10, window: 1000, tail: 'weighted' }))
      await limiter.consume('key', { cost: 6 })
      setup.now = today + 1000
      await limiter.consume('key', { cost: 3 })
      setup.now = today + 500
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 0 })
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 667 })
    })

    test('a full window on the clock is still full when the time reaches it again', async () => {
      const setup = await open(today + 999)
      const limiter = setup.limiter(fixedWindow({ limit: 2, window: 1000, align: 'clock' }))
      await limiter.consume('key', { cost: 2 })
      setup.now = today + 1000
      expect(await limiter.consume('key', { cost: 0 })).toMatchObject({ remaining: 2 })
      setup.now = today + 999
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
    })
  })
}

import { calendarWindow, fixedWindow, staged, tokenBucket, type Limiter } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { families } from '../../samples/families.js'
import { patienceMs } from '@sluice/test-kit/random'
import { costOf, moved, nothingSaid, startsOf, traffic, type Step } from '../../traffic/traffic.js'
import type { OpenSetup } from '../setup.js'

const dayMs = 86_400_000

export function describeResets(open: OpenSetup): void {
  describe('a reset', () => {
    test.each(families)(
      '$name: makes the quota full, and what follows is as for a new key',
      async ({ samples }) => {
        const setup = await open()
        const cases = fc
          .constantFrom(...samples)
          .chain((sample) => startsOf(sample).map((start) => ({ sample, start })))
        await fc.assert(
          fc.asyncProperty(cases, traffic, traffic, async ({ sample, start }, before, after) => {
            const { policy, windowMs, quota } = sample
            setup.now = Math.max(1, start)
            const limiter = setup.limiter(policy)
            const other = setup.limiter(policy)
            await drive(before, [limiter])
            expect(await limiter.reset('key', { unblock: true })).toBe(true)
            const { remaining, resetMs, limit } = await limiter.peek('key', { cost: 0 })
            expect([remaining, resetMs]).toEqual([limit, 0])
            // A new bucket can start with less than its capacity, and is full after a reset.
            await other.reset('key')
            await drive(after, [limiter, other])

            async function drive(
              steps: readonly Step[],
              limiters: readonly Limiter[],
            ): Promise<void> {
              let last = nothingSaid
              for (const { move, cost: share, verb } of steps) {
                setup.now = moved(setup.now, move, windowMs, last)
                const cost = costOf(share, quota, last)
                if (verb === 'penalize') {
                  for (const one of limiters) await one.penalize('key', cost)
                  continue
                }
                const decisions = []
                for (const one of limiters) {
                  // Each lease has an id and a token of its own.
                  const decision = { ...(await one[verb]('key', { cost })), lease: undefined }
                  decisions.push(decision)
                  expect(decision).toEqual(decisions[0])
                }
                last = decisions[0].policies['default']
              }
            }
          }),
          { numRuns: open.runs(25) },
        )
      },
      patienceMs,
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

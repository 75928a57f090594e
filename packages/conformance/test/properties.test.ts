import { createLimiter, memoryStore, type Decision } from '@sluice/core'
import {
  admissionsIn,
  costOf,
  costs,
  follow,
  moved,
  nothingSaid,
  runs,
  sizes,
  starts,
  subjects,
  traffic,
  type Cost,
  type Sample,
  type Step,
} from '@sluice/conformance'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

describe.each(subjects)('$name', ({ sample, further }) => {
  const samples = fc.constantFrom(
    ...sizes.map(([limit, windowMs]) => sample(limit, windowMs)),
    ...further,
  )

  /** The policy of the traffic, and that of the questions after it: the same, or one whose limit has changed. */
  const limits = fc.constantFrom(1, 2, 7, 100, 10_000_000)
  const windows = fc.constantFrom(...sizes.map(([, windowMs]) => windowMs))
  const pairs = fc.oneof(
    samples.map((one) => [one, one] as const),
    fc
      .tuple(limits, limits, windows)
      .map(
        ([limit, other, windowMs]) => [sample(limit, windowMs), sample(other, windowMs)] as const,
      ),
  )

  test('never admits more than it promises', async () => {
    await fc.assert(
      fc.asyncProperty(samples, starts, traffic, async (one, start, steps) => {
        const answered = await follow(one, memoryStore(), 'limiter', start, steps)
        expect(one.excess(admissionsIn(answered))).toBe(0)
      }),
      { numRuns: runs(300) },
    )
  })

  test('a wait is exact: the cost is denied until one millisecond before, and admitted then', () => {
    everywhere((now, decision, cost, ask) => {
      const wait = decision.retryAfterMs
      if (wait === null) {
        expect(ask(now + 1e12, cost).allowed).toBe(false)
        return
      }
      expect(ask(now + wait, cost).allowed).toBe(true)
      if (wait > 0)
        expect(ask(now + wait - 1, cost)).toMatchObject({ allowed: false, retryAfterMs: 1 })
    })
  })

  test('nextMs is exact: remaining grows then, and not before', () => {
    everywhere((now, { policies: { default: verdict } }, _cost, ask) => {
      const { nextMs, remaining, limit } = verdict
      expect(nextMs === 0).toBe(remaining === limit)
      if (nextMs === 0) return
      expect(ask(now + nextMs - 1, 1).remaining).toBe(remaining)
      expect(ask(now + nextMs, 1).remaining).toBeGreaterThan(remaining)
    })
  })

  test('resetMs is exact: the quota is full then, and not before', () => {
    everywhere((now, { resetMs, limit }, _cost, ask) => {
      expect(ask(now + resetMs, 1)).toMatchObject({ remaining: limit, resetMs: 0 })
      if (resetMs > 0) expect(ask(now + resetMs - 1, 1).remaining).toBeLessThan(limit)
    })
  })

  test('remaining is exact: that much is admitted now, and no unit more', () => {
    everywhere((now, { remaining }, _cost, ask) => {
      if (remaining > 0) expect(ask(now, remaining).allowed).toBe(true)
      expect(ask(now, remaining + 1).allowed).toBe(false)
    })
  })

  test('denied requests change nothing, now or later', () => {
    fc.assert(
      fc.property(samples, starts, traffic, (one, start, steps) => {
        const pressed = drive(one, start, steps)
        const patient = drive(one, start, steps, 'admitted only')
        for (const wait of [0, 1, one.windowMs - 1, one.windowMs, 2 * one.windowMs]) {
          expect(pressed.ask(pressed.now + wait, 1)).toEqual(patient.ask(pressed.now + wait, 1))
        }
      }),
      { numRuns: runs(150) },
    )
  })

  /** Checks what the last decision of any traffic said of the future. */
  function everywhere(check: (now: number, said: Decision, cost: number, ask: Ask) => void): void {
    fc.assert(
      fc.property(pairs, starts, traffic, costs, ([one, other], start, steps, share: Cost) => {
        const { now, ask } = drive(one, start, steps, 'all', other)
        const cost = costOf(share, other.quota, ask(now, 1).policies['default'])
        check(now, ask(now, cost), cost, ask)
      }),
      { numRuns: runs(300) },
    )
  }
})

/** Peeks at a time of one's choice. */
type Ask = (at: number, cost: number) => Decision

function drive(
  sample: Sample,
  start: number,
  steps: readonly Step[],
  which: 'all' | 'admitted only' = 'all',
  asked: Sample = sample,
): { readonly now: number; readonly ask: Ask } {
  let now = start
  let last = nothingSaid
  const options = { name: 'limiter', store: memoryStore(), clock: () => now }
  const limiter = createLimiter({ ...options, policies: sample.policy })
  const changed = createLimiter({ ...options, policies: asked.policy })
  for (const { move, cost: share, verb } of steps) {
    now = moved(now, move, sample.windowMs, last)
    const cost = costOf(share, sample.quota, last)
    const peeked = limiter.peek('key', { cost })
    const isAsked = verb === 'consume' && (which === 'all' || peeked.allowed)
    const decision = isAsked ? limiter.consume('key', { cost }) : peeked
    last = decision.policies['default']
  }
  const end = now
  return {
    now: end,
    ask(at, cost) {
      now = at
      return changed.peek('key', { cost })
    },
  }
}

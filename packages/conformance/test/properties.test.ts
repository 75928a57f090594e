import {
  createLimiter,
  memoryStore,
  type Decision,
  type Limiter,
  type MemoryStore,
} from '@sluice/core'
import {
  admissionsIn,
  costOf,
  costs,
  families,
  follow,
  moved,
  nothingSaid,
  sizes,
  startsOf,
  sizedAlgorithms,
  traffic,
  type Cost,
  type Sample,
  type Step,
} from '@sluice/conformance'
import { runs } from '@sluice/test-kit/random'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

describe.each(families)('$name', ({ name, samples: all }) => {
  const samples = fc.constantFrom(...all)
  const sized = sizedAlgorithms.find((one) => one.name === name)

  const limits = fc.constantFrom(1, 2, 7, 100, 10_000_000)
  const windows = fc.constantFrom(...sizes.map(([, windowMs]) => windowMs))
  const same = samples.map((one) => ({ one, other: one }))
  /** The policy of the traffic, and that of the requests after it: the same, or one with another limit. */
  const pairs =
    sized === undefined
      ? same
      : fc.oneof(
          same,
          fc.tuple(limits, limits, windows).map(([limit, other, windowMs]) => ({
            one: sized.sample(limit, windowMs),
            other: sized.sample(other, windowMs),
          })),
        )
  const cases = pairs.chain(({ one, other }) =>
    startsOf(one).map((start) => ({ one, other, start })),
  )

  test('never allows more than its bound', async () => {
    await fc.assert(
      fc.asyncProperty(cases, traffic, async ({ one, start }, steps) => {
        // A penalty takes units without an allowed request, and may start a window.
        const unpunished = steps.filter(({ verb }) => verb !== 'penalize')
        const answered = await follow(one, memoryStore(), 'limiter', start, unpunished)
        expect(one.excess(admissionsIn(answered))).toBe(0)
      }),
      { numRuns: runs(300) },
    )
  })

  test('retryAfterMs is exact: the cost is denied until one millisecond before, and then allowed', () => {
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
      if (resetMs > 0) expect(ask(now + resetMs - 1, 1).resetMs).toBe(1)
    })
  })

  test('remaining is exact: that many units are allowed now, and no unit more', () => {
    everywhere((now, { remaining }, _cost, ask, { meaning }) => {
      // A queue allows a request of any cost while one unit fits.
      if (meaning.remaining !== undefined) {
        expect(ask(now, 1).allowed).toBe(remaining > 0)
        return
      }
      if (remaining > 0) expect(ask(now, remaining).allowed).toBe(true)
      expect(ask(now, remaining + 1).allowed).toBe(false)
    })
  })

  const traceless = all.filter((one) => !deniedLeaveTraces(one))
  if (traceless.length > 0) {
    test('denied requests change nothing, now or later', () => {
      const cases = fc
        .constantFrom(...traceless)
        .chain((one) => startsOf(one).map((start) => ({ one, start })))
      fc.assert(
        fc.property(cases, traffic, ({ one, start }, steps) => {
          const pressed = drive(one, start, steps)
          const patient = drive(one, start, steps, 'admitted only')
          for (const wait of [0, 1, one.windowMs - 1, one.windowMs, 2 * one.windowMs]) {
            expect(pressed.ask(pressed.now + wait, 1)).toEqual(patient.ask(pressed.now + wait, 1))
          }
        }),
        { numRuns: runs(150) },
      )
    })
  }

  /** Checks the last decision of any traffic against the decisions that follow. */
  function everywhere(
    check: (now: number, said: Decision, cost: number, ask: Ask, sample: Sample) => void,
  ): void {
    fc.assert(
      fc.property(cases, traffic, costs, ({ one, other, start }, steps, share: Cost) => {
        const { now, ask } = drive(one, start, steps, 'all', other)
        const cost = costOf(share, other.quota, ask(now, 1).policies['default'])
        check(now, ask(now, cost), cost, ask, other)
      }),
      { numRuns: runs(300) },
    )
  }
})

/** Peeks at the given time. */
type Ask = (at: number, cost: number) => Decision

interface Driven {
  readonly now: number
  readonly limiter: Limiter<MemoryStore>
  readonly ask: Ask
}

/** A denial may start a block or create the row of a bucket. The model returns whether it does. */
function deniedLeaveTraces({ meaning, policy }: Sample): boolean {
  return meaning.born !== undefined || policy.block?.on === 'exceeded'
}

function drive(
  sample: Sample,
  start: number,
  steps: readonly Step[],
  which: 'all' | 'admitted only' = 'all',
  asked: Sample = sample,
): Driven {
  let now = start
  let last = nothingSaid
  const options = { name: 'limiter', store: memoryStore(), clock: () => now }
  const limiter = createLimiter({ ...options, policies: sample.policy })
  const changed = createLimiter({ ...options, policies: asked.policy })
  for (const { move, cost: share, verb } of steps) {
    now = moved(now, move, sample.windowMs, last)
    const cost = costOf(share, sample.quota, last)
    if (verb === 'penalize') {
      limiter.penalize('key', cost)
      continue
    }
    const peeked = limiter.peek('key', { cost })
    const isAsked = verb === 'consume' && (which === 'all' || peeked.allowed)
    const decision = isAsked ? limiter.consume('key', { cost }) : peeked
    last = decision.policies['default']
  }
  // A peek creates no row, so a new bucket would start at the time of each peek.
  if (sample.meaning.born !== undefined) limiter.consume('key', { cost: 0 })
  const end = now
  return {
    now: end,
    limiter,
    ask(at, cost) {
      now = at
      return changed.peek('key', { cost })
    },
  }
}

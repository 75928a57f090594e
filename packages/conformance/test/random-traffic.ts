import { randomUUID } from 'node:crypto'
import { createLimiter, type AsyncStore, type Decision } from '@sluice/core'
import {
  admissionsIn,
  compareStores,
  costOf,
  costs,
  decisionFrom,
  families,
  follow,
  scenarios,
  startsOf,
  traffic,
  type Answered,
  type Sample,
} from '@sluice/conformance'
import { patienceMs, runs } from '@sluice/test-kit/random'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

/**
 * Random traffic on a store that answers later: each algorithm decides as its model does, stays within its bound, and states exact waits; and all verbs answer as
 * in memory, also with plans, refunds and a cost for each policy.
 *
 * @param all the number of runs for each algorithm, and a tenth of those of all verbs
 */
export function describeRandomTraffic(where: string, storeOf: () => AsyncStore, all: number): void {
  describe(`random traffic over ${where}`, () => {
    test.each(families)(
      '$name is decided by its definition, within its bound, with exact waits',
      async ({ samples }) => {
        const cases = fc
          .constantFrom(...samples)
          .chain((sample) => fc.record({ sample: fc.constant(sample), start: startsOf(sample) }))
        await fc.assert(
          fc.asyncProperty(cases, traffic, costs, async ({ sample, start }, steps, share) => {
            const store = storeOf()
            const name = randomUUID()
            const answered = await follow(sample, store, name, start, steps)
            for (const { decision, expected } of answered) {
              expect(decision).toEqual(decisionFrom(expected))
            }
            const isPunished = steps.some(({ verb }) => verb === 'penalize')
            // A penalty takes units without an allowed request, and may start a window.
            if (!isPunished) expect(sample.excess(admissionsIn(answered))).toBe(0)
            const last = answered.at(-1)
            if (last === undefined) return
            const cost = costOf(share, sample.quota, last.expected)
            await expectExactWaits({ sample, store, name, cost, last })
          }),
          { numRuns: runs(all) },
        )
      },
      patienceMs,
    )

    test(
      'all verbs give the same answers as in memory, in every field',
      async () => {
        await fc.assert(
          fc.asyncProperty(scenarios(40), async (scenario) => {
            expect(await compareStores(scenario, storeOf())).toBeUndefined()
          }),
          { numRuns: runs(10 * all) },
        )
      },
      patienceMs,
    )
  })
}

interface Asked {
  readonly sample: Sample
  readonly store: AsyncStore
  readonly name: string
  readonly cost: number
  /** The last decision of the traffic. */
  readonly last: Answered
}

/** Asks at the moments that a decision states. */
async function expectExactWaits({ sample, store, name, cost, last }: Asked): Promise<void> {
  let now = last.now
  const limiter = createLimiter({ name, policies: sample.policy, store, clock: () => now })
  const ask = async (at: number, units: number): Promise<Decision> => {
    now = at
    return limiter.peek('key', { cost: units })
  }
  // A new bucket is created by a request, also by one of cost 0, and not by a peek.
  if (sample.meaning.born !== undefined) await limiter.consume('key', { cost: 0 })
  const start = now
  const decision = await ask(start, cost)
  const { retryAfterMs, resetMs, limit } = decision
  if (retryAfterMs === null) {
    expect((await ask(start + 1e12, cost)).allowed).toBe(false)
  } else {
    expect((await ask(start + retryAfterMs, cost)).allowed).toBe(true)
    if (retryAfterMs > 0) {
      const early = await ask(start + retryAfterMs - 1, cost)
      expect(early).toMatchObject({ allowed: false, retryAfterMs: 1 })
    }
  }
  expect(await ask(start + resetMs, 1)).toMatchObject({ remaining: limit, resetMs: 0 })
  if (resetMs > 0) expect((await ask(start + resetMs - 1, 1)).resetMs).toBe(1)
}

import {
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  memoryStore,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policy,
} from '@sluice/core'
import type { PolicyKind } from '@sluice/core/internal'
import { runs } from '@sluice/test-kit/random'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const windowMs = 40

/** A policy, and the bound of the algorithms page: the largest number of units in any half-open interval as long as the window. */
type Bound = readonly [build: (limit: number) => Policy, most: (limit: number) => number]

const twice = (limit: number): number => 2 * limit
const nearlyTwice = (limit: number): number => 2 * limit - 1

/** The bounds of each algorithm that has a window of any length. */
const bounds: Readonly<
  Record<
    Exclude<PolicyKind, 'calendarWindow' | 'leakyQueue' | 'concurrency' | 'staged' | 'unlimited'>,
    Readonly<Record<string, Bound>>
  >
> = {
  slidingLog: { '': [(limit) => slidingLog({ limit, window: windowMs }), (limit) => limit] },
  slidingWindow: {
    '': [
      (limit) => slidingWindow({ limit, window: windowMs }),
      (limit) => Math.max(limit, 2 * limit - 2),
    ],
    ', weighted': [
      (limit) => slidingWindow({ limit, window: windowMs, tail: 'weighted' }),
      nearlyTwice,
    ],
    ' in buckets': [(limit) => slidingWindow({ limit, window: windowMs, buckets: 2 }), nearlyTwice],
    ', truncated': [
      (limit) => slidingWindow({ limit, window: windowMs, buckets: 5, tail: 'truncated' }),
      twice,
    ],
  },
  fixedWindow: {
    '': [(limit) => fixedWindow({ limit, window: windowMs }), nearlyTwice],
    ' on the clock': [(limit) => fixedWindow({ limit, window: windowMs, align: 'clock' }), twice],
  },
  gcra: {
    '': [(limit) => gcra({ limit, window: windowMs }), nearlyTwice],
    ' with a burst of 1': [
      (limit) => gcra({ limit, window: windowMs, burst: 1 }),
      (limit) => limit,
    ],
  },
  tokenBucket: {
    '': [(limit) => tokenBucket({ capacity: limit, refill: limit, every: windowMs }), nearlyTwice],
  },
  leakyBucket: {
    '': [(limit) => leakyBucket({ capacity: limit, leak: limit, every: windowMs }), nearlyTwice],
  },
}

const limits = [1, 2, 3, 5, 10]
const cases = Object.entries(bounds).flatMap(([kind, forms]) =>
  Object.entries(forms).flatMap(([form, [build, most]]) =>
    limits.map((limit) => ({
      name: kind + form,
      limit,
      most: most(limit),
      policy: build(limit),
    })),
  ),
)

describe('the most units in any window', () => {
  // A client that sends requests all the time, from each moment of a window on, with or without one request a window's length before.
  test.each(cases)('$name, limit $limit: $most, which a client can reach', ({ policy, most }) => {
    const worst: number[] = []
    for (let from = windowMs; from < 2 * windowMs; from++) {
      const flood = Array.from({ length: 3 * windowMs }, (_, i) => from + i)
      worst.push(worstOf(policy, flood), worstOf(policy, flood, from - windowMs + 1))
    }
    expect(Math.max(...worst)).toBe(most)
  })

  test.each(cases)('$name, limit $limit: never more than $most', ({ policy, most }) => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(0, 0, 0, 1, 2, 8, 19, 38, 39, 40, 41)), (steps) => {
        let at = 0
        const moments = steps.map((ms) => (at += ms))
        expect(Math.max(most, worstOf(policy, moments))).toBe(most)
      }),
      { numRuns: runs(100) },
    )
  })
})

/** The largest number of units in any window if a client takes all allowed units at each of these times, and one unit before. */
function worstOf(policies: Policy, moments: readonly number[], opened?: number): number {
  let now = 0
  const store = memoryStore()
  const limiter = createLimiter({ name: 'limiter', policies, store, clock: () => now })
  const admitted: number[] = []
  const isAdmitted = (at: number) => {
    now = at
    const { allowed } = limiter.consume('key')
    if (allowed) admitted.push(at)
    return allowed
  }
  if (opened !== undefined) isAdmitted(opened)
  for (const at of moments) while (isAdmitted(at));
  let from = 0
  let worst = 0
  for (const [last, at] of admitted.entries()) {
    while (admitted[from] <= at - windowMs) from++
    worst = Math.max(worst, last - from + 1)
  }
  return worst
}

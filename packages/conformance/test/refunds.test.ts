import { createLimiter, memoryStore } from '@sluice/core'
import {
  costOf,
  families,
  moved,
  nothingSaid,
  startsOf,
  traffic,
  type Sample,
  type Step,
} from '@sluice/conformance'
import { runs } from '@sluice/test-kit/random'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const mostUnits = Number.MAX_SAFE_INTEGER

describe.each(families)('$name', ({ name, samples }) => {
  const cases = fc
    .constantFrom(...samples)
    .chain((sample) => startsOf(sample).map((start) => ({ sample, start })))
  const costs = fc.nat(9)
  // The request that takes the last unit of `free` restarts `then`, which a refund cannot undo. And a refund restarts the time for which a
  // bucket is kept.
  const leavesTraces = name.startsWith('staged') || samples.some(({ meaning }) => meaning.born)
  const isBlocked = name.endsWith(', with a block')

  if (!leavesTraces) {
    test('a refund refunds exactly what the decision took, with no effect on later decisions', () => {
      fc.assert(
        fc.property(cases, traffic, costs, ({ sample, start }, steps, cost) => {
          const refunded = drive(sample, start, steps)
          const untouched = drive(sample, start, steps)
          const decision = refunded.limiter.consume('key', { cost })
          fc.pre(decision.allowed)
          expect(refunded.limiter.refund(decision)).toBe(true)
          expect(refunded.future()).toEqual(untouched.future())
        }),
        { numRuns: runs(150) },
      )
    })
  }

  test('a refund of expired units returns nothing, nor does a second one', () => {
    fc.assert(
      fc.property(cases, traffic, costs, ({ sample, start }, steps, cost) => {
        const refunded = drive(sample, start, steps)
        const untouched = drive(sample, start, steps)
        const decisions = [refunded, untouched].map(({ limiter }) =>
          limiter.consume('key', { cost: 1 }),
        )
        for (const driven of [refunded, untouched]) {
          driven.advance(decisions[0].resetMs)
          driven.limiter.consume('key', { cost })
        }
        refunded.limiter.refund(decisions[0])
        expect(refunded.future()).toEqual(untouched.future())
        expect(refunded.limiter.refund(decisions[0])).toBe(false)
        expect(refunded.future()).toEqual(untouched.future())
      }),
      { numRuns: runs(150) },
    )
  })

  test('refunds of all decisions and refunds by count together never exceed the quota', () => {
    fc.assert(
      fc.property(cases, traffic, fc.boolean(), ({ sample, start }, steps, isForgiven) => {
        // At the epoch itself, the row of a full bucket is all zeros, like that of a new key.
        const { limiter, decisions, fresh, future } = drive(sample, Math.max(1, start), steps)
        if (isForgiven) limiter.refund('key', mostUnits)
        for (const decision of decisions.toReversed()) limiter.refund(decision)
        limiter.refund('key', mostUnits)
        limiter.unblock('key')
        const { limit } = limiter.peek('key')
        expect(limiter.peek('key', { cost: 0 })).toMatchObject({ remaining: limit, resetMs: 0 })
        limiter.consume('key')
        fresh.consume('key')
        // A bucket that does not start full is full now, unlike a new one.
        if (sample.meaning.born === undefined && !isBlocked) {
          expect(future()).toEqual(future(fresh))
        }
      }),
      { numRuns: runs(150) },
    )
  })
})

function drive(sample: Sample, start: number, steps: readonly Step[]) {
  let now = start
  let last = nothingSaid
  const policies = sample.policy
  const options = { name: 'limiter', policies, clock: () => now }
  const limiter = createLimiter({ ...options, store: memoryStore() })
  const fresh = createLimiter({ ...options, store: memoryStore() })
  const decisions = []
  for (const { move, cost: share, verb } of steps) {
    now = moved(now, move, sample.windowMs, last)
    const cost = costOf(share, sample.quota, last)
    if (verb === 'penalize') {
      limiter.penalize('key', cost)
      continue
    }
    const decision = limiter[verb]('key', { cost })
    if (verb === 'consume') decisions.push(decision)
    last = decision.policies['default']
  }
  if (sample.meaning.born !== undefined) limiter.consume('key', { cost: 0 })

  /** The results of peeks at some later times without other requests. */
  function future(asked = limiter) {
    const present = now
    const answers = [0, 0.1, 0.5, 1, 2].map((windows) => {
      now = present + Math.floor(windows * sample.windowMs)
      return asked.peek('key')
    })
    now = present
    return answers
  }

  return {
    limiter,
    fresh,
    decisions,
    future,
    advance(ms: number) {
      now += ms
    },
  }
}

import { createLimiter, memoryStore, slidingWindow, type Decision } from '@sluice/core'
import { families, follow, startsOf, traffic } from '@sluice/conformance'
import { runs } from '@sluice/test-kit/random'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { unitsWithin } from '../src/samples/promises.js'

const windowMs = 100

interface Step {
  readonly ms: number
  readonly verb: 'consume' | 'consume and refund' | 'refund' | 'refund by count'
  readonly cost: number
  /** The decision to refund, as an index. */
  readonly dice: number
}

const steps = fc.array(
  fc.record<Step>({
    ms: fc.oneof(fc.constant(0), fc.nat(9), fc.constantFrom(49, 50, 99, 100, 101)),
    verb: fc.constantFrom(
      'consume',
      'consume',
      'consume',
      'consume and refund',
      'refund',
      'refund by count',
    ),
    cost: fc.constantFrom(1, 1, 1, 2, 3),
    dice: fc.nat(30),
  }),
  { maxLength: 60, size: 'max' },
)
const limits = fc.constantFrom(1, 2, 3, 5, 8)

test('no wait is longer than the window, neither for one unit nor for all of them', async () => {
  const samples = families.find(({ name }) => name === 'sliding window')?.samples ?? []
  const cases = fc
    .constantFrom(...samples)
    .chain((sample) => startsOf(sample).map((start) => ({ sample, start })))
  await fc.assert(
    fc.asyncProperty(cases, traffic, async ({ sample, start }, steps) => {
      // A penalty may take more units than one window brings.
      const unpunished = steps.filter(({ verb }) => verb !== 'penalize')
      const answered = await follow(sample, memoryStore(), 'limiter', start, unpunished)
      for (const { decision } of answered) {
        const { retryAfterMs, nextMs, resetMs } = decision.policies['default']
        expect(Math.max(sample.windowMs, retryAfterMs ?? 0, nextMs, resetMs)).toBe(sample.windowMs)
      }
    }),
    { numRuns: runs(500) },
  )
})

test('after any refunds, any window keeps at most 2 × limit - 1 units', () => {
  fc.assert(
    fc.property(limits, steps, (limit, traffic) => {
      const { consume, refund, refundByCount, kept } = driven(limit)
      for (const { ms, verb, cost, dice } of traffic) {
        if (verb === 'refund') refund(ms, dice)
        else if (verb === 'refund by count') refundByCount(ms, cost)
        else if (consume(ms, cost) && verb === 'consume and refund') refund(0, 0)
      }
      expect(Math.max(0, unitsWithin(kept(), windowMs) - (2 * limit - 1))).toBe(0)
    }),
    { numRuns: runs(2000) },
  )
})

test('a refund never makes the limit stricter, now or later', () => {
  fc.assert(
    fc.property(limits, steps, fc.nat(30), fc.nat(3), (limit, traffic, dice, count) => {
      const given = driven(limit)
      const untouched = driven(limit)
      for (const one of [given, untouched]) {
        for (const { ms, verb, cost, dice } of traffic) {
          if (verb === 'refund') one.refund(ms, dice)
          else one.consume(ms, cost)
        }
      }
      if (count > 0) given.refundByCount(0, count)
      else given.refund(0, dice)
      const later = [0, 1, 20, 49, 50, 99, 100, 120, 199]
      const stricter = later.filter((ms) => given.remaining(ms) < untouched.remaining(ms))
      expect(stricter).toEqual([])
    }),
    { numRuns: runs(2000) },
  )
})

function driven(limit: number) {
  let now = 1_763_683_200_000
  const policies = slidingWindow({ limit, window: windowMs })
  const clock = () => now
  const limiter = createLimiter({ name: 'limiter', policies, store: memoryStore(), clock })
  const taken: { at: number; cost: number; decision: Decision; isForgiven: boolean }[] = []

  return {
    consume(ms: number, cost: number): boolean {
      now += ms
      const decision = limiter.consume('key', { cost })
      if (decision.allowed) taken.push({ at: now, cost, decision, isForgiven: false })
      return decision.allowed
    },
    /** Refunds one of the last decisions, counted back from the last one. */
    refund(ms: number, dice: number): void {
      now += ms
      const admission = taken.at(-1 - dice)
      // Units that were refunded by count must not be refunded again.
      if (admission === undefined || admission.isForgiven) return
      limiter.refund(admission.decision)
      // A unit that has left the window counted for its whole time.
      if (admission.at > now - windowMs) admission.cost = 0
    },
    refundByCount(ms: number, units: number): void {
      now += ms
      let left = Math.min(units, limit - limiter.peek('key').remaining)
      limiter.refund('key', units)
      for (const admission of taken.toReversed()) {
        const given = Math.min(left, admission.cost)
        admission.cost -= given
        admission.isForgiven ||= given > 0
        left -= given
      }
    },
    kept: () => taken.map(({ at, cost }) => ({ at, cost })),
    remaining(ms: number): number {
      const present = now
      now += ms
      const { remaining } = limiter.peek('key')
      now = present
      return remaining
    },
  }
}

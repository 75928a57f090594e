import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { countedRate, windowOf, type Rate } from '../../../src/algorithms/gcra/rate.js'

const dayMs = 86_400_000
const tenYearsMs = 315_576_000_000

test.each<[string, Rate, Rate]>([
  [
    'a rate that a number can count stays as it is',
    { burst: 100, refill: 100, every: 60_000 },
    { burst: 100, refill: 100, every: 60_000 },
  ],
  [
    'a billion a day is counted exactly, in lower terms',
    { burst: 1e9, refill: 1e9, every: dayMs },
    { burst: 1e9, refill: 625, every: 54 },
  ],
  [
    'a rate of 0 is counted in lower terms',
    { burst: 2 ** 50, refill: 0, every: 1000 },
    { burst: 2 ** 50, refill: 0, every: 1 },
  ],
])('%s', (_, given, counted) => {
  expect(countedRate(given)).toEqual(counted)
})

const rates: fc.Arbitrary<Rate> = fc
  .record({
    burst: fc.integer({ min: 2 ** 30, max: 2 ** 53 - 1 }),
    windowMs: fc.integer({ min: 2 ** 20, max: 100 * tenYearsMs }),
    every: fc.integer({ min: 1, max: tenYearsMs }),
  })
  .map(({ burst, windowMs, every }) => {
    const refill = Number((BigInt(burst) * BigInt(every)) / BigInt(windowMs))
    return { burst, every, refill: Math.min(2 ** 53 - 1, Math.max(1, refill)) }
  })

function isCountable({ burst, refill, every }: Rate): boolean {
  return BigInt(burst) * BigInt(every) + BigInt(refill) < 2n ** 53n
}

test('a counted rate never refills faster, and is slower by less than one part in 10^6', () => {
  fc.assert(
    fc.property(rates, (given) => {
      const counted = countedRate(given)
      if (counted === given) return
      expect([isCountable(counted), isCountable(given)]).toEqual([true, false])
      // How much longer a unit takes: counted.every / counted.refill against given.every / given.refill.
      const longer = BigInt(counted.every) * BigInt(given.refill)
      const exact = BigInt(given.every) * BigInt(counted.refill)
      expect([longer >= exact, (longer - exact) * 1_000_000n < exact]).toEqual([true, true])
    }),
    { numRuns: runs(3000) },
  )
})

test('every rate of up to 10^9 units, and of up to 2^52 units in up to 46 days, is counted', () => {
  const small = rates.filter(
    (rate) => rate.burst < 2 ** 52 && Math.min(rate.burst, windowOf(rate)) <= 4e9,
  )
  fc.assert(
    fc.property(small, (given) => {
      expect(isCountable(countedRate(given))).toBe(true)
    }),
    { numRuns: runs(1000) },
  )
})

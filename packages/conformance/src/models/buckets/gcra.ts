import type { GcraPolicy } from '@sluice/core'
import type { Meaning } from '../model.js'

/**
 * The cell rate as an arrival curve: since any earlier admission, that one and the new one included, no more than the burst and what
 * `limit / window` brings in between. It needs no arrival time and no bucket, so it can share no mistake with a recurrence.
 *
 * Source: Le Boudec and Thiran, "Network Calculus" (2001), 1.2.2: GCRA(T, τ) is equivalent to the affine arrival curve.
 */
export function gcraMeaning({ limit, window, burst }: GcraPolicy): Meaning {
  return {
    // A limit of 0 refills nothing, and denies every request, for any burst.
    quota: limit === 0 ? 0 : burst,
    fits(admissions, at, cost) {
      let units = BigInt(cost)
      if (units > BigInt(burst)) return false
      for (const admission of admissions.toReversed()) {
        units += BigInt(admission.cost)
        const brought = BigInt(at - admission.at) * BigInt(limit)
        if (units * BigInt(window) > BigInt(burst) * BigInt(window) + brought) return false
      }
      return true
    },
  }
}

import type { SlidingWindowPolicy } from '@sluice/core'
import type { Meaning } from '../model.js'
import { spreadWindowMeaning } from './spread-window.js'

/**
 * Spread: two windows that requests open. Weighted: sub-windows on the clock; the oldest one × its share within the window + all others + cost
 * ≤ limit, exactly, in integers. Truncated: only the sub-windows from current − (buckets − 1) × size on.
 */
export function slidingWindowMeaning(policy: SlidingWindowPolicy): Meaning {
  const { limit, window, buckets, tail } = policy
  if (tail === 'spread') return spreadWindowMeaning(limit, window)
  const size = window / buckets
  const firstWhole = window - size
  return {
    quota: limit,
    fits(admissions, at, cost) {
      const elapsed = at % size
      const current = at - elapsed
      let whole = 0
      let leaving = 0
      for (const admission of admissions) {
        if (admission.at >= current - firstWhole) whole += admission.cost
        else if (admission.at >= current - window) leaving += admission.cost
      }
      if (tail === 'truncated') return whole + cost <= limit
      const inside = BigInt(leaving) * BigInt(size - elapsed)
      return inside + BigInt(whole + cost) * BigInt(size) <= BigInt(limit) * BigInt(size)
    },
  }
}

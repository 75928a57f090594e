import type { SlidingWindowPolicy } from '@sluice/core'
import { createModel, type Model } from './model.js'

/** previous × (window − elapsed) / window + current + cost ≤ limit, in sub-windows on the clock; exactly, in integers. */
export function slidingWindowModel({ limit, window }: SlidingWindowPolicy): Model {
  return createModel({
    quota: limit,
    fits(admissions, at, cost) {
      const elapsed = at % window
      const start = at - elapsed
      let current = 0
      let previous = 0
      for (const admission of admissions) {
        if (admission.at >= start) current += admission.cost
        else if (admission.at >= start - window) previous += admission.cost
      }
      const length = BigInt(window)
      const leaving = BigInt(previous) * BigInt(window - elapsed)
      return leaving + BigInt(current + cost) * length <= BigInt(limit) * length
    },
  })
}

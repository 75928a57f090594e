import type { TokenBucketPolicy } from '@sluice/core'
import { createModel, type Model } from './model.js'

/** A bucket that is full at first, replayed from its first day; its level is counted in exact parts of a token, `every` to one. */
export function tokenBucketModel({ capacity, refill, every }: TokenBucketPolicy): Model {
  const full = BigInt(capacity) * BigInt(every)
  return createModel({
    quota: capacity,
    fits(admissions, at, cost) {
      let level = full
      let filledAt = admissions.length === 0 ? at : admissions[0].at
      for (const admission of admissions) {
        level = filled(level, admission.at - filledAt) - BigInt(admission.cost) * BigInt(every)
        filledAt = admission.at
      }
      return filled(level, at - filledAt) >= BigInt(cost) * BigInt(every)
    },
  })

  function filled(level: bigint, elapsedMs: number): bigint {
    const more = level + BigInt(elapsedMs) * BigInt(refill)
    return more < full ? more : full
  }
}

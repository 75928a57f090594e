import type { LeakyBucketPolicy } from '@sluice/core'
import type { Meaning } from '../model.js'

/** A bucket that requests fill and that drains continuously; its level is counted in exact parts of a unit, `every` to one. */
export function leakyBucketMeaning({ capacity, leak, every }: LeakyBucketPolicy): Meaning {
  return {
    quota: capacity,
    fits(admissions, at, cost) {
      let level = 0n
      let drainedAt = 0
      for (const admission of admissions) {
        level = drained(level, admission.at - drainedAt) + BigInt(admission.cost) * BigInt(every)
        drainedAt = admission.at
      }
      const after = drained(level, at - drainedAt) + BigInt(cost) * BigInt(every)
      return after <= BigInt(capacity) * BigInt(every)
    },
  }

  function drained(level: bigint, elapsedMs: number): bigint {
    const left = level - BigInt(elapsedMs) * BigInt(leak)
    return left > 0n ? left : 0n
  }
}

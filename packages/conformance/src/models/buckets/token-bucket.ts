import type { TokenBucketPolicy } from '@sluice/core'
import { leastFrom, type Admissions, type Meaning } from '../model.js'

/** A bucket that was full for a day, and for the length of its longest block, is forgotten, and the next request starts a new one. */
const oneDayMs = 86_400_000

/** A bucket, replayed from its first day; its level is counted in exact parts of a token, `every` to one. */
export function tokenBucketMeaning(policy: TokenBucketPolicy): Meaning {
  const { capacity, refill, every, initial } = policy
  const full = BigInt(capacity) * BigInt(every)
  const shutMs =
    policy.block === undefined
      ? 0
      : policy.block.escalate === 1
        ? policy.block.for
        : policy.block.max

  function level(admissions: Admissions, at: number): bigint {
    let tokens = full
    let filledAt = admissions.length === 0 ? at : admissions[0].at
    for (const admission of admissions) {
      tokens = filled(tokens, admission.at - filledAt) - BigInt(admission.cost) * BigInt(every)
      filledAt = admission.at
    }
    return filled(tokens, at - filledAt)
  }

  function filled(tokens: bigint, elapsedMs: number): bigint {
    const more = tokens + BigInt(elapsedMs) * BigInt(refill)
    return more < full ? more : full
  }

  const meaning: Meaning = {
    quota: capacity,
    fits: (admissions, at, cost) => level(admissions, at) >= BigInt(cost) * BigInt(every),
  }
  if (initial === capacity) return meaning
  return {
    ...meaning,
    /** A bucket that starts with less is a full one from which the rest was taken at that moment. */
    born(admissions, at) {
      const last = admissions.at(-1)
      const isKnown =
        last !== undefined &&
        at < leastFrom(last.at, (then) => level(admissions, then) === full) + oneDayMs + shutMs
      return isKnown ? admissions : [{ at, cost: capacity - initial }]
    },
  }
}

import type { LeakyQueuePolicy } from '@sluice/core'
import { leastFrom, type Admissions, type Meaning } from '../model.js'

const tenYearsMs = 315_576_000_000

/** One request after another, each at max(its own time, next), in exact parts of a millisecond, `leak` to one. */
export function leakyQueueMeaning({ leak, every, maxDelay }: LeakyQueuePolicy): Meaning {
  function next(admissions: Admissions): bigint {
    let free = 0n
    for (const { at, cost } of admissions) {
      const asked = BigInt(at) * BigInt(leak)
      free = (asked > free ? asked : free) + BigInt(cost) * BigInt(every)
    }
    return free
  }

  function backlog(admissions: Admissions, at: number): bigint {
    const parts = next(admissions) - BigInt(at) * BigInt(leak)
    return parts > 0n ? parts : 0n
  }

  /** The request's own cost does not count: only the wait for earlier requests. */
  function fits(admissions: Admissions, at: number): boolean {
    return backlog(admissions, at) <= BigInt(maxDelay) * BigInt(leak)
  }

  return {
    quota: Number((BigInt(maxDelay) * BigInt(leak)) / BigInt(every)) + 1,
    greatest: Number((BigInt(tenYearsMs) * BigInt(leak)) / BigInt(every)),
    fits,
    remaining: (admissions, at) => leastFrom(0, (cost) => !fits([...admissions, { at, cost }], at)),
    isFull: (admissions, at) => backlog(admissions, at) === 0n,
    delay(admissions, at) {
      const parts = backlog(admissions, at)
      return Number((parts + BigInt(leak) - 1n) / BigInt(leak))
    },
  }
}

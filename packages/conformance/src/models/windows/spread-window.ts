import { leastFrom, type Admissions, type Meaning } from '../model.js'

/** The units that were taken in one window. */
interface Taken {
  readonly units: number
  readonly first: number
  readonly last: number
}

const nothing: Taken = { units: 0, first: 0, last: 0 }

/**
 * A window opens at the first allowed request and is `[first, first + window)`; the next one opens at the first allowed request after that.
 * The units of the older of the last two windows get moments that are evenly spread from its first to its last unit. Each of them
 * counts until one window after its moment, in exact parts of a millisecond, `units - 1` to one.
 */
export function spreadWindowMeaning(limit: number, windowMs: number): Meaning {
  /** Walks through all windows from the first on. A request that takes nothing opens no window. */
  function windowsAt(admissions: Admissions, now: number): { older: Taken; current: Taken } {
    let older = nothing
    let current = nothing
    for (const { at, cost } of admissions) {
      if (cost === 0) continue
      const { units, first } = current
      if (units > 0 && at < first + windowMs) {
        current = { units: units + cost, first, last: at }
      } else {
        older = current
        current = { units: cost, first: at, last: at }
      }
    }
    if (current.units > 0 && now < current.first + windowMs) return { older, current }
    return { older: current, current: nothing }
  }

  /** Counts the units that are still inside, by looking for the oldest of them. */
  function unitsInside({ units, first, last }: Taken, now: number): number {
    if (units === 1) return isInside(0n, 1n) ? 1 : 0
    const gaps = BigInt(units - 1)
    return units - leastFrom(0, (unit) => unit >= units || isInside(BigInt(unit), gaps))

    function isInside(unit: bigint, gaps: bigint): boolean {
      const moment = BigInt(first) * gaps + unit * BigInt(last - first)
      return moment + BigInt(windowMs) * gaps > BigInt(now) * gaps
    }
  }

  return {
    quota: limit,
    fits(admissions, at, cost) {
      const { older, current } = windowsAt(admissions, at)
      return unitsInside(older, at) + current.units + cost <= limit
    },
  }
}

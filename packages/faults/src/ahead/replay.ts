/** An allowed request of cost 1. Its moment by the server's clock, in milliseconds, is between these two. */
export type Admission = readonly [earliest: number, latest: number]

/** Returns the number of requests that a limit would have refused, of those that several processes have allowed. */
export type Replay = (admissions: readonly Admission[]) => number

/** Counts in windows that begin at multiples of the window. A request that may be of two windows is one of that which has room. */
export function replayWindows(limit: number, windowMs: number): Replay {
  return (admissions) => {
    const counts = new Map<number, number>()
    const count = (at: number): boolean => {
      const window = Math.floor(at / windowMs)
      const units = counts.get(window) ?? 0
      if (units < limit) counts.set(window, units + 1)
      return units < limit
    }
    // First those whose window is known.
    const inOne = ([from, to]: Admission): boolean =>
      Math.floor(from / windowMs) === Math.floor(to / windowMs)
    const isRefused = ([from, to]: Admission): boolean => !count(from) && !count(to)
    const known = admissions.filter(inOne).filter(isRefused)
    const others = admissions.filter((admission) => !inOne(admission)).filter(isRefused)
    return known.length + others.length
  }
}

/** Counts in sub-windows of the clock. The oldest one counts by the share of its time that is still in the window. */
export function replaySubWindows(limit: number, windowMs: number, buckets: number): Replay {
  const size = windowMs / buckets
  return (admissions) => {
    const counts = new Map<number, number>()
    const unitsAt = (index: number): number => counts.get(index) ?? 0
    const count = (at: number): boolean => {
      const index = Math.floor(at / size)
      let units = unitsAt(index - buckets) * (index + 1 - at / size)
      for (let i = 0; i < buckets; i++) units += unitsAt(index - i)
      // The sum of a share and whole numbers has an error of less than a millionth.
      if (units + 1 > limit + 1e-6) return false
      counts.set(index, unitsAt(index) + 1)
      return true
    }
    const inOrder = admissions.toSorted((a, b) => a[1] - b[1])
    return inOrder.filter(([from, to]) => !count(to) && !count(from)).length
  }
}

/** Counts by GCRA: each unit has an interval of its own, which begins no earlier than its request, and ends within the burst after it. */
export function replayRate(limit: number, windowMs: number, burst: number): Replay {
  const every = windowMs / limit
  return (admissions) => {
    let busyUntil = 0
    let refused = 0
    for (const [from, to] of admissions.toSorted((a, b) => a[1] - b[1])) {
      const end = Math.max(busyUntil, from) + every
      // The sum of many intervals has an error of less than a thousandth of one.
      if (end - to > burst * every + every / 1000) refused++
      else busyUntil = end
    }
    return refused
  }
}

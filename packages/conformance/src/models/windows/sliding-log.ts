import type { Meaning } from '../model.js'

/** A unit that was allowed at s counts in `[s, s + window)`: the window of a log, or a lease that is never released. */
export function slidingLogMeaning(limit: number, windowMs: number): Meaning {
  return {
    quota: limit,
    fits(admissions, at, cost) {
      const inside = admissions.filter((admission) => admission.at > at - windowMs)
      return inside.reduce((sum, admission) => sum + admission.cost, cost) <= limit
    },
  }
}

import type { Meaning } from './model.js'

/** What was admitted at s counts in `[s, s + window)`: a log's window, or a lease that nobody releases. */
export function slidingLogMeaning(limit: number, windowMs: number): Meaning {
  return {
    quota: limit,
    fits(admissions, at, cost) {
      const inside = admissions.filter((admission) => admission.at > at - windowMs)
      return inside.reduce((sum, admission) => sum + admission.cost, cost) <= limit
    },
  }
}

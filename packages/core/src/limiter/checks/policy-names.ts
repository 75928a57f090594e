import { sluiceError } from '../../errors.js'
import type { BoundPolicy } from '../../stores/store.js'
import { warn } from '../../warnings.js'

/** More than an application has plans, or tenants with their own limits; fewer than it has clients. */
const maxNames = 1000

/**
 * Warns if a limiter has so many policy names that clients probably choose them. In Redis, each name adds a row to the state of its key, and that
 * state is read and written as a whole.
 */
export function watchPolicyNames(limiter: string): (entries: readonly BoundPolicy[]) => void {
  const seen = new Set<string>()
  return function watch(entries) {
    if (seen.size >= maxNames) return
    for (const { name } of entries) seen.add(name)
    if (seen.size >= maxNames) {
      warn(sluiceError('SLUICE_POLICY_NAMES_MANY', limiter, seen.size, entries[0].name))
    }
  }
}

import type { Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import type { Store } from '../../stores/store.js'
import { namedPolicies } from './plan.js'

/** For each store, the limiter names in use and the policies of each. */
const taken = new WeakMap<Store, Map<string, string | undefined>>()

/**
 * Reserves a name in a store that limiters share. Two limiters with the same name and the same policies count together, as two processes do. The
 * same name with other policies is an error, because each limiter would read the counts of the other.
 *
 * @param policies undefined if each request has its own
 * @throws SluiceError SLUICE_NAME_TAKEN, SLUICE_OPTION_MISSING
 */
export function claimName(
  store: Store,
  name: string | undefined,
  policies: Policies | undefined,
): void {
  const names = taken.get(store) ?? new Map<string, string | undefined>()
  taken.set(store, names)
  const claimed = name ?? withoutName
  const mine = policies === undefined ? undefined : textOf(policies)
  const theirs = names.get(claimed)
  if (names.has(claimed)) {
    if (name === undefined) {
      const expected =
        'a name to each limiter of this store: another limiter has no name either, or is called "default", and both would count together'
      throw sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'name', expected)
    }
    if (mine !== undefined && theirs !== undefined && mine !== theirs) {
      throw sluiceError('SLUICE_NAME_TAKEN', name)
    }
  }
  names.set(claimed, theirs ?? mine)
}

/** The name of a limiter whose options contain no name. */
export const withoutName = 'default'

/** Equal policies have equal texts, in any order. */
function textOf(policies: Policies): string {
  return JSON.stringify(
    Object.entries(namedPolicies(policies)).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

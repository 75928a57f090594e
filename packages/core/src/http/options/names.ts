import type { Policies } from '../../limiter/bound-policies.js'
import { sluiceError } from '../../errors.js'
import { isPolicy } from '../../policy.js'
import type { Store } from '../../stores/store.js'

/** Which names are in use in which store, and by what policies. */
const taken = new WeakMap<Store, Map<string, string | undefined>>()

/**
 * Takes a name in a store that limiters share. The same name with the same policies counts together, as two processes do; with others it is
 * a mistake, since each would read what the other counts. `policies`: undefined where they are chosen for each request.
 *
 * @throws SluiceError SLUICE_NAME_TAKEN, SLUICE_OPTION_MISSING
 */
export function claimName(
  store: Store,
  name: string | undefined,
  policies: Policies | undefined,
): void {
  const names = taken.get(store) ?? new Map<string, string | undefined>()
  taken.set(store, names)
  const known = name ?? withoutName
  const mine = policies === undefined ? undefined : textOf(policies)
  const theirs = names.get(known)
  if (names.has(known)) {
    if (name === undefined) {
      const expected =
        'a name to each limiter of this store: another one has none either, or is called "default", and both would count together'
      throw sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'name', expected)
    }
    if (mine !== undefined && theirs !== undefined && mine !== theirs) {
      throw sluiceError('SLUICE_NAME_TAKEN', name)
    }
  }
  names.set(known, theirs ?? mine)
}

/** What a limiter is called that nobody has named. */
export const withoutName = 'default'

/** The same text for the same policies, in whatever order they are said. */
function textOf(policies: Policies): string {
  const named = isPolicy(policies) ? { default: policies } : policies
  return JSON.stringify(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1)))
}

import type { Policies } from '../entries.js'
import { sluiceError } from '../errors.js'
import type { Store } from '../stores/store.js'

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
  const known = name ?? ''
  const mine = policies === undefined ? undefined : JSON.stringify(policies)
  if (names.has(known)) {
    if (name === undefined) {
      const expected =
        'a name to each limiter of this store: another one has none either, and both would count together'
      throw sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'name', expected)
    }
    const theirs = names.get(known)
    if (mine !== undefined && theirs !== undefined && mine !== theirs) {
      throw sluiceError('SLUICE_NAME_TAKEN', name)
    }
  }
  names.set(known, mine)
}

import { sluiceError } from '../../errors.js'
import type { Policies } from '../../limiter/limiter-policies.js'
import { makeLimiter } from '../../limiter/create-limiter.js'
import type { Limiter } from '../../limiter/limiter.js'
import type { NameUse } from '../../limiter/names.js'
import { namedPolicies } from '../../policy.js'
import type { Store } from '../../stores/store.js'
import type { RateLimitOptions } from '../options/options.js'

/** The name of a limiter whose options contain no name. */
export const withoutName = 'default'

/**
 * Makes the limiter of a guard.
 *
 * @param stated the name; undefined if the options contain none
 * @throws SluiceError if another limiter of its store has the same name, and they would count together by different limits
 */
export function guardLimiter<R, H>(
  { clock, onStoreError, localShare, store }: RateLimitOptions<R, H>,
  stated: string | undefined,
  policies: Policies,
  perRequest: boolean,
): Limiter {
  const own = { name: stated ?? withoutName, policies, store, clock, onStoreError, localShare }
  return makeLimiter<Store>(own, guardNames(stated, perRequest ? undefined : policies))
}

/**
 * The names of a `rateLimit`, besides those of every limiter. Two of them with the same name and the same policies count together, as two processes do.
 * Other numbers are a mistake, because both would count together by different limits. So are two without a name.
 *
 * @param name undefined if the options contain none
 * @param policies undefined if each request has its own
 */
function guardNames(name: string | undefined, policies: Policies | undefined): NameUse[] {
  const claimed = name ?? withoutName
  const use: NameUse = {
    name: JSON.stringify(['rateLimit', claimed]),
    content: '',
    conflictWith() {
      if (name !== undefined) return undefined
      const expected =
        'a name to each limiter of this store: another limiter has no name either, or is called "default", and both would count together'
      return sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'name', expected)
    },
  }
  if (policies === undefined) return [use]
  const content = textOf(policies)
  const ofPolicies: NameUse = {
    name: JSON.stringify(['policies', claimed]),
    content,
    conflictWith: (other) =>
      other === content ? undefined : sluiceError('SLUICE_NAME_TAKEN', claimed),
  }
  return [use, ofPolicies]
}

/** Equal policies have equal texts, in any order. */
function textOf(policies: Policies): string {
  return JSON.stringify(
    Object.entries(namedPolicies(policies)).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

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
 * Makes the limiter of a guard. It claims two names besides those of every limiter. Two guards of the same name and the same policies count together, as two
 * processes do. Other policies are a mistake, because both would count together by different limits. So are two guards without a name.
 *
 * @param stated the name; undefined if the options contain none
 * @param perRequest whether each request has its own policies
 * @throws SluiceError if another limiter of its store has the same name, and they would count together by different limits
 */
export function guardLimiter<R, H>(
  { clock, onStoreError, localShare, store }: RateLimitOptions<R, H>,
  stated: string | undefined,
  policies: Policies,
  perRequest: boolean,
): Limiter {
  const name = stated ?? withoutName
  const own: NameUse = {
    name: JSON.stringify(['rateLimit', name]),
    content: '',
    conflictWith() {
      if (stated !== undefined) return undefined
      const expected =
        'a name to each limiter of this store: another limiter has no name either, or is called "default", and both would count together'
      return sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'name', expected)
    },
  }
  // Equal policies have equal texts, in any order.
  const content = JSON.stringify(
    Object.entries(namedPolicies(policies)).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
  const ofPolicies: NameUse = {
    name: JSON.stringify(['policies', name]),
    content,
    conflictWith: (other) =>
      other === content ? undefined : sluiceError('SLUICE_NAME_TAKEN', name),
  }
  const names = perRequest ? [own] : [own, ofPolicies]
  return makeLimiter<Store>({ name, policies, store, clock, onStoreError, localShare }, names)
}

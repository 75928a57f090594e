import { sluiceError } from '../../errors.js'
import type { Policies } from '../../limiter/bound-policies.js'
import type { NameUse } from '../../limiter/names.js'
import { namedPolicies } from '../../policy.js'

/**
 * The names of a `rateLimit`, besides those of every limiter. Two of them with the same name and the same policies count together, as two processes do.
 * Other numbers are a mistake, because both would count together by different limits. So are two without a name.
 *
 * @param name undefined if the options contain none
 * @param policies undefined if each request has its own
 */
export function guardNames(name: string | undefined, policies: Policies | undefined): NameUse[] {
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

/** The name of a limiter whose options contain no name. */
export const withoutName = 'default'

/** Equal policies have equal texts, in any order. */
function textOf(policies: Policies): string {
  return JSON.stringify(
    Object.entries(namedPolicies(policies)).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

import { sluiceError } from '../../errors.js'
import { isCount } from '../../options/predicates.js'
import type { BoundPolicy } from '../../stores/store.js'
import type { Policies } from '../bound-policies.js'
import { counts } from '../counted-policies.js'

/** The most units that one `penalize` takes or one `refund` gives. */
const mostUnits = 2 ** 31

/** What the methods of a limiter refuse in their arguments, each with a coded error. */
export interface ArgumentChecks {
  /** The units of a refund or a penalty. */
  count(value: number): number
  /** An owner, or the id of a lease. */
  text(name: string, value: unknown): string
  assertPenalty(entries: readonly BoundPolicy[], units: number): void
  assertBlockable(entries: readonly BoundPolicy[]): void
}

export function argumentChecks(where: string, policies: Policies): ArgumentChecks {
  function assertPenalty(entries: readonly BoundPolicy[], units: number): void {
    const most = Math.min(...entries.map(({ steps, params }) => steps.maxPenalty(params)))
    if (units <= most) return
    const expected = `at most ${most}: more cannot be counted exactly`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', units, expected)
  }

  function assertBlockable(entries: readonly BoundPolicy[]): void {
    if (entries.length === 0 || entries.some(counts)) return
    const expected = 'a policy that can deny among them: "unlimited" allows everything'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function count(value: number): number {
    if (isCount(value) && value <= mostUnits) return value
    const expected = `a whole number from 0 to ${mostUnits}`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', value, expected)
  }

  function text(what: string, value: unknown): string {
    if (typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)) return value
    const expected = 'a non-empty string of whole characters'
    throw sluiceError('SLUICE_OPTION_INVALID', where, what, value, expected)
  }

  return { count, text, assertPenalty, assertBlockable }
}

import { sluiceError } from '../../errors.js'
import { isCount } from '../../options/predicates.js'
import type { BoundPolicy } from '../../stores/store.js'
import { countedOf, type Policies } from '../bound-policies.js'

/** The most units of one `penalize` or `refund`. */
const maxUnits = 2 ** 31

/** Checks of the arguments that the methods of a limiter take. Each invalid argument is an error with a code. */
export interface ArgumentChecks {
  /** The units of a refund or a penalty. */
  count(value: unknown): number
  /** The owner or the id of a lease. */
  text(name: string, value: unknown): string
  assertPenalty(entries: readonly BoundPolicy[], units: number): void
  assertBlockable(entries: readonly BoundPolicy[]): void
}

export function argumentChecks(where: string, policies: Policies): ArgumentChecks {
  function assertPenalty(entries: readonly BoundPolicy[], units: number): void {
    const max = Math.min(...entries.map(({ steps, params }) => steps.maxPenalty(params)))
    if (units <= max) return
    const expected = `at most ${max}: larger numbers cannot be counted exactly`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', units, expected)
  }

  function assertBlockable(entries: readonly BoundPolicy[]): void {
    if (entries.length === 0 || countedOf(entries).length > 0) return
    const expected = 'at least one policy that can deny: "unlimited" allows everything'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function count(value: unknown): number {
    if (isCount(value) && value <= maxUnits) return value
    const expected = `a whole number from 0 to ${maxUnits}`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', value, expected)
  }

  function text(name: string, value: unknown): string {
    if (typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)) return value
    const expected = 'a non-empty string without unpaired surrogates'
    throw sluiceError('SLUICE_OPTION_INVALID', where, name, value, expected)
  }

  return { count, text, assertPenalty, assertBlockable }
}

import { sluiceError } from '../errors.js'
import type { Costs, Keys } from '../limiter/arguments.js'
import type { Policies } from '../limiter/bound-policies.js'
import { optionsObject, rejectUnknown } from '../options/readers.js'

/** The key, cost and policies of a call of a limited function. */
export interface LimitedCall {
  /**
   * The key, or a record from policy name to key. `notLimited` leaves a policy out, or all of them in place of the whole key. A missing or empty key
   * is an error, and so is a record that does not name exactly the policies of the call.
   */
  readonly key: Keys
  /**
   * Units that the call takes: a whole number, or a record from the name of a policy to a number. A policy that the record leaves out takes 1.
   *
   * @default 1
   */
  readonly cost?: Costs
  /** The policies of the call, in place of those of the limiter. */
  readonly policies?: Policies
  /** Ends the wait, also the delay of a leaky queue: the call rejects with the signal's reason and takes no units. */
  readonly signal?: AbortSignal | undefined
}

const fields: readonly (keyof LimitedCall)[] = ['key', 'cost', 'policies', 'signal']

/**
 * Checks the parts of a call that the limiter does not check. A `cost` or `policies` that is present and undefined is an error: the limiter would
 * use its default, and a client whose plan was not found would have the limit of another plan.
 *
 * @throws SluiceError SLUICE_OPTIONS_INVALID, SLUICE_OPTION_UNKNOWN, SLUICE_OPTION_RENAMED, SLUICE_OPTION_MISPLACED, SLUICE_OPTION_MISSING,
 * SLUICE_OPTION_INVALID, SLUICE_COST_INVALID
 */
export function checkLimitedCall(limiter: string, call: LimitedCall): void {
  const where = `limiter "${limiter}", limited call`
  const given = optionsObject(where, call, fields)
  rejectUnknown(where, given, fields)
  if (!Object.hasOwn(given, 'key')) {
    const expected = 'a key, such as ["user", id], or a record from policy name to key'
    throw sluiceError('SLUICE_OPTION_MISSING', where, 'key', expected)
  }
  if ('cost' in given && given['cost'] === undefined) {
    throw sluiceError('SLUICE_COST_INVALID', limiter, undefined)
  }
  if ('policies' in given && given['policies'] === undefined) {
    const expected = 'a policy or a record from name to policy, or leave "policies" out'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', undefined, expected)
  }
  const { signal } = given
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'signal', signal, 'an AbortSignal')
  }
}

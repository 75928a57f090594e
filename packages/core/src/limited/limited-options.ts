import type { Decision } from '../limiter/decision.js'
import { anything, readOptions, signalOption, type Duration } from '../options/readers.js'
import { sluiceError } from '../errors.js'
import type { Costs, Keys, PeekOptions } from '../limiter/arguments.js'
import type { Policies } from '../limiter/limiter-policies.js'

/** The arguments of a function. */
export type Arguments = unknown[]

/** Options of `limited`. `A` are the arguments of the function, `T` is its `this`, and `R` the value of a denied call. */
export interface LimitedOptions<A extends Arguments = Arguments, T = unknown, R = unknown> {
  /**
   * Makes a call over the limit wait until it is allowed, for at most `max`. A call that is known to need longer is denied at once. Without this option, calls
   * do not wait.
   */
  readonly wait?:
    | {
        /** The longest wait. */
        readonly max: Duration
      }
    | undefined
  /**
   * The longest time for which a call renews its lease of a `concurrency` policy. The lease of a function that hangs then expires, with the warning SLUICE_HELD_LONG.
   *
   * @default '1h'
   */
  readonly maxHold?: Duration | undefined
  /**
   * Returns the value of a denied call, in place of the function.
   *
   * @default a rejection with a DeniedError
   */
  readonly onDenied?: ((this: T, decision: Decision, ...args: ArgumentsOf<A>) => R) | undefined
}

/** `A`, but not as a source of inference. With `NoInfer`, a function that omits parameters would not compile. */
export type ArgumentsOf<A extends Arguments> = Parameters<(...args: A) => void>

/** The key, cost and policies of a call of a limited function. */
export interface LimitedCall extends PeekOptions {
  /**
   * The key, or a record from policy name to key. `notLimited` leaves a policy out, or all of them in place of the whole key. A missing or empty key is an
   * error, and so is a record that does not name exactly the policies of the call.
   */
  readonly key: Keys
  /** Units that the call takes, 1 by default. Undefined is an error. */
  readonly cost?: Costs
  /** The policies of the call, in place of those of the limiter. Undefined is an error. */
  readonly policies?: Policies
  /** Ends the wait, also the delay of a leaky queue: the call rejects with the signal's reason and takes no units. */
  readonly signal?: AbortSignal | undefined
}

const callReaders = { key: anything, cost: anything, policies: anything, signal: signalOption }

/**
 * Checks what the limiter does not. A `cost` or `policies` that is present and undefined is an error: by the default of the limiter, a client whose plan was
 * not found would have the limit of another plan.
 *
 * @throws SluiceError if a part is missing, unknown or wrong
 */
export function checkLimitedCall(limiter: string, call: LimitedCall): void {
  const where = `limiter "${limiter}", limited call`
  readOptions(where, call, callReaders)
  if (!Object.hasOwn(call, 'key')) {
    const expected = 'a key, such as ["user", id], or a record from policy name to key'
    throw sluiceError('SLUICE_OPTION_MISSING', where, 'key', expected)
  }
  if ('cost' in call && call.cost === undefined) {
    throw sluiceError('SLUICE_COST_INVALID', limiter, undefined)
  }
  if ('policies' in call && call.policies === undefined) {
    const expected = 'a policy or a record from name to policy, or leave "policies" out'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', undefined, expected)
  }
}

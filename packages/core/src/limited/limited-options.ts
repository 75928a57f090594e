import type { Decision } from '../limiter/decision.js'
import { isFunction } from '../options/predicates.js'
import { checkedIfGiven, readOptions, waitOption, type Duration } from '../options/readers.js'

/** The arguments of a function. */
export type Arguments = unknown[]

/** Options of `limited`. `A` are the arguments of the function, `T` is its `this`, and `R` the value of a denied call. */
export interface LimitedOptions<A extends Arguments = Arguments, T = unknown, R = unknown> {
  /**
   * Makes a call over the limit wait until it is allowed, for at most `max`. A call that is known to need longer is denied at once. Without this
   * option, calls do not wait.
   */
  readonly wait?: {
    /** The longest wait. */
    readonly max: Duration
  }
  /**
   * Returns the value of a denied call, in place of the function.
   *
   * @default a rejection with a DeniedError
   */
  readonly onDenied?: (this: T, decision: Decision, ...args: ArgumentsOf<A>) => R
}

/** `A`, but not as a source of inference. With `NoInfer`, a function that omits parameters would not compile. */
export type ArgumentsOf<A extends Arguments> = Parameters<(...args: A) => void>

/** @throws SluiceError if an option is unknown or wrong */
export function checkLimitedOptions(options: object): void {
  readOptions('limited', options, readers)
}

const readers = {
  wait: waitOption,
  onDenied: checkedIfGiven('a function of the decision and the arguments', isFunction),
}

import type { Decision } from '../limiter/decision.js'
import type { Policies } from '../limiter/bound-policies.js'
import { isNotLimited, joinKey, type Key, type NotLimited } from '../keys.js'
import {
  isCount,
  optional,
  readOptions,
  shortDuration,
  type Duration,
  type OptionReader,
} from '../options/readers.js'
import { isPolicy } from '../policy.js'

/** The arguments of a function. */
export type Arguments = unknown[]

/** A key, or what finds it by the arguments of a call. `notLimited` leaves the policy out. */
export type KeyOfCall<A extends Arguments, T> = Key | NotLimited | OfCall<Key | NotLimited, A, T>

/** Finds something by the arguments of a call and its `this`. */
export type OfCall<V, A extends Arguments, T> = (this: T, ...args: A) => V | PromiseLike<V>

/**
 * The options of `limited`. A function among them gets the arguments of the limited one and its `this`, and names as many of them as it needs:
 * `K` are the arguments that `key` takes, and what `cost`, `policies`, `signal` and `onDenied` take has a type each.
 */
export interface LimitedOptions<
  K extends Arguments = Arguments,
  T = unknown,
  C extends Arguments = K,
  P extends Arguments = K,
  S extends Arguments = K,
  D extends Arguments = K,
  R = unknown,
> {
  /**
   * Whose calls count together: a key, a function of the arguments that gives one, or a record from policy name to either. `notLimited` leaves a
   * policy out, and in the place of the whole key all of them. A key that is missing or empty is an error, and so is a record that a function
   * returns: an argument that came from a client would choose the keys.
   */
  readonly key: KeyOfCall<K, T> | Readonly<Record<string, KeyOfCall<K, T>>>
  /**
   * How many units a call takes.
   *
   * @default 1
   */
  readonly cost?: number | OfCall<number, C, T>
  /** The policies of this function or of each call, in the place of the limiter's. */
  readonly policies?: Policies | OfCall<Policies, P, T>
  /** Over the limit, a call is held until it is admitted, `max` at the longest. */
  readonly wait?: { readonly max: Duration }
  /** Ends the wait of a call, also for a leaky queue: it rejects with the signal's reason, and nothing is taken. */
  readonly signal?: AbortSignal | ((this: T, ...args: S) => AbortSignal | undefined)
  /**
   * What a denied call gives in the place of its own value.
   *
   * @default a rejection with a DeniedError
   */
  readonly onDenied?: (this: T, decision: Decision, ...args: D) => R
}

/**
 * Looks at each option.
 *
 * @throws SluiceError where one is missing, unknown or wrong
 */
export function checkLimitedOptions(options: object): void {
  readOptions('limited', options, readers)
}

const readers: Readonly<Record<keyof LimitedOptions, OptionReader<unknown>>> = {
  key: checked(
    'a non-empty string, a list of parts, a function of the arguments that gives one of these, or a record from policy name to any of them',
    (value) => isKeyOfCall(value) || (isRecord(value) && Object.values(value).every(isKeyOfCall)),
  ),
  cost: optional(
    checked(
      'a whole number, 0 or more, or a function of the arguments that gives one',
      (value) => isFunction(value) || isCount(value),
    ),
    undefined,
  ),
  policies: optional(
    checked(
      'a policy, a record from name to policy, or a function of the arguments that gives one of these',
      (value) => isFunction(value) || isPolicy(value) || isRecord(value),
    ),
    undefined,
  ),
  wait: optional(
    checked(
      `an object such as { max: '5s' }`,
      (value) =>
        isRecord(value) && readOptions('wait', value, { max: shortDuration }) !== undefined,
    ),
    undefined,
  ),
  signal: optional(
    checked(
      'an AbortSignal, or a function of the arguments that gives one',
      (value) => isFunction(value) || value instanceof AbortSignal,
    ),
    undefined,
  ),
  onDenied: optional(
    checked('a function of the decision and the arguments', isFunction),
    undefined,
  ),
}

/** Options are only checked here, and used by the types they were passed in. */
function checked(expected: string, holds: (value: unknown) => boolean): OptionReader<unknown> {
  return { expected, read: (value) => (holds(value) ? value : undefined) }
}

function isKeyOfCall(value: unknown): boolean {
  return isFunction(value) || isNotLimited(value) || joinKey(value) !== undefined
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

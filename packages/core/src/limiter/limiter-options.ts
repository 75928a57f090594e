import type { Clock } from '../clock.js'
import type { Policies } from './bound-policies.js'
import { sluiceError } from '../errors.js'
import { isBoolean, isFunction, isText } from '../options/predicates.js'
import {
  checked,
  checkedIfGiven,
  oneOf,
  optional,
  readOptions,
  type OptionReader,
} from '../options/readers.js'
import { isPolicy, type Policy } from '../policy.js'
import type { OnStoreError } from '../stores/layers/fallback.js'
import { storeOption } from '../options/store-option.js'
import { contractVersion, storeContract, type Store, type StoreContract } from '../stores/store.js'

export type { OnStoreError }

/** What `createLimiter` takes: `policies`, or in their place `policy`. */
export type AnyLimiterOptions<S extends Store> =
  | (LimiterOptions<S> & { readonly policy?: undefined })
  | (Omit<LimiterOptions<S>, 'policies'> & SinglePolicyOption & { readonly policies?: undefined })

export interface LimiterOptions<S extends Store> {
  /** The namespace of the counters in the store. */
  readonly name: string
  /** What is allowed. A request is admitted if all policies admit it, and is then counted in all of them, else in none. */
  readonly policies: Policies
  /**
   * Where the counts live. The same store can serve many limiters.
   *
   * @default memoryStore()
   */
  readonly store?: S
  /**
   * Milliseconds since the epoch. Where it is given it rules everywhere, in Redis too: for tests and replays. Two clocks that differ need a
   * store each.
   *
   * @default the store's own time
   */
  readonly clock?: Clock
  /**
   * What decides while the store cannot: a memory store in this process (`local`), or nobody, and everything is allowed or denied. The
   * decision's `source` says so.
   *
   * @default 'local'
   */
  readonly onStoreError?: OnStoreError
  /**
   * The share of each limit that this process admits by itself while the store is away, rounded up: 0.25 for four processes. Limiters of
   * one name in one store share it.
   *
   * @default 1
   */
  readonly localShare?: number
  /**
   * Whether a key that the store denied is denied for up to a second without asking again. What this process gives back, releases or resets
   * ends that at once; what another process does is seen up to a second late.
   *
   * @default true
   */
  readonly denyCache?: boolean
}

export interface SinglePolicyOption {
  /** What is allowed, as one policy. Its name is 'default'. */
  readonly policy: Policy
}

/** The options that `rateLimit` takes as well. */
export const commonReaders: {
  readonly name: OptionReader<string>
  readonly policy: OptionReader<unknown>
  readonly store: OptionReader<unknown>
  readonly clock: OptionReader<unknown>
  readonly onStoreError: OptionReader<OnStoreError>
  readonly localShare: OptionReader<number>
} = {
  name: checked('a non-empty string: the namespace of the counters', isText),
  policy: checkedIfGiven(
    'one policy, such as slidingWindow({ limit: 100, window: "1m" }); several go into "policies"',
    isPolicy,
  ),
  store: storeOption,
  clock: checkedIfGiven('a function that returns milliseconds since the epoch', isFunction),
  onStoreError: optional(oneOf('local', 'allow', 'deny'), 'local'),
  localShare: optional(checked('a number above 0, up to 1', isShare), 1),
}

const readers = {
  ...commonReaders,
  // The limiter refuses what is not a policy.
  policies: checkedIfGiven('', () => true),
  denyCache: optional(checked('true or false', isBoolean), true),
}

/**
 * Looks at each option, and gives those that have a default.
 *
 * @throws SluiceError where one is missing, unknown or wrong, or the store is of a version of this package that means something else
 */
export function readLimiterOptions(options: unknown): {
  readonly onStoreError: OnStoreError
  readonly localShare: number
  readonly denyCache: boolean
} {
  const { store, ...read } = readOptions('createLimiter', options, readers)
  assertContract(store)
  return read
}

/** A store of another copy of this package works if both mean the same by what they pass to each other. */
function assertContract(store: unknown): void {
  if (!hasContract(store)) return
  const { version } = store[storeContract]
  if (version !== contractVersion) {
    throw sluiceError('SLUICE_STORE_FOREIGN', 'createLimiter', version, contractVersion)
  }
}

function hasContract(store: unknown): store is { readonly [storeContract]: StoreContract } {
  return typeof store === 'object' && store !== null && storeContract in store
}

/**
 * What a limiter allows, by whichever of two options it is said.
 *
 * @throws SluiceError SLUICE_OPTIONS_CONFLICT, SLUICE_OPTION_MISSING
 */
export function statedPolicies({ policy, policies = policy }: AnyLimiterOptions<Store>): Policies {
  if (policies === undefined) {
    const expected = `a policy, such as slidingWindow({ limit: 100, window: "1m" }), or a record from name to policy`
    throw sluiceError('SLUICE_OPTION_MISSING', 'createLimiter', 'policies', expected)
  }
  if (policy !== undefined && policies !== policy) {
    const advice = 'Put all of them into "policies", each with a name'
    throw sluiceError('SLUICE_OPTIONS_CONFLICT', 'createLimiter', 'policy', 'policies', advice)
  }
  return policies
}

function isShare(value: unknown): value is number {
  return typeof value === 'number' && value > 0 && value <= 1
}

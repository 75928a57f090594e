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
import type { Excluding, Requiring } from '../options/forms.js'
import { isPolicy, type Policy } from '../policy.js'
import type { OnStoreError } from '../stores/layers/fallback.js'
import { storeOption } from '../options/store-option.js'
import { contractVersion, storeContract, type Store, type StoreContract } from '../stores/store.js'

export type { OnStoreError }

/** Options of `createLimiter`: `policies`, or `policy` if there is only one, and any of the others. */
export type LimiterOptions<S extends Store> = AllLimiterOptions<S> &
  ((Requiring<'policies'> & Excluding<'policy'>) | (Requiring<'policy'> & Excluding<'policies'>))

// A type literal: see options/forms.ts.
type AllLimiterOptions<S extends Store> = {
  /** The namespace of the counters in the store. */
  readonly name: string
  /** The policies. A request is allowed, and counts, only if all of them allow it. */
  readonly policies?: Policies
  /** The only policy, in place of `policies`. Its name is 'default'. */
  readonly policy?: Policy
  /**
   * Keeps the counts. One store can serve many limiters.
   *
   * @default memoryStore()
   */
  readonly store?: S
  /**
   * Returns milliseconds since the epoch, in place of the time of the store: for tests and replays. Limiters with different clocks need different
   * stores.
   *
   * @default the store's own time
   */
  readonly clock?: Clock
  /**
   * How requests are decided while the store is unavailable: by a memory store in this process (`local`), or all are allowed, or all denied. The
   * `source` of a decision shows it.
   *
   * @default 'local'
   */
  readonly onStoreError?: OnStoreError
  /**
   * The share of each limit that this process allows while the store is unavailable, rounded up: 0.25 for four processes. Limiters of the same name
   * and store use one share together.
   *
   * @default 1
   */
  readonly localShare?: number
  /**
   * Whether this process remembers a denial by the store for up to a second, and repeats it without asking the store. A refund, release or reset by
   * this process takes effect at once, one by another process up to a second late.
   *
   * @default true
   */
  readonly denyCache?: boolean
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
  // `bindPolicies` checks the policies.
  policies: checkedIfGiven('', () => true),
  denyCache: optional(checked('true or false', isBoolean), true),
}

/**
 * Checks each option, and returns those that have a default.
 *
 * @throws SluiceError if an option is missing, unknown or invalid, or the store belongs to a version of this package with another contract
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

/** A store of another copy of this package works if both copies have the same contract. */
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
 * The policies of a limiter, from either of the two options.
 *
 * @throws SluiceError SLUICE_OPTIONS_CONFLICT, SLUICE_OPTION_MISSING
 */
export function statedPolicies({ policy, policies = policy }: LimiterOptions<Store>): Policies {
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

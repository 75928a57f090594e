import type { Clock } from '../clock.js'
import type { Policies } from './limiter-policies.js'
import { sluiceError } from '../errors.js'
import { hasMethod, isBoolean, isFunction, isText } from '../options/predicates.js'
import {
  anything,
  checked,
  checkedIfGiven,
  oneOf,
  optional,
  partOfOne,
  readOptions,
  type Duration,
  type DurationLiteral,
  type OptionReader,
  type Excluding,
  type Requiring,
} from '../options/readers.js'
import {
  assertNoConflict,
  policyConflicts,
  policyReaders,
  shortForm,
  type Algorithm,
} from './limit-options.js'
import type { OnStoreError } from './fallback.js'
import { contractVersion, storeContract, type Store } from '../stores/store.js'

/** Options of `createLimiter`: `policies`, or `limit` and `window`; and any of the others. `W` is the type of `window`: a literal must be a duration. */
export type LimiterOptions<S extends Store, W = Duration> = AllLimiterOptions<S> & {
  readonly [N in 'window']?: DurationLiteral<W> | undefined
} & (
    | (Requiring<'policies'> & Excluding<ShortOption>)
    | (Requiring<'limit' | 'window'> & Excluding<'policies'>)
  )

type ShortOption = 'limit' | 'window' | 'algorithm'

// Type literals: see `Requiring` in options/readers.ts.
/** The options that `createLimiter` and `rateLimit` have. */
export type CommonOptions<S extends Store> = {
  /**
   * Keeps the counts. One store can serve many limiters.
   *
   * @default memoryStore()
   */
  readonly store?: S | undefined
  /**
   * Returns milliseconds since the epoch, in place of the time of the store: for tests and replays. Limiters with different clocks need different stores.
   *
   * @default the store's own time
   */
  readonly clock?: Clock | undefined
  /**
   * How requests are decided while the store is unavailable: by a memory store in this process (`local`), or all are allowed, or all denied. The `source` of a
   * decision shows it.
   *
   * @default 'local'
   */
  readonly onStoreError?: OnStoreError | undefined
  /**
   * The share of each limit that this process allows while the store is unavailable, rounded up: 0.25 for four processes. Limiters of the same name and store
   * use one share together.
   *
   * @default 1
   */
  readonly localShare?: number | undefined
}

type AllLimiterOptions<S extends Store> = CommonOptions<S> & {
  /** The namespace of the counters in the store. */
  readonly name: string
  /** One policy, or a record of named ones. A request is allowed, and counts, only if all of them allow it. The name of one policy is 'default'. */
  readonly policies?: Policies | undefined
  /** Units that each key may consume in a `window`, in place of `policies`. 0 denies everything. */
  readonly limit?: number | undefined
  /** The length of the window. Required with `limit`. */
  readonly window?: Duration | undefined
  /**
   * The builder that makes the only policy of `limit` and `window`.
   *
   * @default slidingWindow
   */
  readonly algorithm?: Algorithm | undefined
  /**
   * Whether this process remembers a denial by the store for up to a second, and repeats it without asking the store. A refund, release or reset by this
   * process takes effect at once, one by another process up to a second late.
   *
   * @default true
   */
  readonly denyCache?: boolean | undefined
}

/** The option `name`. */
export const nameOption: OptionReader<string> = checked(
  'a non-empty string: the namespace of the counters',
  isText,
)

/** The option `store`, with advice about other things that hold counts. */
const storeOption: OptionReader<unknown> = {
  expected: 'memoryStore(), redisStore(client) or another store',
  read: (value) => (hasMethod(value, 'run') ? value : undefined),
  default: undefined,
  advice(value) {
    const has = (...names: string[]): boolean => names.every((name) => hasMethod(value, name))
    if (typeof value === 'string')
      return /^postgres(?:ql)?:/.test(value)
        ? 'Make a pool for the address, and pass postgresStore(pool) of @sluice/postgres'
        : 'Make a client for the address, and pass redisStore(client)'
    if (has('unsafe')) return `${likely} postgres.js: pass postgresStore(sql) of @sluice/postgres`
    if (typeof value === 'function') return 'Call the function that makes the store'
    if (has('load', 'save'))
      return `${likely} a database: pass databaseStore(database) of @sluice/core/database`
    // The pools of MySQL have `execute` too.
    if (has('query') && !has('execute'))
      return `${likely} a pool of pg: pass postgresStore(pool) of @sluice/postgres`
    if (has('prepare'))
      return `${likely} an SQLite database: pass sqliteStore(database) of @sluice/sqlite`
    if (has('evalsha') || has('evalSha') || has('sendCommand'))
      return `${likely} a Redis client: pass redisStore(client)`
    const ofOthers = ['increment', 'incr', 'get', 'consume']
    const isOfOthers = ofOthers.some((name) => has(name))
    return isOfOthers ? 'A store of another library cannot hold the counts of Sluice' : undefined
  },
}

const likely = 'This looks like'

/** The readers of `CommonOptions`. */
export const commonReaders: {
  readonly store: OptionReader<unknown>
  readonly clock: OptionReader<unknown>
  readonly onStoreError: OptionReader<OnStoreError>
  readonly localShare: OptionReader<number>
} = {
  store: storeOption,
  clock: checkedIfGiven('a function that returns milliseconds since the epoch', isFunction),
  onStoreError: optional(oneOf('local', 'allow', 'deny'), 'local'),
  localShare: optional(partOfOne, 1),
}

const readers = {
  name: nameOption,
  ...policyReaders,
  // `limiterPolicies` checks the policies.
  policies: anything,
  ...commonReaders,
  denyCache: optional(checked('true or false', isBoolean), true),
}

type CheckedOptions = {
  readonly [N in 'policies' | 'onStoreError' | 'localShare' | 'denyCache']: NonNullable<
    AllLimiterOptions<Store>[N]
  >
}

/**
 * Checks each option, and those that exclude each other. Returns the policies, and the options that have a default.
 *
 * @throws SluiceError if an option is missing, unknown or invalid, or two exclude each other, or the store belongs to a version of this package with another
 * contract
 */
export function readLimiterOptions(options: LimiterOptions<Store>): CheckedOptions {
  const checked = readOptions(where, options, readers)
  const contract = options.store?.[storeContract]
  // A store of another copy of this package works if both copies have the same contract.
  if (contract !== undefined && contract.version !== contractVersion) {
    throw sluiceError('SLUICE_STORE_FOREIGN', where, contract.version, contractVersion)
  }
  assertNoConflict(where, options, policyConflicts)
  if (options.policies !== undefined) return { ...checked, policies: options.policies }
  const { limit, build } = shortForm(where, options)
  return { ...checked, policies: build(limit) }
}

const where = 'createLimiter'

import type { Clock } from '../clock.js'
import type { Policies } from '../entries.js'
import { sluiceError } from '../errors.js'
import {
  checked,
  duration,
  isCount,
  oneOf,
  optional,
  readOptions,
  type Duration,
  type OptionReader,
} from '../option-readers.js'
import { isPolicy, type Policy } from '../policy.js'
import type { Key } from '../keys.js'
import { awayOptions, type OnStoreError } from '../limiter-options.js'
import type { Store } from '../stores/store.js'
import type { AccessList } from './access-list.js'
import type { Awaitable } from './awaitable.js'
import type { DenialBody, DenialBodyFunction } from './denial.js'
import type { HeaderStyle } from './header-fields.js'
import type { KeyOption } from './key-option.js'
import type { ResponseOutcome } from './response.js'

/** A builder that takes `limit` and `window`: `fixedWindow`, `slidingWindow`, `gcra`, or one of your own. */
export type Algorithm = (options: { limit: number; window: Duration }) => Policy

/**
 * The options of `rateLimit`, the same in every framework. `R` is the framework's request, `H` its handler of a denial. What is
 * allowed is said in one of three ways: `limit` and `window`, `policy`, or `policies`.
 */
export interface RateLimitOptions<R, H> {
  /** How many units each key may take in a `window`. As a function: asked for each request. */
  readonly limit?: number | ((request: R) => Awaitable<number>)
  /** In how much time: it goes with `limit`. */
  readonly window?: Duration
  /**
   * The builder that makes a policy of `limit` and `window`.
   *
   * @default slidingWindow
   */
  readonly algorithm?: Algorithm
  /** What is allowed, as one policy. Its name is 'default'. */
  readonly policy?: Policy
  /** Named policies, all of which must allow. As a function: the caller's plan, asked for each request. */
  readonly policies?: Policies | ((request: R) => Awaitable<Policies>)
  /**
   * The namespace of the counters in the store. Limiters that share a store need a name each.
   *
   * @default 'default'
   */
  readonly name?: string
  /**
   * Where the counts live. The same store can serve many limiters.
   *
   * @default memoryStore()
   */
  readonly store?: Store
  /**
   * Milliseconds since the epoch, in the place of the store's own time: for tests and replays.
   *
   * @default the store's own time
   */
  readonly clock?: Clock
  /**
   * What decides while the store cannot: a memory store in this process, or nobody, and everything is allowed or denied.
   *
   * @default 'local'
   */
  readonly onStoreError?: OnStoreError
  /**
   * The share of each limit that this process admits by itself while the store is away, rounded up.
   *
   * @default 1
   */
  readonly localShare?: number
  /**
   * Who is asking: a string, parts that belong together such as `['user', id]` or `[byIp(), byRoute()]`, a function that gives one of
   * these, or a record from policy name to any of them, where null leaves that policy out. A key that is missing or empty is an error,
   * never a free pass.
   *
   * @default byIp()
   */
  readonly key?: KeyOption<R>
  /**
   * How many units a request takes.
   *
   * @default 1
   */
  readonly cost?: number | ((request: R) => Awaitable<number>)
  /** Where it gives true, the request is not limited: nothing is counted and no header is written. */
  readonly skip?: (request: R) => Awaitable<boolean>
  /**
   * Addresses, CIDR ranges and keys that are not limited: nothing is counted and no header is written. The store is not asked.
   */
  readonly allow?: readonly Key[] | AccessList
  /** Addresses, CIDR ranges and keys that are answered 403. The store is not asked. Whoever is in both lists is denied. */
  readonly deny?: readonly Key[] | AccessList
  /**
   * Which requests count, by how they were answered: those of status 400 and above, or cut off by the client, are failures. All are
   * reserved at the start, so that a burst cannot slip through, and what does not count is given back after the response.
   *
   * With `'successes'`, a client that goes away before it has the whole answer has its units back, although the work was done. Where that
   * must count, say so: `count: ({ status, aborted }) => aborted || status < 400`.
   *
   * @default 'all'
   */
  readonly count?:
    | 'all'
    | 'failures'
    | 'successes'
    | ((outcome: ResponseOutcome) => Awaitable<boolean>)
  /**
   * `'success'`: a success forgets what the key has used. With `count: 'failures'`, it is consecutive failures that are limited.
   *
   * It forgets that of all policies. Where one of them counts by address, a client that can log in to an account of its own would have new tries
   * at those of others with each success: there, name the policies that are forgotten.
   *
   * @example
   * rateLimit({
   *   policies: { account, address },
   *   key: { account: byUser((req) => req.body.name), address: byIp() },
   *   count: 'failures',
   *   resetOn: { success: ['account'] },
   * })
   */
  readonly resetOn?: 'success' | { readonly success: readonly string[] }
  /** Over the limit, the request is held until it is admitted, `max` at the longest, and let go when the client goes away. */
  readonly wait?: { readonly max: Duration }
  /**
   * Decides, counts and leaves the decision at the request, and lets every request pass. Headers are written if `headers` asks for them.
   *
   * @default false
   */
  readonly dryRun?: boolean
  /**
   * Which headers say where the client stands: those of the IETF draft, the X-RateLimit ones, both or none. `Retry-After` stands on
   * every denial all the same.
   *
   * @default 'draft', in a dry run 'none'
   */
  readonly headers?: HeaderStyle
  /** Called in the place of the answer when a request is denied. The headers are set by then, `Retry-After` among them. */
  readonly onDenied?: H
  /**
   * The status of a denial.
   *
   * @default 429
   */
  readonly statusCode?: number
  /**
   * The body of a denial: a string is sent as plain text, an object as JSON.
   *
   * @default a problem (RFC 9457), or plain text where the client prefers it
   */
  readonly body?: DenialBody | DenialBodyFunction<R>
}

/**
 * Looks at each option and at those that exclude each other; what is missing is found by `planOf`.
 *
 * @throws SluiceError where an option is unknown or wrong, or where two exclude each other
 */
export function checkOptions<R, H>(options: RateLimitOptions<R, H>): void {
  readOptions('rateLimit', options, readers)
  for (const [first, second, advice] of conflicts) {
    if (options[first] !== undefined && options[second] !== undefined) {
      throw sluiceError('SLUICE_OPTIONS_CONFLICT', 'rateLimit', first, second, advice)
    }
  }
}

const someEntries = 'a list of addresses, ranges and keys, or accessList([…])'

/**
 * Looks at an option that an adapter has besides.
 *
 * @throws SluiceError SLUICE_OPTION_INVALID where it is none of those
 */
export function assertOneOf(option: string, value: unknown, known: readonly unknown[]): void {
  if (known.includes(value)) return
  const expected = known.map((one) => JSON.stringify(one)).join(' or ')
  throw sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', option, value, expected)
}

type OptionName = keyof RateLimitOptions<unknown, unknown>

const readers: Readonly<Record<OptionName, OptionReader<unknown>>> = {
  limit: given(
    'a whole number, 0 or more, below 2^53, or a function from the request to one',
    (value) => isCount(value) || isFunction(value),
  ),
  window: optional<unknown>(duration, undefined),
  algorithm: given('a builder that takes { limit, window }, such as gcra', isFunction),
  policy: given(
    'one policy, such as slidingWindow({ limit: 100, window: "1m" }); several go into "policies"',
    isPolicy,
  ),
  policies: given(
    'a record from name to policy, or a function from the request to one',
    (value) => isRecord(value) || isFunction(value),
  ),
  name: given('a non-empty string: the namespace of the counters', isText),
  store: given('memoryStore() or redisStore(client)', (value) => {
    return isRecord(value) && 'run' in value && isFunction(value.run)
  }),
  clock: given('a function that returns milliseconds since the epoch', isFunction),
  ...awayOptions,
  key: given(
    'a non-empty string, a list of such parts, a record from policy name to key, or a function from the request to one of these',
    (value) => isText(value) || isFunction(value) || (typeof value === 'object' && value !== null),
  ),
  cost: given(
    'a whole number, 0 or more, or a function from the request to one',
    (value) => isCount(value) || isFunction(value),
  ),
  allow: given(someEntries, (value) => typeof value === 'object'),
  deny: given(someEntries, (value) => typeof value === 'object'),
  count: given(
    `'all', 'failures', 'successes', or a function from { status, aborted } to true or false`,
    (value) => isFunction(value) || ['all', 'failures', 'successes'].some((word) => word === value),
  ),
  resetOn: given(`'success', or an object such as { success: ['account'] }`, (value) => {
    return (
      value === 'success' ||
      (isRecord(value) && readOptions('resetOn', value, resetReaders) !== undefined)
    )
  }),
  wait: given(
    `an object such as { max: '5s' }`,
    (value) => isRecord(value) && readOptions('wait', value, { max: duration }) !== undefined,
  ),
  dryRun: given('true or false', (value) => typeof value === 'boolean'),
  skip: given('a function from the request to true or false', isFunction),
  headers: optional<unknown>(oneOf('draft', 'legacy', 'both', 'none'), undefined),
  onDenied: given(
    'a handler in the form of the framework, which gets the decision last',
    isFunction,
  ),
  statusCode: given('a status from 200 to 599', (value) => {
    return isCount(value) && value >= 200 && value <= 599
  }),
  body: given(
    'a string, an object, or a function of the request and the decision that gives one',
    (value) =>
      typeof value === 'string' ||
      isFunction(value) ||
      (typeof value === 'object' && value !== null),
  ),
}

const resetReaders = { success: checked('a list of names of policies', isNames) }

const oneWay = 'Say what is allowed in one way: "limit" and "window", "policy", or "policies"'
const inPolicy = 'A policy is whole: pass what belongs to it to its builder'
const ownAnswer = '"onDenied" answers by itself, so there it belongs'

const conflicts: readonly (readonly [OptionName, OptionName, string])[] = [
  ['policy', 'policies', oneWay],
  ['limit', 'policy', oneWay],
  ['limit', 'policies', oneWay],
  ['window', 'policy', inPolicy],
  ['window', 'policies', inPolicy],
  ['algorithm', 'policy', inPolicy],
  ['algorithm', 'policies', inPolicy],
  ['onDenied', 'body', ownAnswer],
  ['onDenied', 'statusCode', ownAnswer],
]

/** An option that may be absent. Options are only checked here, and used by the types they were passed in. */
function given(expected: string, holds: (value: unknown) => boolean): OptionReader<unknown> {
  const read = (value: unknown): unknown => (holds(value) ? value : undefined)
  return { expected, read, default: undefined }
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 0 && value.every(isText)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function'
}

function isRecord(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

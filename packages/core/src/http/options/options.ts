import type { Clock } from '../../clock.js'
import type { Policies } from '../../limiter/bound-policies.js'
import type { Key } from '../../keys.js'
import type { OnStoreError } from '../../limiter/limiter-options.js'
import type { Duration } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import type { Store } from '../../stores/store.js'
import type { AccessList } from '../lists/access-list.js'
import type { Awaitable } from '../awaitable.js'
import type { DenialBody } from '../response/denial.js'
import type { HeaderStyle } from '../response/header-fields.js'
import type { KeyOption } from '../keys/key-option.js'
import type { ResponseOutcome } from '../request/response.js'
import type { Rules } from '../rules/judgement.js'
import type { RequestDecision } from '../rules/request-decision.js'

/** A builder that takes `limit` and `window`: `fixedWindow`, `slidingWindow`, `gcra`, or your own. */
export type Algorithm = (options: { limit: number; window: Duration }) => Policy

export type DenialBodyFunction<R> = (request: R, decision: RequestDecision) => Awaitable<DenialBody>

/**
 * The options of `rateLimit`, the same for every framework. `R` is the request type of the framework, `H` the type of the `onDenied` handler. Pass
 * `limit` and `window`, or `policy`, or `policies`.
 */
export interface RateLimitOptions<R, H> {
  /** The number of units that each key may consume in a `window`. A function is called for each request. */
  readonly limit?: number | ((request: R) => Awaitable<number>)
  /** The length of the window. Required with `limit`. */
  readonly window?: Duration
  /**
   * The builder that makes a policy from `limit` and `window`.
   *
   * @default slidingWindow
   */
  readonly algorithm?: Algorithm
  /** One policy. Its name is 'default'. */
  readonly policy?: Policy
  /** Named policies. A request is allowed if all of them allow it. A function is called for each request and returns the policies of the client's plan. */
  readonly policies?: Policies | ((request: R) => Awaitable<Policies>)
  /**
   * Rules that decide for each request which limits apply, by which keys, and what happens to a denied request, such as those that `loadRules` of
   * `@sluice/rules` returns. They replace `limit`, `policy` and `policies`, and exclude each option that they decide themselves: `name`, `key`, `cost`,
   * `count`, `resetOn`, `allow`, `deny`, `wait` and `statusCode`. The decision is a `RuleDecision`; it is absent if no rule applies and no tag is set.
   */
  readonly rules?: Rules<R>
  /**
   * The namespace of the counters in the store. Each limiter of a shared store needs its own name.
   *
   * @default 'default'
   */
  readonly name?: string
  /**
   * The store that keeps the counts. Several limiters can share a store.
   *
   * @default memoryStore()
   */
  readonly store?: Store
  /**
   * Returns milliseconds since the epoch and replaces the store's own time, for tests and replays. Limiters with different clocks need different
   * stores.
   *
   * @default the store's own time
   */
  readonly clock?: Clock
  /**
   * How requests are decided while the store is unavailable: by a memory store in this process (`'local'`), all allowed, or all denied.
   *
   * @default 'local'
   */
  readonly onStoreError?: OnStoreError
  /**
   * The share of each limit that this process allows by itself while the store is unavailable, rounded up.
   *
   * @default 1
   */
  readonly localShare?: number
  /**
   * Requests with the same key count together. A key is a string, a list of parts such as `['user', id]` or `[byIp(), byRoute()]`, a function that
   * returns one of these or another key function, or a record from policy name to any of them. `notLimited` leaves a policy out. An invalid key is an
   * error (status 400): null, undefined, an empty string, a list within a list, and a record that a function returns.
   *
   * @default byIp()
   */
  readonly key?: KeyOption<R>
  /**
   * The number of units that a request consumes.
   *
   * @default 1
   */
  readonly cost?: number | ((request: R) => Awaitable<number>)
  /** If it returns true, the request is not limited: nothing is counted and no header is written. */
  readonly skip?: (request: R) => Awaitable<boolean>
  /**
   * Addresses, CIDR ranges and keys that are not limited: nothing is counted and no header is written. The store is not called.
   */
  readonly allow?: readonly Key[] | AccessList
  /** Addresses, CIDR ranges and keys that receive a 403. The store is not called. A client in both lists is denied. */
  readonly deny?: readonly Key[] | AccessList
  /**
   * Which requests count, by their response. A failure is a status of 400 or above, or a response that the client aborted. Every request consumes
   * its units at the start, so that a parallel burst cannot exceed the limit; requests that do not count are refunded after the response.
   *
   * With `'successes'`, a client that disconnects before the end of the response is refunded, although the work was done. To count such
   * requests, pass `count: ({ status, aborted }) => aborted || status < 400`.
   *
   * @default 'all'
   */
  readonly count?:
    | 'all'
    | 'failures'
    | 'successes'
    | ((outcome: ResponseOutcome) => Awaitable<boolean>)
  /**
   * `'success'`: a success resets the counts of the key. Together with `count: 'failures'`, it limits consecutive failures.
   *
   * The counts of all policies are reset. If one of them counts by address, a client with its own account could reset that count by logging in, and
   * then try the accounts of others again: in this case, name the policies to reset.
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
  /**
   * When the unit of a `concurrency` policy is released. `'done'`: when the handler is done, even if the client disconnects earlier, so that a client
   * that disconnects cannot keep more handlers running than the limit. A handler is done when its promise settles (Koa, Fastify, NestJS). In Express,
   * and if the handler returns no promise, it is done when it ends the response. The lease is renewed only while the connection is open, so the unit
   * is released at the latest one `lease` after the client disconnects: choose a `lease` that is longer than the longest handler. `'close'`: as soon
   * as the response ends or the client disconnects, for handlers that then stop by themselves, such as event streams.
   *
   * @default 'done'
   */
  readonly releaseOn?: 'done' | 'close'
  /** A request over the limit waits until it is allowed, for at most `max`. It stops waiting if the client disconnects. */
  readonly wait?: { readonly max: Duration }
  /**
   * Requests are counted and decided, and the decision is attached to the request, but every request is allowed. Headers are written only if `headers`
   * is set.
   *
   * @default false
   */
  readonly dryRun?: boolean
  /**
   * The style of the rate limit headers, or a list of styles such as `['draft', 'legacy']`. `'draft'` is the current IETF draft, `'draft-7'` and
   * `'draft-6'` are earlier revisions of it. `'legacy'` writes `X-RateLimit-*` with the reset in seconds from now, `'legacy-epoch'` with the reset as a
   * date in seconds since 1970. `'none'` writes none of them. Every denial has `Retry-After`, whatever the style, and no other response has it.
   *
   * @default 'draft', in a dry run 'none'
   */
  readonly headers?: HeaderStyle | readonly HeaderStyle[]
  /**
   * Whether the style `'draft'` contains a partition key, `pk`: a hash of the limiter's name and the key, by which a client can distinguish its quotas.
   *
   * @default false
   */
  readonly partitionKey?: boolean
  /**
   * Called when a request is denied, instead of sending the 429. The headers, including `Retry-After`, are already set. If the handler lets the request
   * continue, `Retry-After` is removed and the request is settled like an allowed one: its success triggers `resetOn`, which does not end a block.
   */
  readonly onDenied?: H
  /**
   * Called with each decision, before the request continues or is denied. Its result is ignored and not awaited. Its errors become process warnings and
   * never fail the request.
   */
  readonly onDecision?: (request: R, decision: RequestDecision) => void
  /**
   * The status code of a denial.
   *
   * @default 429
   */
  readonly statusCode?: number
  /**
   * The body of a denial: a string is sent as plain text, an object as JSON.
   *
   * @default a problem (RFC 9457), or plain text if the client prefers it
   */
  readonly body?: DenialBody | DenialBodyFunction<R>
}

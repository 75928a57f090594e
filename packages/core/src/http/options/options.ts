import type { Clock } from '../../clock.js'
import type { Decision } from '../../limiter/decision.js'
import type { Policies } from '../../limiter/bound-policies.js'
import type { Key } from '../../keys.js'
import type { OnStoreError } from '../../limiter/limiter-options.js'
import type { Duration } from '../../options/readers.js'
import type { Policy } from '../../policy.js'
import type { Store } from '../../stores/store.js'
import type { AccessList } from '../lists/access-list.js'
import type { Awaitable } from '../awaitable.js'
import type { DenialBody, DenialBodyFunction } from '../answer/denial.js'
import type { HeaderStyle } from '../answer/header-fields.js'
import type { KeyOption } from '../keys/key-option.js'
import type { ResponseOutcome } from '../request/response.js'

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
   * Milliseconds since the epoch, in the place of the store's own time: for tests and replays. Two clocks that differ need a
   * store each.
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
   * Which requests count together: a string, a list of parts such as `['user', id]` or `[byIp(), byRoute()]`, a function that returns one of these
   * or another key function, or a record from policy name to any of them. `notLimited` leaves a policy out. A missing key is an error (status 400):
   * null, undefined, an empty string, a list within a list, and a record that a function returns.
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
  /**
   * When the unit of a `concurrency` policy is free again. `'done'`: when the handler is done, even if the client leaves earlier, so that a client that hangs
   * up cannot have more handlers at work than the limit. A handler is done when its promise settles (Koa, Fastify, NestJS); in Express, and if it
   * returns no promise, when it ends the response. The lease is renewed only as long as the exchange lasts, so the unit is free at the latest one `lease` after the client
   * has left: choose a `lease` that is longer than the longest handler. `'close'`: as soon as the response has ended or the client has left, for handlers that stop
   * by themselves then, such as streams of events.
   *
   * @default 'done'
   */
  readonly releaseOn?: 'done' | 'close'
  /** Over the limit, the request is held until it is admitted, `max` at the longest, and let go when the client goes away. */
  readonly wait?: { readonly max: Duration }
  /**
   * Decides, counts and leaves the decision at the request, and lets every request pass. Headers are written if `headers` asks for them.
   *
   * @default false
   */
  readonly dryRun?: boolean
  /**
   * Which headers tell the client where it stands: a style, or a list of styles such as `['draft', 'legacy']`. `'draft'` is the current IETF draft,
   * `'draft-7'` and `'draft-6'` are earlier revisions of it. `'legacy'` writes `X-RateLimit-*` with the reset in seconds from now, `'legacy-epoch'` as a date in seconds
   * since 1970. `'none'` writes none of them. `Retry-After` stands on every denial all the same, and on no other response.
   *
   * @default 'draft', in a dry run 'none'
   */
  readonly headers?: HeaderStyle | readonly HeaderStyle[]
  /**
   * Whether the style `'draft'` has a partition key, `pk`: a hash of the limiter's name and the key. By it a client that has several quotas can tell
   * them apart.
   *
   * @default false
   */
  readonly partitionKey?: boolean
  /**
   * Called in the place of the answer when a request is denied. The headers are set by then, `Retry-After` among them. A request that it lets go
   * on loses `Retry-After` and is settled as any other: its success triggers `resetOn`, which ends no block.
   */
  readonly onDenied?: H
  /**
   * Called with each decision before the request goes on or is answered. It answers nothing and is not waited for. Its errors are reported as warnings of the
   * process, and never become the request's.
   */
  readonly onDecision?: (request: R, decision: Decision) => void
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

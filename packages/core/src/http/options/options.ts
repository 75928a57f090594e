import type { Policies } from '../../limiter/limiter-policies.js'
import type { Key } from '../../keys.js'
import type { Algorithm } from '../../limiter/limit-options.js'
import type { CommonOptions } from '../../limiter/limiter-options.js'
import type { Duration, DurationLiteral, Excluding, Requiring } from '../../options/readers.js'
import type { Store } from '../../stores/store.js'
import type { AccessList } from '../lists/access-list.js'
import type { Awaitable } from '../../awaitable.js'
import type { HeaderStyle } from '../response/header-fields.js'
import type { KeyOption } from '../keys/key-option.js'
import type { ResponseOutcome } from '../request/exchange.js'
import type { Rules } from '../response/limit-result.js'
import type {
  DenialBody,
  DenialBodyFunction,
  RequestDecision,
} from '../response/request-decision.js'
import type { Policy } from '../../policy.js'

/** Which responses count. */
export type Count =
  | 'all'
  | 'failures'
  | 'successes'
  | ((outcome: ResponseOutcome) => Awaitable<boolean>)

/**
 * The options of `rateLimit`, the same for every framework. `R` is the request type of the framework, `H` the type of the `onDenied` handler, `N`
 * the names of the policies. Pass `limit` and `window`, or `policies`.
 */
// A type literal: see `Requiring` in options/readers.ts.
export type RateLimitOptions<R, H, N extends string = string> = CommonOptions<Store> & {
  /** Units that each key may consume in a `window`. A function is called for each request. */
  readonly limit?: number | ((request: R) => Awaitable<number>) | undefined
  /** The length of the window. Required with `limit`. */
  readonly window?: Duration | undefined
  /**
   * The builder that makes a policy of `limit` and `window`.
   *
   * @default slidingWindow
   */
  readonly algorithm?: Algorithm | undefined
  /**
   * One policy, or a record of named ones. A request is allowed if all of them allow it. The name of one policy is 'default', and that of the limiter in
   * headers. A function is called for each request and returns the policies of the client's plan. A record is read once: return a new one to change a
   * limit.
   */
  readonly policies?: Policies | ((request: R) => Awaitable<Policies>) | undefined
  /**
   * Rules that decide which limits apply to a request, by which keys, and what happens to a denied request: the result of `loadRules` of
   * `@sluice/rules`. They replace `limit` and `policies`, and exclude `name`, `key`, `cost`, `count`, `resetOn`, `allow`, `deny`, `wait`
   * and `statusCode`. The decision has the fields of that package as well; it is absent if no rule applies and no tag is set.
   */
  readonly rules?: Rules<R> | undefined
  /**
   * The namespace of the counters in the store. Each limiter of a shared store needs its own name. In headers, it is also the name of a policy without
   * a name of its own. The limit of a route in Fastify and NestJS has the name of the route.
   *
   * @default 'default'
   */
  readonly name?: string | undefined
  /**
   * Requests with the same key count together. A key is a string (one key for all requests), a list of parts such as `['user', id]` or
   * `[byIp(), byRoute()]`, a function that returns one of these or another key function, or a record from policy name to any of them. `notLimited`
   * leaves a policy out. Null, undefined, an empty string, a nested list, and a record that a function returns are errors (status 400).
   *
   * @default byIp()
   */
  readonly key?: KeyOption<R, N> | undefined
  /**
   * Units that a request consumes: a number, or a record from the name of a policy to a number. A policy that the record leaves out takes 1.
   *
   * @default 1
   */
  readonly cost?: CostsOf<N> | ((request: R) => Awaitable<CostsOf<N>>) | undefined
  /** If it returns true, the request is not limited: it is not counted, and no header is written. */
  readonly skip?: ((request: R) => Awaitable<boolean>) | undefined
  /**
   * Addresses, CIDR ranges and keys that are not limited: they are not counted, no header is written, and the store is not called. If the list contains
   * addresses, a request without one is an error.
   */
  readonly allow?: readonly Key[] | AccessList | undefined
  /**
   * Addresses, CIDR ranges and keys that receive a 403. The store is not called. A client in both lists is denied. If the list contains addresses, a
   * request without one is an error.
   */
  readonly deny?: readonly Key[] | AccessList | undefined
  /**
   * Which requests count, by their response. A failure is a status of 400 or above, or a response that the client aborted; the denial of another limit
   * is neither a failure nor a success. Every request consumes its units at the start, so that a parallel burst cannot exceed the limit; a request that
   * does not count is refunded after the response. With `{ when, reserve: false }`, a request is decided by what has counted so far, and consumes its
   * units after the response if it counts: as many more than the limit can count as run at once. To count aborted responses beside successes, pass
   * `count: ({ status, aborted }) => aborted || status < 400`.
   *
   * @default 'all'
   */
  readonly count?:
    | Count
    | {
        /** Which responses count. */
        readonly when: Exclude<Count, 'all'>
        /**
         * Whether a request consumes its units at the start.
         *
         * @default true
         */
        readonly reserve?: boolean | undefined
      }
    | undefined
  /**
   * `'success'`: a success resets the counts of the key in all policies. With `count: 'failures'`, this limits consecutive failures. If a policy
   * counts by address, name the policies to reset, `{ success: ['account'] }`: otherwise a client could reset the count of its address by logging in
   * to its own account.
   */
  readonly resetOn?:
    | 'success'
    | {
        /** The policies to reset. */
        readonly success: readonly N[]
      }
    | undefined
  /**
   * When the unit of a `concurrency` policy is released. `'done'`: when the promise of the handler settles (Koa, Fastify, NestJS) or the handler ends the
   * response, even if the client disconnects earlier; at the latest one `lease` after that, so choose a `lease` longer than the longest handler.
   * `'close'`: when the response ends or the client disconnects, for handlers that then stop by themselves, such as event streams.
   *
   * @default 'done'
   */
  readonly releaseOn?: 'done' | 'close' | undefined
  /** A request over the limit waits until it is allowed, for at most `max`, or until the client disconnects. */
  readonly wait?:
    | {
        /** The longest wait. */
        readonly max: Duration
      }
    | undefined
  /**
   * Counts and decides requests, but allows all of them. The decision is attached to the request. Headers are written only if `headers` is set.
   *
   * @default false
   */
  readonly dryRun?: boolean | undefined
  /**
   * The style of the rate limit headers, or a list such as `['draft', 'legacy']`. `'draft'` is the current IETF draft, `'draft-7'` and `'draft-6'`
   * are earlier revisions. `'legacy'` writes `X-RateLimit-*` with the reset in seconds from now, `'legacy-epoch'` in seconds since 1970. Every denial
   * by a limit has `Retry-After`, in every style.
   *
   * @default 'draft', in a dry run 'none'
   */
  readonly headers?: HeaderStyle | readonly HeaderStyle[] | undefined
  /**
   * Whether the style `'draft'` contains `pk`, a hash of the limiter's name and the key, by which a client can distinguish its quotas.
   *
   * @default false
   */
  readonly partitionKey?: boolean | undefined
  /**
   * Handles a denied request in place of the 429. The headers, including `Retry-After`, are already set. If it lets the request continue,
   * `Retry-After` is removed and the request is settled like an allowed one: its success triggers `resetOn`, which does not end a block.
   */
  readonly onDenied?: H | undefined
  /** Called with each decision, before the request continues or is denied. It is not awaited, and its errors become process warnings. */
  readonly onDecision?: ((request: R, decision: RequestDecision) => void) | undefined
  /**
   * The status code of a denial.
   *
   * @default 429
   */
  readonly statusCode?: number | undefined
  /**
   * The body of a denial: a string is sent as plain text, an object as JSON.
   *
   * @default a problem (RFC 9457), or plain text if the client prefers it
   */
  readonly body?: DenialBody | DenialBodyFunction<R> | undefined
}

/**
 * Options with at most one of the three forms: `limit` and `window`, `policies`, or `rules`. For options that are merged over others, so
 * that all three may be absent. `W` is the type of `window`: a literal must be a duration. `P` is the type of `policies`: a record of keys must have
 * exactly the names of the policies.
 */
export type OneRule<R, H, W = Duration, P = unknown> = Stated<R, H, W, P> &
  (Short | Whole | ByRules)

/** Options with exactly one of the three forms. For options that are not merged over others. */
export type WholeRule<R, H, W = Duration, P = unknown> = Stated<R, H, W, P> &
  (
    | (Short & Requiring<'limit' | 'window'>)
    | (Whole & Requiring<'policies'>)
    | (ByRules & Requiring<'rules'>)
  )

/**
 * `rules` is first: the compiler looks at the absent properties of a call in their order, and drops the forms that require them until one is left. If
 * that were the form with rules, it would not know the parameters of a function `key`.
 */
type Stated<R, H, W, P> = { readonly [N in 'rules']?: unknown } & RateLimitOptions<
  R,
  H,
  PolicyName<NoInfer<P>>
> & { readonly [N in 'window']?: DurationLiteral<W> | undefined } & {
    readonly [N in 'policies']?: P
  }

type CostsOf<N extends string> = number | { readonly [P in N]?: number }

type Short = Excluding<'rules' | 'policies'>
type Whole = Excluding<'rules' | ShortOption>
type ByRules = Excluding<(typeof decidedByRules)[number]>

type ShortOption = 'limit' | 'window' | 'algorithm'

/** The options that rules decide for each request, so that they exclude `rules`. */
export const decidedByRules = [
  'limit',
  'window',
  'algorithm',
  'policies',
  'name',
  'key',
  'cost',
  'count',
  'resetOn',
  'allow',
  'deny',
  'wait',
  'statusCode',
] as const

/** The names of policies, as far as the compiler knows them: not those of options in a variable, whose type is that of all options. */
type PolicyName<P> = unknown extends P
  ? string
  : [P] extends [undefined]
    ? string
    : P extends Policy | undefined
      ? 'default'
      : P extends Extract<Policies, Readonly<Record<string, Policy>>>
        ? keyof P & string
        : string

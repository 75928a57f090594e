import type { IncomingHttpHeaders } from 'node:http'
import type {
  ConfigurableModuleAsyncOptions,
  ConfigurableModuleOptionsFactory,
  ExecutionContext,
} from '@nestjs/common'
import type { Decision } from '@sluice/core'
import type { Awaitable, OneRule, RateLimitOptions as Options, Stated } from '@sluice/core/http'

/**
 * What the requests of Express and of Fastify have in common. Where more is needed, say the platform's own type,
 * `RateLimit<Request>({ … })`, or add to this one:
 *
 * @example
 * declare module '@sluice/nestjs' {
 *   interface NestRequest {
 *     user?: { id: string }
 *   }
 * }
 */
export interface NestRequest {
  readonly method: string
  readonly url: string
  readonly ip?: string | undefined
  readonly headers: IncomingHttpHeaders
  /** What was decided about this request; absent where it was not limited. */
  rateLimit?: Decision
}

/** Which requests count together: those of one route, of one controller, or of the whole application. */
export type Scope = 'route' | 'controller' | 'global'

/** Throws an exception of its own, or says whether the request may go on all the same: what is false, Nest answers 403. */
export type OnDenied = (context: ExecutionContext, decision: Decision) => Awaitable<boolean>

/** What is allowed is said in one way: by `limit` and `window`, by `policy`, or by `policies`. What is not said is taken from the module. */
export type RateLimitOptions<Q = NestRequest> = OneRule<AllOptions<Q>>

/** The options where they are written at a call: the compiler compares them with one another. */
export type StatedOptions<Q, W, P> = OneRule<Omit<AllOptions<Q>, 'key'>> & Stated<Q, W, P>

interface AllOptions<Q> extends Options<Q, OnDenied>, Scoped {}

interface Scoped {
  /**
   * Which requests count together. It makes the limiter's name; where a `name` is given, it follows that if it is another than the default.
   *
   * @default 'route' on a method, 'controller' on a class, 'global' for the module
   */
  readonly scope?: Scope
}

interface Reach {
  /**
   * Whether every route is limited, or only those that a guard or a decorator stands in front of.
   *
   * @default true
   */
  readonly global?: boolean
}

export type RateLimitModuleOptions<Q = NestRequest> = RateLimitOptions<Q> & Reach

/** A provider that makes the options. */
export type RateLimitOptionsFactory<Q = NestRequest> = ConfigurableModuleOptionsFactory<
  RateLimitOptions<Q>,
  'createRateLimitOptions'
>

export type RateLimitModuleAsyncOptions<Q = NestRequest> = Reach &
  Omit<
    ConfigurableModuleAsyncOptions<RateLimitOptions<Q>, 'createRateLimitOptions'>,
    'provideInjectionTokensFrom'
  >

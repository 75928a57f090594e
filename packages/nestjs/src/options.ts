import type { IncomingHttpHeaders } from 'node:http'
import type {
  ConfigurableModuleAsyncOptions,
  ConfigurableModuleOptionsFactory,
  ExecutionContext,
} from '@nestjs/common'
import type { Decision } from '@sluice/core'
import type { Awaitable, RateLimitOptions as Options } from '@sluice/core/http'

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

export interface RateLimitOptions<Q = NestRequest> extends Options<Q, OnDenied> {
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

export interface RateLimitModuleOptions<Q = NestRequest> extends RateLimitOptions<Q>, Reach {}

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

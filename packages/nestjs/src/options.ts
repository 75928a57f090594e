import type { IncomingHttpHeaders } from 'node:http'
import type {
  ConfigurableModuleAsyncOptions,
  ConfigurableModuleOptionsFactory,
  ExecutionContext,
} from '@nestjs/common'
import type { Duration } from '@sluice/core'
import type { Awaitable, OneRule, RequestDecision } from '@sluice/core/http'

/**
 * The properties that requests of Express and of Fastify have in common. To use other properties, pass the type of the platform's request,
 * `RateLimit<Request>({ … })`, or add them to this interface by `declare module '@sluice/nestjs'`.
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
  /** The decision on this request; absent if the request was not limited, and with rules if no rule applies and no tag is set. */
  rateLimit?: RequestDecision
}

/** Whether the requests of one route, of one controller or of the whole application count together. */
export type Scope = 'route' | 'controller' | 'global'

/** Handles a denied request: throws an exception, or returns whether the request continues. If it returns false, Nest sends a 403. */
export type OnDenied = (context: ExecutionContext, decision: RequestDecision) => Awaitable<boolean>

/** The options of a limit. Those that are absent are inherited from the module. */
export type RateLimitOptions<Q = NestRequest, W = Duration, P = unknown> = OneRule<
  Q,
  OnDenied,
  W,
  P
> &
  Scoped

interface Scoped {
  /**
   * Which requests count together. The scope determines the name of the limiter. With a `name`, a scope other than the default is appended to it.
   *
   * @default 'route' on a method, 'controller' on a class, 'global' for the module
   */
  readonly scope?: Scope | undefined
}

interface Reach {
  /**
   * Whether every route is limited. If false, only routes with a guard or a decorator are.
   *
   * @default true
   */
  readonly global?: boolean | undefined
}

/** The options of `RateLimitModule.forRoot`. */
export type RateLimitModuleOptions<Q = NestRequest> = RateLimitOptions<Q> & Reach

/** A provider that returns the options. */
export type RateLimitOptionsFactory<Q = NestRequest> = ConfigurableModuleOptionsFactory<
  RateLimitOptions<Q>,
  'createRateLimitOptions'
>

/** The options of `RateLimitModule.forRootAsync`. */
export type RateLimitModuleAsyncOptions<Q = NestRequest> = Reach &
  Omit<
    ConfigurableModuleAsyncOptions<RateLimitOptions<Q>, 'createRateLimitOptions'>,
    'provideInjectionTokensFrom'
  >

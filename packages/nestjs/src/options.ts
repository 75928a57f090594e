import type { IncomingHttpHeaders } from 'node:http'
import type { ExecutionContext, FactoryProvider, ModuleMetadata, Type } from '@nestjs/common'
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

/**
 * Which requests count together: those of one route, of one controller, or of the whole application.
 */
export type Scope = 'route' | 'controller' | 'global'

/** Throws an exception of its own, or says whether the request may go on all the same: what is false, Nest answers 403. */
export type OnDenied = (context: ExecutionContext, decision: Decision) => Awaitable<boolean>

export interface RateLimitOptions<Q = NestRequest> extends Options<Q, OnDenied> {
  /**
   * Which requests count together. It makes the limiter's name, and where a `name` is given, what follows it.
   *
   * @default 'route' on a method, 'controller' on a class, 'global' for the module
   */
  readonly scope?: Scope
}

export interface RateLimitModuleOptions<Q = NestRequest> extends RateLimitOptions<Q>, Reach {}

interface Reach {
  /**
   * Whether every route is limited, or only those that a guard or a decorator stands in front of.
   *
   * @default true
   */
  readonly global?: boolean
}

/** A provider that makes the options. */
export interface RateLimitOptionsFactory<Q = NestRequest> {
  createRateLimitOptions(): Promise<RateLimitOptions<Q>> | RateLimitOptions<Q>
}

export type RateLimitModuleAsyncOptions<Q = NestRequest> = Reach &
  Pick<ModuleMetadata, 'imports'> &
  (RateLimitFactoryProvider<Q> | ByClass<Q> | ByProvider<Q>)

export type RateLimitFactoryProvider<Q = NestRequest> = Pick<
  FactoryProvider<RateLimitOptions<Q>>,
  'inject' | 'useFactory'
>

interface ByClass<Q> {
  readonly useClass: Type<RateLimitOptionsFactory<Q>>
}

interface ByProvider<Q> {
  readonly useExisting: Type<RateLimitOptionsFactory<Q>>
}

import type { Decision } from '@sluice/core'
import type { RateLimitOptions as Options, RouteLimit } from '@sluice/core/http'
import type {
  ContextConfigDefault as Config,
  FastifyBaseLogger,
  FastifyRequest,
  FastifySchema,
  FastifyTypeProvider,
  onRequestHookHandler,
  preParsingHookHandler,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerBase,
  RouteGenericInterface as Route,
} from 'fastify'
import type { OnDenied } from './admit.js'

export type RateLimitOptions = Options<FastifyRequest, OnDenied>

/** What the plugin is registered with: the options of its limiter, which those of routes are merged over. */
export interface RateLimitPluginOptions extends RateLimitOptions {
  /**
   * Whether every route is limited, and what no route matches; or only those routes whose `config.rateLimit` says so.
   *
   * @default true
   */
  readonly global?: boolean
  /**
   * When requests are counted: as they arrive, or later, where a key needs what is known by then, such as the user or the body.
   *
   * @default 'onRequest'
   */
  readonly hook?: Hook
}

export type Hook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler'

/** `config.rateLimit` of a route: options of its own, several limiters that are asked in order, or none. */
export type RouteRateLimit = RouteLimit<RateLimitOptions>

/** A handler for any of the hooks up to `preHandler`. */
type AnyHookHandler<
  S extends RawServerBase,
  Q extends RawRequestDefaultExpression<S>,
  P extends RawReplyDefaultExpression<S>,
  L extends FastifyBaseLogger,
  T extends FastifyTypeProvider,
> = preParsingHookHandler<S, Q, P, Route, Config, FastifySchema, T, L> &
  onRequestHookHandler<S, Q, P, Route, Config, FastifySchema, T, L>

declare module 'fastify' {
  interface FastifyInstance<
    RawServer extends RawServerBase,
    RawRequest extends RawRequestDefaultExpression<RawServer>,
    RawReply extends RawReplyDefaultExpression<RawServer>,
    Logger extends FastifyBaseLogger,
    TypeProvider extends FastifyTypeProvider,
  > {
    /**
     * Makes a handler for any of the hooks up to `preHandler`, to be placed by hand. Its options are merged over those of the plugin; without
     * any, it is the plugin's own limiter.
     *
     * @example
     * const byAccount = app.rateLimit({ limit: 10, key: byUser((request) => request.user?.id) })
     * app.get('/me', { preHandler: [authenticate, byAccount] }, me)
     */
    rateLimit(
      options?: RateLimitOptions,
    ): AnyHookHandler<RawServer, RawRequest, RawReply, Logger, TypeProvider>
  }
  interface FastifyRequest {
    /** What was decided last about this request; undefined where it was not limited. */
    rateLimit?: Decision
  }
  interface FastifyContextConfig {
    /** Options of the route's own, merged over those of the plugin; a list of them, asked in order; or false: not limited. */
    rateLimit?: RouteRateLimit
  }
}

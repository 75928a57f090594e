import type { Decision, Duration, Limiter } from '@sluice/core'
import type {
  MadeLimit,
  OneRule,
  RateLimitOptions as Options,
  RouteLimit,
  Stated,
} from '@sluice/core/http'
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

type AllOptions = Options<FastifyRequest, OnDenied>

/** What is allowed is said in one way: by `limit` and `window`, by `policy`, or by `policies`. What is not said is taken from the plugin. */
export type RateLimitOptions = OneRule<AllOptions>

/** The options where they are written at a call: the compiler compares them with one another. */
export type StatedOptions<W, P> = OneRule<Omit<AllOptions, 'key'>> & Stated<FastifyRequest, W, P>

/** What the plugin is registered with: the options of its limiter, which those of routes are merged over. */
export type RateLimitPluginOptions = RateLimitOptions & PluginSettings

export interface PluginSettings {
  /**
   * Whether every route is limited, and what no route matches; or only those routes whose `config.rateLimit` says so.
   *
   * @default true
   */
  readonly global?: boolean
  /**
   * When requests are counted: after all hooks of this kind, those of the route included, so that the key sees what they add to the request. A
   * later one is for a key that needs the body or a user.
   *
   * @default 'onRequest'
   */
  readonly hook?: Hook
}

export type Hook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler'

/** `config.rateLimit` of a route: options of its own, a limit that `app.rateLimit()` has made, a list of them, or no limit. */
export type RouteRateLimit = RouteLimit<RateLimitOptions | PlacedLimit>

/** A limit made by `app.rateLimit()`. */
export interface PlacedLimit extends MadeLimit<FastifyRequest, OnDenied> {
  /** Decides for this limit: to peek, reset or block by hand. */
  readonly limiter: Limiter
}

/** `app.rateLimit` of the nearest registration. */
export interface RateLimitDecorator<
  S extends RawServerBase,
  Q extends RawRequestDefaultExpression<S>,
  P extends RawReplyDefaultExpression<S>,
  L extends FastifyBaseLogger,
  T extends FastifyTypeProvider,
> {
  /**
   * Makes a handler for any of the hooks up to `preHandler`, to be placed by hand. Its options are merged over those of the plugin; without
   * options, it is the plugin's own limiter. In however many places it stands, it counts a request once.
   *
   * @example
   * const byAccount = app.rateLimit({ limit: 10, key: byUser((request) => request.user?.id) })
   * app.get('/me', { preHandler: [authenticate, byAccount] }, me)
   */
  <const W extends Duration, N>(
    options?: StatedOptions<W, N>,
  ): AnyHookHandler<S, Q, P, L, T> & PlacedLimit
  /**
   * The limiter that is common to all routes: to peek, reset or block by hand.
   *
   * @throws SluiceError SLUICE_OPTION_MISSING where the plugin was registered with `global: false` and does not say what is allowed
   */
  readonly limiter: Limiter
  /**
   * The limiter of this name. One of a route is made when the application is ready, and is called as `config.rateLimit` says, else by method and
   * pattern: 'GET /items/:id'.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  limiterOf(name: string): Limiter
}

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
    /** Makes limits to be placed by hand, and gives the limiters. */
    rateLimit: RateLimitDecorator<RawServer, RawRequest, RawReply, Logger, TypeProvider>
  }
  interface FastifyRequest {
    /** What was decided last about this request; undefined where it was not limited. */
    rateLimit?: Decision
  }
  interface FastifyContextConfig {
    /**
     * Options of the route's own, merged over those of the plugin; a list of them, each of which has to allow; or false: not limited. Limits of a
     * list that differ only in what they allow are one limiter, which allows all or nothing; others are asked in order.
     */
    rateLimit?: RouteRateLimit
  }
}

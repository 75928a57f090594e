import type { Duration, Keys, Limiter } from '@sluice/core'
import type { LimiterAccess, NodeRequest, OneRule, RequestDecision } from '@sluice/core/http'
import type {
  FastifyBaseLogger,
  FastifyRequest,
  FastifyTypeProvider,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerBase,
} from 'fastify'
import type { AnyHookHandler, OnDenied } from './apply-limit.js'
import type { MadeLimit } from './route-limits.js'

/** The options of a route. Those that are absent are inherited from the plugin. */
export type RateLimitOptions<W = Duration, P = unknown> = OneRule<FastifyRequest, OnDenied, W, P>

/** The options of the plugin: those of its limiter, which routes inherit, and its settings. */
export type RateLimitPluginOptions = RateLimitOptions & PluginSettings

/** Options of the plugin that routes do not inherit. */
export interface PluginSettings {
  /**
   * Whether every route and every request without a route is limited. If false, only routes with a `config.sluice` are.
   *
   * @default true
   */
  readonly global?: boolean | undefined
  /**
   * The hook that counts requests. It runs after all other hooks of this kind, those of the route included, so that the key can use what they add.
   * Choose a later hook if the key needs the body or the user.
   *
   * @default 'onRequest'
   */
  readonly hook?: Hook | undefined
}

/** The hooks of Fastify in which requests can be counted. */
export type Hook = 'onRequest' | 'preParsing' | 'preValidation' | 'preHandler'

/** `config.sluice` of a route: its own options, a limit made by `app.sluice()`, a list of them, or `false` for no limit. */
export type RouteRateLimit =
  | RateLimitOptions
  | ((PlacedLimit | readonly (RateLimitOptions | PlacedLimit)[] | false) & NoOptions)

/**
 * None of the options, except the name that every function has. The other declarations of a route exclude them, so that an editor finds the documentation
 * of an option in `RateLimitOptions` only.
 */
type NoOptions = { readonly [N in Exclude<keyof RateLimitOptions, 'name'>]?: undefined }

/** A limit made by `app.sluice()`. */
export interface PlacedLimit extends MadeLimit, LimiterAccess<AnyRequest> {}

/** `app.sluice` of the nearest registration. */
export interface RateLimitDecorator {
  /**
   * Creates a handler for any hook up to `preHandler`, which the application places at its routes. The options are merged over those of the plugin; without
   * options, it is the limit of the plugin itself. It counts a request once, even if it is placed several times.
   *
   * @example
   * const byAccount = app.sluice({ limit: 10, key: byUser((request) => request.user?.id) })
   * app.get('/me', { preHandler: [authenticate, byAccount] }, me)
   */
  <const W extends Duration, P>(options?: RateLimitOptions<W, P>): AnyHookHandler & PlacedLimit
  /**
   * The limiter of all routes, for direct calls such as `peek`, `reset` or `block`.
   *
   * @throws SluiceError SLUICE_OPTION_MISSING if the plugin is registered with `global: false` and without a limit
   */
  readonly limiter: Limiter
  /**
   * Finds a limiter by its name. The limiter of a route exists from the start of the application; its name is that in `config.sluice`, that of
   * its rules, or else its method, pattern and constraints: 'GET /items/:id', 'GET /items/:id version=2.0.0'.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN
   */
  limiterOf(name: string): Limiter
  /**
   * The key or the keys under which the limit of all routes counts a request, or that of another limiter by its name, for the methods of the limiter.
   *
   * @throws SluiceError SLUICE_LIMITER_UNKNOWN; for a request without its key; and with `rules`, in which each rule has its own keys
   */
  keyOf(request: AnyRequest, limiter?: string): Promise<Keys>
}

/** A request of any server and any route. */
interface AnyRequest {
  readonly raw: NodeRequest
}

// The names of @fastify/rate-limit, `app.rateLimit` and `config.rateLimit`, are left to it: during a move, an application has both plugins.
declare module 'fastify' {
  interface FastifyInstance<
    RawServer extends RawServerBase,
    RawRequest extends RawRequestDefaultExpression<RawServer>,
    RawReply extends RawReplyDefaultExpression<RawServer>,
    Logger extends FastifyBaseLogger,
    TypeProvider extends FastifyTypeProvider,
  > {
    /** Makes limits for single hooks, and gives access to the limiters. */
    sluice: RateLimitDecorator
  }
  interface FastifyRequest {
    /** The last decision on this request; undefined if the request was not limited, and with rules if no rule applies and no tag is set. */
    rateLimit?: RequestDecision
  }
  interface FastifyContextConfig {
    /**
     * The options of the route, merged over those of the plugin, or a list of options, all of which must allow a request, or `false` for no limit. A
     * list is checked in order, and a request that a later limit denies has counted in the earlier ones: policies that are all or nothing are "policies" of one limit.
     */
    sluice?: RouteRateLimit | undefined
  }
}

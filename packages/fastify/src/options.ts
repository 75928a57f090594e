import type { RateLimitOptions as Options } from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'
import type { OnDenied } from './limit.js'

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
export type RouteRateLimit = RateLimitOptions | readonly RateLimitOptions[] | false

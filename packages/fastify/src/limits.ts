import { createGuard, inherit, type Guard } from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'
import { limitBy, type Limit, type OnDenied } from './limit.js'
import type { RateLimitOptions, RouteRateLimit } from './options.js'

/** The limits of one registration. */
export interface Limits {
  /** The one of the plugin's options. It is made once, when somebody needs it: where nobody does, they need not be whole. */
  whole(): Limit
  /** One that is placed by hand. */
  placed(own: RateLimitOptions): Limit
  /** That of a route: one for each name and each statement of options, so that a route of several methods has one limit. */
  ofRoute(own: Exclude<RouteRateLimit, false>, name: string): Limit
}

export function createLimits(base: RateLimitOptions): Limits {
  const made = new Map<RouteRateLimit, Map<string, Limit>>()
  let whole: Limit | undefined

  function guardOf(own: RateLimitOptions, name?: string): Guard<FastifyRequest, OnDenied> {
    // Of what is no object (JavaScript), createGuard says so.
    return createGuard(Object(own) === own ? inherit(base, own) : own, name)
  }

  return {
    whole: () => (whole ??= limitBy([createGuard(base)])),
    placed: (own) => limitBy([guardOf(own)]),
    ofRoute(own, name) {
      const named = made.get(own) ?? new Map<string, Limit>()
      made.set(own, named)
      let limit = named.get(name)
      if (limit === undefined) {
        const guards = isList(own)
          ? own.map((each, i) => guardOf(each, `${name} #${i + 1}`))
          : [guardOf(own, name)]
        limit = limitBy(guards)
        named.set(name, limit)
      }
      return limit
    },
  }
}

// Array.isArray does not narrow a readonly list.
function isList(own: RouteRateLimit): own is readonly RateLimitOptions[] {
  return Array.isArray(own)
}

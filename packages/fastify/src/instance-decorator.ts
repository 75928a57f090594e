import type { Limiter } from '@sluice/core'
import type { FastifyRequest } from 'fastify'
import { hookOf, type AnyHookHandler } from './apply-limit.js'
import { guardMade, type RouteLimits } from './route-limits.js'
import { viewOf } from './request.js'
import type { PlacedLimit, RateLimitDecorator, RateLimitOptions } from './options.js'

/**
 * Makes `app.sluice` of one registration.
 *
 * @param hasStarted whether the application has started: a limit that is made later may be made by a request handler
 */
export function createInstanceDecorator(
  limits: RouteLimits,
  hasStarted: () => boolean,
): RateLimitDecorator {
  function place(own?: RateLimitOptions): AnyHookHandler & PlacedLimit {
    const limit = limits.placed(own, !hasStarted())
    return Object.assign(
      hookOf(() => limit),
      {
        limiter: limit.limiter,
        keyOf: (request: FastifyRequest) => limit.keyOf(viewOf(request)),
        [guardMade]: limit,
      },
    )
  }
  const decorator = Object.assign(place, {
    limiterOf: (name: string) => limits.of(name).limiter,
    keyOf(request: FastifyRequest, limiter?: string) {
      const limit = limiter === undefined ? limits.common() : limits.of(limiter)
      return limit.keyOf(viewOf(request))
    },
  })
  defineLimiter(decorator, () => limits.common().limiter)
  return decorator
}

// A getter, because the options of a plugin with `global: false` may be incomplete.
function defineLimiter<T extends object>(
  target: T,
  get: () => Limiter,
): asserts target is T & { readonly limiter: Limiter } {
  Object.defineProperty(target, 'limiter', { get, enumerable: true })
}

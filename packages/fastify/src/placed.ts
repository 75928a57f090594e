import type { Limiter } from '@sluice/core'
import { guardMade, type RouteLimits } from '@sluice/core/http'
import type { FastifyRequest } from 'fastify'
import type { LimiterLimit, OnDenied } from './admit.js'
import { hookOf, type AnyHook } from './hook.js'
import { once } from './once.js'
import type { PlacedLimit, RateLimitOptions } from './options.js'

/** The limits of one registration that are placed by hand. */
export interface Placing {
  /** `app.rateLimit`. */
  readonly decorator: ((own?: RateLimitOptions) => AnyHook & PlacedLimit) & {
    readonly limiter: Limiter
    limiterOf(name: string): Limiter
  }
  /** The common limit, once it is placed by hand: wherever it stands, it then counts a request once. */
  common(): LimiterLimit | undefined
}

/** @param hasStarted whether the application has started: a limit that is made then may be made by a request handler */
export function createPlacing(
  limits: RouteLimits<FastifyRequest, OnDenied>,
  hasStarted: () => boolean,
): Placing {
  let common: LimiterLimit | undefined

  function place(own?: RateLimitOptions): AnyHook & PlacedLimit {
    const limit =
      own === undefined
        ? (common ??= once(limits.common()))
        : once(limits.placed(own, !hasStarted()))
    return Object.assign(
      hookOf(() => limit),
      { limiter: limit.limiter, [guardMade]: limit },
    )
  }

  const decorator = Object.assign(place, { limiterOf: limits.limiterOf })
  defineLimiter(decorator, () => limits.common().limiter)
  return { decorator, common: () => common }
}

// By a getter, because the options of a plugin with `global: false` need not be complete.
function defineLimiter<T extends object>(
  target: T,
  get: () => Limiter,
): asserts target is T & { readonly limiter: Limiter } {
  Object.defineProperty(target, 'limiter', { get, enumerable: true })
}

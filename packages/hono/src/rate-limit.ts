import type { Duration } from '@sluice/core'
import type { LimiterAccess, RequestDecision, WholeRule } from '@sluice/core/http'
import { isRecord } from '@sluice/core/internal'
import {
  fetchAdapter,
  type AddressSetting,
  type RateLimitOptions as FetchOptions,
} from '@sluice/fetch/adapter'
import type { Context, MiddlewareHandler, Next } from 'hono'
import { lookups } from './lookups.js'

declare module 'hono' {
  interface ContextVariableMap {
    /** The decision of `rateLimit` on this request; absent if the request was not limited, and with rules if no rule applies and no tag is set. */
    rateLimit?: RequestDecision
  }
}

/** Handles a denied request instead of `rateLimit`: returns a response, or calls `next()` to continue. */
export type OnDenied = (
  context: Context,
  next: Next,
  decision: RequestDecision,
) => Response | void | Promise<Response | void>

/** The options of `rateLimit`: either `limit` and `window`, or `policies`, or `rules`, and any of the others. */
export type RateLimitOptions<W = Duration, P = unknown> = AddressSetting<Context> &
  WholeRule<Context, OnDenied, W, P>

/** A middleware and its limiter. */
export interface RateLimitMiddleware extends MiddlewareHandler, LimiterAccess<Context> {}

/**
 * Creates a middleware that limits the rate of requests, for Hono 4 on any runtime. The decision is in `c.get('rateLimit')`.
 *
 * @example
 * import { rateLimit } from '@sluice/hono'
 * import { Hono } from 'hono'
 *
 * const app = new Hono()
 * app.use('/api/*', rateLimit({ limit: 100, window: '1m' }))
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P>(
  options: RateLimitOptions<W, P>,
): RateLimitMiddleware {
  const { limiter, run, keyOf } = limitOf(withResponses(options))

  async function rateLimitMiddleware(context: Context, next: Next): Promise<Response | void> {
    const response = await run(context, async () => {
      await next()
      return context.res
    })
    if (!context.finalized) return response
    if (response !== context.res) {
      // Otherwise Hono would write the headers of the earlier response over those of this one.
      context.res = undefined
      context.res = response
    }
    return undefined
  }

  return Object.assign(rateLimitMiddleware, {
    limiter,
    keyOf: (context: Context) => keyOf(context),
  })
}

const limitOf = fetchAdapter<Context>(lookups)

/** The same options for the adapter, whose `next` returns the response. */
function withResponses<W extends Duration, P>(
  options: RateLimitOptions<W, P>,
): FetchOptions<Context> {
  if (isNotOptions(options)) return options
  const { onDenied, ...others } = options
  if (onDenied === undefined) return others
  if (typeof onDenied !== 'function') return { ...others, onDenied }
  return {
    ...others,
    async onDenied(context, next, decision) {
      return onDenied(context, async () => void (await next()), decision)
    },
  }
}

/** Values that the adapter refuses. `app.use(rateLimit)` passes a context. */
function isNotOptions(options: unknown): options is never {
  return !isRecord(options) || 'req' in options
}

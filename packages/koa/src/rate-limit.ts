import type { Duration } from '@sluice/core'
import {
  createGuard,
  followHandler,
  writeFields,
  type HeaderField,
  type LimiterAccess,
  type MethodDecorator,
  type RequestDecision,
  type ResponseHeaders,
  type WholeRule,
} from '@sluice/core/http'
import { methodDecorator } from '@sluice/core/internal'
import type { Context, Middleware, Next } from 'koa'
import { viewOf } from './request.js'

declare module 'koa' {
  // Merged with the state type of the application: `new Koa<MyState>()` keeps the type of the decision.
  interface ExtendableContext {
    state: RateLimitState
  }
}

/** The property that `rateLimit` sets in `ctx.state`. */
export interface RateLimitState {
  /** The decision on this request; absent if the request was not limited, and with rules if no rule applies and no tag is set. */
  rateLimit?: RequestDecision
}

/** Handles a denied request instead of `rateLimit`: sets the response, or calls `next()` to continue. */
export type OnDenied = (context: Context, next: Next, decision: RequestDecision) => unknown

/** The options of `rateLimit`: either `limit` and `window`, or `policies`, or `rules`, and any of the others. */
export type RateLimitOptions<W = Duration, P = unknown> = WholeRule<Context, OnDenied, W, P>

/** A middleware and its limiter. */
export interface RateLimitMiddleware extends Middleware, LimiterAccess<Context> {}

/** A handler of a controller class. Its context may have more properties. */
// The type of a method, because its parameters are bivariant.
export type Handler = { handle(context: Context, next: Next): unknown }['handle']

/**
 * Creates a middleware that limits the rate of requests, for Koa 2 and 3. The decision is in `ctx.state.rateLimit`.
 *
 * @example
 * import { rateLimit } from '@sluice/koa'
 * import Koa from 'koa'
 *
 * const app = new Koa()
 * app.use(rateLimit({ limit: 100, window: '1m' }))
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P>(
  options: RateLimitOptions<W, P>,
): RateLimitMiddleware {
  const guard = createGuard(options)
  return Object.assign(rateLimitMiddleware, {
    limiter: guard.limiter,
    keyOf: (context: Context) => guard.keyOf(viewOf(context)),
  })

  async function rateLimitMiddleware(context: Context, next: Next): Promise<unknown> {
    const { res } = context
    const action = await guard.check(viewOf(context), res, res)
    const { decision, headers } = action
    const state: RateLimitState = context.state
    if (decision !== undefined) state.rateLimit = decision
    writeFields(headers, res)
    try {
      switch (action.type) {
        case 'continue':
          return await callNext(context, next)
        case 'deny':
          if (context.headerSent) return undefined
          context.status = action.status
          context.body = action.body
          return undefined
        case 'handle':
          return await action.callHandler((handler) => {
            const proceed = async (): Promise<unknown> => {
              action.proceed(res)
              return callNext(context, next)
            }
            return handler(context, proceed, action.decision)
          })
        default:
          return action satisfies never
      }
    } catch (error) {
      throw withHeaders(error, res, headers)
    }
  }
}

/**
 * Limits the rate of requests to a method of a controller class, as a standard decorator or with `experimentalDecorators`.
 *
 * @example
 * import { RateLimit } from '@sluice/koa'
 * import Koa, { type Context } from 'koa'
 *
 * class Reports {@RateLimit({ limit: 5, window: '1m' })
 *   create(ctx: Context) {
 *     ctx.body = 'Created.'
 *   }
 * }
 * new Koa().use(new Reports().create)
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function RateLimit<const W extends Duration, P>(
  options: RateLimitOptions<W, P>,
): MethodDecorator<Handler> {
  const limit = rateLimit(options)
  return methodDecorator<Handler>(
    (handler) =>
      async function limitedHandler(this: unknown, context, next) {
        await limit(context, async () => handler.call(this, context, next))
      },
  )
}

function callNext(context: Context, next: Next): Promise<unknown> {
  const done: Promise<unknown> = next()
  followHandler(context.res, done)
  return done
}

/** The error, with the current values of these headers: Koa drops all headers of a failed request except those in `error.headers`. */
function withHeaders(
  thrown: unknown,
  response: ResponseHeaders,
  fields: readonly HeaderField[],
): unknown {
  // Koa makes an error of a text or a number that is thrown, but one without headers. It ignores undefined and null.
  const isKept = typeof thrown === 'object' || thrown === undefined
  const error = isKept
    ? thrown
    : new Error('no error was thrown, but another value', { cause: thrown })
  if (typeof error !== 'object' || error === null || !Object.isExtensible(error)) return error
  const own: unknown = Reflect.get(error, 'headers')
  // Another limiter may have joined its own fields.
  const written = fields.map(([name]) => [name, response.getHeader(name)] as const)
  const present = written.filter(([, value]) => value !== undefined)
  Reflect.set(error, 'headers', { ...Object(own), ...Object.fromEntries(present) })
  return error
}

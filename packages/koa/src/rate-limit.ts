import type { Duration, Keys, Limiter } from '@sluice/core'
import {
  createGuard,
  followHandler,
  writeFields,
  type Action,
  type Handle,
  type HeaderField,
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
export interface RateLimitMiddleware extends Middleware {
  /** The limiter of this middleware, for direct calls such as `peek`, `reset` or `block`. If `limit` or `policies` is a function, and with `rules`, pass `policies` to them. */
  readonly limiter: Limiter
  /**
   * The key or the keys under which the middleware counts a request, for the methods of `limiter`: `limiter.reset(await limit.keyOf(ctx))`.
   *
   * @throws SluiceError for a request without its key, and with `rules`, in which each rule has its own keys
   */
  keyOf(context: Context): Promise<Keys>
}

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
  return Object.assign(rateLimitMiddleware, { limiter: guard.limiter, keyOf })

  function rateLimitMiddleware(context: Context, next: Next): Promise<unknown> {
    return apply(guard.check(viewOf(context), context.res, context.res), context, next)
  }

  function keyOf(context: Context): Promise<Keys> {
    return guard.keyOf(viewOf(context))
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

async function apply(
  checked: Promise<Action<OnDenied>>,
  context: Context,
  next: Next,
): Promise<unknown> {
  const action = await checked
  const { decision, headers } = action
  const state: RateLimitState = context.state
  if (decision !== undefined) state.rateLimit = decision
  writeFields(headers, context.res)
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
        return await handle(action, context, next)
      default:
        return action satisfies never
    }
  } catch (error) {
    throw withHeaders(error, context, headers)
  }
}

async function handle(action: Handle<OnDenied>, context: Context, next: Next): Promise<unknown> {
  async function proceed(): Promise<unknown> {
    action.proceed(context.res)
    return callNext(context, next)
  }
  return action.callHandler((handler) => handler(context, proceed, action.decision))
}

function callNext(context: Context, next: Next): Promise<unknown> {
  const done: Promise<unknown> = next()
  followHandler(context.res, done)
  return done
}

/** The error, with the rate limit headers: Koa drops all headers of a failed request except those in `error.headers`. */
function withHeaders(thrown: unknown, context: Context, fields: readonly HeaderField[]): unknown {
  const error = errorOf(thrown)
  if (typeof error === 'object' && error !== null && Object.isExtensible(error)) {
    const own: unknown = Reflect.get(error, 'headers')
    Reflect.set(error, 'headers', { ...Object(own), ...writtenFields(fields, context.res) })
  }
  return error
}

/** Koa makes an error of a text or a number that is thrown, but one without headers. It ignores undefined and null. */
function errorOf(thrown: unknown): unknown {
  const isKept = typeof thrown === 'object' || thrown === undefined
  return isKept ? thrown : new Error('no error was thrown, but another value', { cause: thrown })
}

/** The current values of these fields in a response. They differ from the fields if another limiter has joined its own. */
function writtenFields(
  fields: readonly HeaderField[],
  headers: ResponseHeaders,
): Readonly<Record<string, unknown>> {
  const written = fields.map(([name]) => [name, headers.getHeader(name)] as const)
  return Object.fromEntries(written.filter(([, value]) => value !== undefined))
}

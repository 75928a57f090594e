import type { Decision, Duration, Limiter } from '@sluice/core'
import {
  after,
  createGuard,
  followHandler,
  methodDecorator,
  writeFields,
  type Action,
  type Handle,
  type HeaderField,
  type MethodDecorator,
  type RateLimitOptions as Options,
  type Stated,
  type WholeRule,
} from '@sluice/core/http'
import type { Context, Middleware, Next } from 'koa'
import { viewOf } from './request.js'

declare module 'koa' {
  // Beside whatever state an application has of its own: `new Koa<MyState>()` keeps the decision's type.
  interface ExtendableContext {
    state: RateLimitState
  }
}

/** What `rateLimit` leaves in `ctx.state`. */
export interface RateLimitState {
  /** What was decided about this request; absent where it was not limited. */
  rateLimit?: Decision
}

/** Answers a denied request in the place of `rateLimit`, or lets it go on by `next()`. */
export type OnDenied = (context: Context, next: Next, decision: Decision) => unknown

type AllOptions = Options<Context, OnDenied>

/** What is allowed is said in one way: by `limit` and `window`, by `policy`, or by `policies`. */
export type RateLimitOptions = WholeRule<AllOptions>

type StatedOptions<W, P> = WholeRule<Omit<AllOptions, 'key'>> & Stated<Context, W, P>

export type RateLimitMiddleware = Middleware & {
  /** Decides for this middleware: to peek, reset or block by hand. If `limit` or `policies` is a function, its calls need `policies`. */
  readonly limiter: Limiter
}

/** A handler of a controller class. */
export type Handler = (context: Context, next: Next) => unknown

/**
 * Limits the rate of requests, on Koa 2 and 3. The decision is in `ctx.state.rateLimit`.
 *
 * @example
 * app.use(rateLimit({ limit: 100, window: '1m' }))
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P>(
  options: StatedOptions<W, P>,
): RateLimitMiddleware {
  const guard = createGuard(options)
  return Object.assign(rateLimitMiddleware, { limiter: guard.limiter })

  function rateLimitMiddleware(context: Context, next: Next): unknown {
    return after(guard.check(viewOf(context), context.res), (action) =>
      carryOut(action, context, next),
    )
  }
}

/**
 * Limits the rate of requests to a method of a controller class, by standard and by `experimentalDecorators`.
 *
 * @example
 * class Reports {
 *   @RateLimit({ limit: 5, window: '1m' })
 *   create(ctx: Context) { … }
 * }
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function RateLimit<const W extends Duration, P>(
  options: StatedOptions<W, P>,
): MethodDecorator<Handler> {
  const limit = rateLimit(options)
  return methodDecorator<Handler>(
    (handler) =>
      async function limitedHandler(this: unknown, context, next) {
        await limit(context, async () => handler.call(this, context, next))
      },
  )
}

function carryOut(action: Action<OnDenied>, context: Context, next: Next): unknown {
  const { decision, headers } = action
  const state: RateLimitState = context.state
  if (decision !== undefined) state.rateLimit = decision
  writeFields(headers, context.res)
  switch (action.type) {
    case 'continue':
      return followed(context, next).catch(keeping(context, headers))
    case 'deny':
      if (context.headerSent) return undefined
      context.status = action.status
      context.body = action.body
      return undefined
    case 'handle':
      return handled(action, context, next).catch(keeping(context, headers))
    default:
      return action satisfies never
  }
}

async function handled(action: Handle<OnDenied>, context: Context, next: Next): Promise<unknown> {
  return action.answer((handler) =>
    handler(
      context,
      async () => {
        action.goOn(context.res)
        return followed(context, next)
      },
      action.decision,
    ),
  )
}

/** Goes on, and tells the limiters of the request when what follows is done. */
function followed(context: Context, next: Next): Promise<unknown> {
  const work: Promise<unknown> = next()
  followHandler(context.res, work)
  return work
}

/** If an error is thrown, Koa drops all headers except those that the error itself brings. */
function keeping(context: Context, fields: readonly HeaderField[]): (error: unknown) => never {
  return function rethrow(error) {
    if (typeof error === 'object' && error !== null && Object.isExtensible(error)) {
      const own: unknown = Reflect.get(error, 'headers')
      // As they are now: another limiter may have joined its own.
      const written = fields
        .map(([name]) => [name, context.res.getHeader(name)])
        .filter(([, value]) => value !== undefined)
      Reflect.set(error, 'headers', { ...Object(own), ...Object.fromEntries(written) })
    }
    throw error
  }
}

import type { Decision, Duration, Limiter } from '@sluice/core'
import {
  after,
  createGuard,
  followHandler,
  methodDecorator,
  writeFields,
  type Action,
  type Handle,
  type MethodDecorator,
  type RateLimitOptions as Options,
  type Stated,
  type WholeRule,
} from '@sluice/core/http'
import type { NextFunction, Request, Response } from 'express'
import { viewOf } from './request.js'

declare global {
  namespace Express {
    interface Request {
      /** What `rateLimit` decided about this request; absent where it was not limited. */
      rateLimit?: Decision
    }
  }
}

/** Answers a denied request in the place of `rateLimit`, or lets it go on by `next()`. */
export type OnDenied = (
  request: Request,
  response: Response,
  next: NextFunction,
  decision: Decision,
) => unknown

type AllOptions = Options<Request, OnDenied>

/** What is allowed is said in one way: by `limit` and `window`, by `policy`, or by `policies`. */
export type RateLimitOptions = WholeRule<AllOptions>

type StatedOptions<W, P> = WholeRule<Omit<AllOptions, 'key'>> & Stated<Request, W, P>

/** A middleware that says nothing of the types of its request: the handlers after it know their route's parameters still. */
export interface RateLimitMiddleware {
  <P, A, B, Q, L extends Record<string, unknown>>(
    request: Request<P, A, B, Q, L>,
    response: Response<A, L>,
    next: NextFunction,
  ): void
  /** Decides for this middleware: to peek, reset or block by hand. If `limit` or `policies` is a function, its calls need `policies`. */
  readonly limiter: Limiter
}

/**
 * Limits the rate of requests, on Express 4 and 5. The decision is in `req.rateLimit`.
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

  function rateLimitMiddleware<P, A, B, Q, L extends Record<string, unknown>>(
    request: Request<P, A, B, Q, L>,
    response: Response<A, L>,
    next: NextFunction,
  ): void
  function rateLimitMiddleware(request: Request, response: Response, next: NextFunction): void {
    const done = after(guard.check(viewOf(request), response), (action) =>
      carryOut(action, request, response, next),
    )
    if (done instanceof Promise) void handOn(done, next)
  }
}

/** A handler of a controller class. */
export type Handler = (request: Request, response: Response, next: NextFunction) => unknown

/**
 * Limits the rate of requests to a method of a controller class, by standard and by `experimentalDecorators`.
 *
 * @example
 * class Reports {
 *   @RateLimit({ limit: 5, window: '1m' })
 *   create(req: Request, res: Response) { … }
 * }
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function RateLimit<const W extends Duration, P>(
  options: StatedOptions<W, P>,
): MethodDecorator<Handler> {
  const limit = rateLimit(options)
  return methodDecorator<Handler>(
    (handler) =>
      function limitedHandler(this: unknown, request, response, next) {
        limit(request, response, (error?: unknown) => {
          if (error !== undefined) return next(error)
          const done = handler.call(this, request, response, next)
          followHandler(response, done)
          if (done instanceof Promise) void handOn(done, next)
        })
      },
  )
}

function carryOut(
  action: Action<OnDenied>,
  request: Request,
  response: Response,
  next: NextFunction,
): unknown {
  const { decision, headers } = action
  if (decision !== undefined) request.rateLimit = decision
  writeFields(headers, response)
  switch (action.type) {
    case 'continue':
      return next()
    case 'deny':
      return response.headersSent || response.status(action.status).end(action.body)
    case 'handle':
      return action.answer((handler) =>
        handler(request, response, passing(action, response, next), action.decision),
      )
    default:
      return action satisfies never
  }
}

/** What a handler of a denial calls to let the request go on, or to pass on an error: 'route' and 'router' are none. */
function passing(action: Handle<OnDenied>, response: Response, next: NextFunction): NextFunction {
  return function pass(error?: unknown): void {
    if (!error || error === 'route' || error === 'router') action.goOn(response)
    next(error)
  }
}

// Express 4 does not look at what a handler returns.
async function handOn(done: Promise<unknown>, next: NextFunction): Promise<void> {
  try {
    await done
  } catch (error) {
    next(error ?? new Error('a handler threw nothing'))
  }
}

import type { Duration } from '@sluice/core'
import {
  createGuard,
  followHandler,
  writeFields,
  type Action,
  type Handle,
  type LimiterAccess,
  type MethodDecorator,
  type RequestDecision,
  type WholeRule,
} from '@sluice/core/http'
import { methodDecorator } from '@sluice/core/internal'
import type { NextFunction, Request, Response } from 'express'
import { viewOf } from './request.js'

declare global {
  namespace Express {
    interface Request {
      /** The decision of `rateLimit` on this request; absent if the request was not limited, and with rules if no rule applies and no tag is set. */
      rateLimit?: RequestDecision
    }
  }
}

/** Handles a denied request instead of `rateLimit`: sends a response, or calls `next()` to continue. */
export type OnDenied = (
  request: Request,
  response: Response,
  next: NextFunction,
  decision: RequestDecision,
) => unknown

/** The options of `rateLimit`: either `limit` and `window`, or `policies`, or `rules`, and any of the others. */
export type RateLimitOptions<W = Duration, P = unknown> = WholeRule<Request, OnDenied, W, P>

/** A middleware for requests of any type, so that the handlers after it keep the types of their route's parameters. */
export interface RateLimitMiddleware extends LimiterAccess<Pick<Request, 'app' | 'originalUrl'>> {
  <P, A, B, Q, L extends Record<string, unknown>>(
    request: Request<P, A, B, Q, L>,
    response: Response<A, L>,
    next: NextFunction,
  ): void
}

/**
 * Creates a middleware that limits the rate of requests, for Express 4 and 5. The decision is in `req.rateLimit`.
 *
 * @example
 * import { rateLimit } from '@sluice/express'
 * import express from 'express'
 *
 * const app = express()
 * app.use(rateLimit({ limit: 100, window: '1m' }))
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P>(
  options: RateLimitOptions<W, P>,
): RateLimitMiddleware {
  const guard = createGuard(options)
  return Object.assign(rateLimitMiddleware, {
    limiter: guard.limiter,
    keyOf: (request: unknown) => guard.keyOf(viewOf(request)),
  })

  function rateLimitMiddleware(request: unknown, response: Response, next: NextFunction): void {
    // A request of another framework is refused at once, where it is passed.
    const view = viewOf(request)
    void apply(guard.check(view, response, response), view.raw, response, next)
  }
}

/** A handler of a controller class. Its request may have more properties, or parameters of a known type. */
// The type of a method, because its parameters are bivariant.
export type Handler = {
  handle(request: Request, response: Response, next: NextFunction): unknown
}['handle']

/**
 * Limits the rate of requests to a method of a controller class, as a standard decorator or with `experimentalDecorators`.
 *
 * @example
 * import { RateLimit } from '@sluice/express'
 * import express, { type Request, type Response } from 'express'
 *
 * class Reports {@RateLimit({ limit: 5, window: '1m' })
 *   create(req: Request, res: Response) {
 *     res.send('Created.')
 *   }
 * }
 * express().post('/reports', new Reports().create)
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function RateLimit<const W extends Duration, P>(
  options: RateLimitOptions<W, P>,
): MethodDecorator<Handler> {
  const limit = rateLimit(options)
  return methodDecorator<Handler>(
    (handler) =>
      function limitedHandler(this: unknown, request, response, next) {
        limit(request, response, (error?: unknown) => {
          if (error !== undefined) return next(error)
          const done = followHandler(response, handler.call(this, request, response, next))
          if (done instanceof Promise) void forwardError(done, next)
        })
      },
  )
}

async function apply(
  checked: Promise<Action<OnDenied>>,
  request: Request,
  response: Response,
  next: NextFunction,
): Promise<void> {
  try {
    const action = await checked
    const { decision, headers } = action
    if (decision !== undefined) request.rateLimit = decision
    writeFields(headers, response)
    switch (action.type) {
      case 'continue':
        return next()
      case 'deny':
        if (!response.headersSent) response.status(action.status).end(action.body)
        return
      case 'handle':
        await action.callHandler((handler) =>
          handler(request, response, nextFor(action, response, next), action.decision),
        )
        return
      default:
        return action satisfies never
    }
  } catch (error) {
    next(error)
  }
}

/** The `next` of an `onDenied` handler. Without an error the request continues; Express reads 'route' and 'router' as commands, not as errors. */
function nextFor(action: Handle<OnDenied>, response: Response, next: NextFunction): NextFunction {
  return function nextOrError(error?: unknown): void {
    if (!error || error === 'route' || error === 'router') action.proceed(response)
    next(error)
  }
}

// Express 4 ignores the promise that a handler returns.
async function forwardError(done: Promise<unknown>, next: NextFunction): Promise<void> {
  try {
    await done
  } catch (error) {
    next(error ?? new Error('a handler threw nothing'))
  }
}

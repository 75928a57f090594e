import type { Decision } from '@sluice/core'
import { createGuard, type Outcome, type RateLimitOptions as Options } from '@sluice/core/http'
import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { viewOf } from './request.js'

declare global {
  namespace Express {
    interface Request {
      /** What `rateLimit` decided about this request; absent where it was skipped. */
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

export type RateLimitOptions = Options<Request, OnDenied>

/**
 * Limits the rate of requests, on Express 4 and 5. The decision is in `req.rateLimit`.
 *
 * @example
 * app.use(rateLimit({ limit: 100, window: '1m' }))
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function rateLimit(options: RateLimitOptions): RequestHandler {
  const guard = createGuard(options)
  return function rateLimitMiddleware(request, response, next) {
    const act = (outcome: Outcome<OnDenied>): unknown => actOn(outcome, request, response, next)
    const outcome = guard.check(viewOf(request))
    const done = outcome instanceof Promise ? outcome.then(act) : act(outcome)
    if (done instanceof Promise) void handOn(done, next)
  }
}

function actOn(
  outcome: Outcome<OnDenied>,
  request: Request,
  response: Response,
  next: NextFunction,
) {
  if (outcome.type === 'pass') return next()
  request.rateLimit = outcome.decision
  if (!response.headersSent) {
    for (const [name, value] of outcome.headers) response.setHeader(name, value)
  }
  switch (outcome.type) {
    case 'continue':
      return next()
    case 'deny':
      return response.headersSent || response.status(outcome.status).end(outcome.body)
    case 'handle':
      return outcome.handler(request, response, next, outcome.decision)
    default:
      return outcome satisfies never
  }
}

// Express 4 does not look at what a middleware returns.
async function handOn(done: Promise<unknown>, next: NextFunction): Promise<void> {
  try {
    await done
  } catch (error) {
    next(error)
  }
}

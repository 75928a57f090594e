import type { Duration } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { isFunction, sluiceError } from '@sluice/core/internal'
import type { FetchLookups } from './answers.js'
import { fetchAdapter, type FetchLimit, type RateLimitOptions } from './fetch-adapter.js'
import { ServerArguments } from './platform.js'

/** A limit of web Requests. Called with a handler, it returns the same handler with the limit in front. */
export interface RateLimit extends FetchLimit<Request> {
  /**
   * Puts the limit in front of a handler. The server passes the request and its further arguments, which show the client's address and `waitUntil`; the
   * handler receives all of them.
   *
   * @throws SluiceError SLUICE_OPTION_INVALID if the handler is not a function
   */
  <A extends readonly unknown[], T extends Answer>(
    handler: (request: Request, ...rest: A) => T,
  ): (request: Request, ...rest: A) => T
  // The request of a framework can have more members than a Request.
  <H extends Handler>(handler: H): H
}

/** A function from a Request to a Response. Its type may say more about both. */
export type Handler = (request: never, ...rest: never[]) => Answer

/** Bun requires no Response after an upgrade. */
type Answer = Awaitable<Response | undefined | void>

/**
 * Creates a limit for handlers that take a Request and return a Response. The decision is in `decisionOf(request)`.
 *
 * @example
 * import { serve } from '@hono/node-server'
 * import { rateLimit } from '@sluice/fetch'
 *
 * const limit = rateLimit({ limit: 100, window: '1m' })
 * serve({ fetch: limit(() => new Response('Hello')), port: 3000 })
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P>(
  options: RateLimitOptions<Request, W, P>,
): RateLimit {
  return limitOf(options)
}

/** Makes the function `rateLimit` for handlers that take a web Request. */
export function handlerLimits(
  lookups: FetchLookups<Request>,
): <const W extends Duration, P>(options: RateLimitOptions<Request, W, P>) => RateLimit {
  const adapted = fetchAdapter(lookups)

  return function limitHandlers(options) {
    const made = adapted(options)

    function limit<A extends readonly unknown[], T extends Answer>(
      handler: (request: Request, ...rest: A) => T,
    ): (request: Request, ...rest: A) => T
    function limit<H extends Handler>(handler: H): H
    function limit(handler: (request: Request, ...rest: unknown[]) => Awaitable<Response>) {
      if (!isFunction(handler)) throw wrongHandler(handler)
      return async function limitedHandler(this: unknown, request: Request, ...rest: unknown[]) {
        const next = (): Awaitable<Response> => handler.call(this, request, ...rest)
        return made.run(request, next, new ServerArguments(request, rest))
      }
    }
    return Object.assign(limit, made)
  }
}

function wrongHandler(handler: unknown): Error {
  const expected =
    'a function from a web Request to its Response, as in limit(() => new Response())'
  const advice =
    'For the middleware of a framework of Node, use its package, such as @sluice/express'
  return sluiceError('SLUICE_OPTION_INVALID', 'rateLimit', 'handler', handler, expected, advice)
}

const limitOf = handlerLimits({ request: (request) => request })

import { createGuard, methodDecorator, type MethodDecorator } from '@sluice/core/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { limitBy } from './limit.js'
import type { RateLimitOptions } from './options.js'

/** A handler of a controller class. By the type of a method, so that it may know more of its request: `FastifyRequest<{ Body: Report }>`. */
export type Handler = {
  handle(request: FastifyRequest, reply: FastifyReply): unknown
}['handle']

/**
 * Limits the rate of requests to a method of a controller class, by standard and by `experimentalDecorators`. It needs no plugin, and knows
 * of none: nothing is inherited.
 *
 * @example
 * class Reports {
 *   @RateLimit({ limit: 5, window: '1m' })
 *   create(request: FastifyRequest, reply: FastifyReply) { … }
 * }
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function RateLimit(options: RateLimitOptions): MethodDecorator<Handler> {
  const limit = limitBy([createGuard(options)])
  return methodDecorator<Handler>(
    (handler) =>
      function limitedHandler(this: unknown, request, reply) {
        const next = (goesOn: boolean): unknown =>
          goesOn ? handler.call(this, request, reply) : reply
        const goesOn = limit(request, reply)
        return goesOn instanceof Promise ? goesOn.then(next) : next(goesOn)
      },
  )
}

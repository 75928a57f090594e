import type { Duration } from '@sluice/core'
import { createGuard, methodDecorator, type MethodDecorator } from '@sluice/core/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { admit } from './admit.js'
import { follow } from './followed.js'
import type { StatedOptions } from './options.js'

/** A handler of a controller class. By the type of a method, so that it may know more of its request: `FastifyRequest<{ Body: Report }>`. */
export type Handler = { handle(request: FastifyRequest, reply: FastifyReply): unknown }['handle']

/**
 * Limits the rate of requests to a method of a controller class, by standard and by `experimentalDecorators`. It needs no plugin, and takes
 * nothing from one.
 *
 * @example
 * class Reports {
 *   @RateLimit({ limit: 5, window: '1m' })
 *   create(request: FastifyRequest, reply: FastifyReply) { … }
 * }
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function RateLimit<const W extends Duration, P>(
  options: StatedOptions<W, P>,
): MethodDecorator<Handler> {
  const limit = createGuard(options, undefined, true)
  return methodDecorator<Handler>(
    (handler) =>
      async function limitedHandler(this: unknown, request, reply) {
        if (!(await admit(limit, request, reply))) return reply
        const returned = handler.call(this, request, reply)
        follow(reply, returned)
        // What answers later returns nothing; from a promise, Fastify would take that for an oversight.
        return returned === undefined ? reply : returned
      },
  )
}

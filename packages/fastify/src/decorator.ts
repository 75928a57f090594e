import type { Duration } from '@sluice/core'
import { createGuard, type MethodDecorator } from '@sluice/core/http'
import { methodDecorator } from '@sluice/core/internal'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { applyLimit, follow } from './apply-limit.js'
import type { RateLimitOptions } from './options.js'

/** A handler of a controller class. A method type, so that the handler may declare a more specific request: `FastifyRequest<{ Body: Report }>`. */
export type Handler = { handle(request: FastifyRequest, reply: FastifyReply): unknown }['handle']

/**
 * Limits the rate of requests to a method of a controller class, as a standard decorator or with `experimentalDecorators`. It works without the plugin
 * and inherits no options from it.
 *
 * @example
 * import { RateLimit } from '@sluice/fastify'
 * import fastify from 'fastify'
 *
 * class Reports {@RateLimit({ limit: 5, window: '1m' })
 *   create() {
 *     return 'Created.'
 *   }
 * }
 * fastify().post('/reports', new Reports().create)
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function RateLimit<const W extends Duration, P>(
  options: RateLimitOptions<W, P>,
): MethodDecorator<Handler> {
  const limit = createGuard(options, undefined, true)
  return methodDecorator<Handler>(
    (handler) =>
      async function limitedHandler(this: unknown, request, reply) {
        if (!(await applyLimit(limit, request, reply))) return reply
        const returned = follow(reply, handler.call(this, request, reply))
        // A handler that calls `reply.send()` later returns undefined. Fastify warns about a promise of undefined, but not about a promise of the reply.
        return returned === undefined ? reply : returned
      },
  )
}

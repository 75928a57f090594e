import { followHandler } from '@sluice/core/http'
import type { FastifyReply, RouteHandlerMethod } from 'fastify'

/** Wraps the handler of a route, so that limiters that hold a lease learn when it is done. */
export function followed(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function followedHandler(request, reply) {
    const returned: unknown = handler.call(this, request, reply)
    follow(reply, returned)
    return returned
  }
}

export function follow(reply: FastifyReply, returned: unknown): void {
  // A reply is a thenable that resolves at its own end.
  if (returned !== reply) followHandler(reply.raw, returned)
}

import { followHandler } from '@sluice/core/http'
import type { FastifyReply, RouteHandlerMethod } from 'fastify'

/** A route's handler. The limiters of its request learn from its promise when it is done. */
export function followed(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function followedHandler(request, reply) {
    const returned: unknown = handler.call(this, request, reply)
    follow(reply, returned)
    return returned
  }
}

/** Tells the limiters of a request what its handler returned. */
export function follow(reply: FastifyReply, returned: unknown): void {
  // A reply is a thenable that waits for its own end.
  if (returned !== reply) followHandler(reply.raw, returned)
}

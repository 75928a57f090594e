import type { FastifyReply, FastifyRequest } from 'fastify'
import { applyLimit, type Limit } from './apply-limit.js'
import type { AnyHookHandler } from './options.js'

/** Makes a hook that applies the limit of each request, if it has one. */
export function hookOf(limitFor: (request: FastifyRequest) => Limit | undefined): AnyHookHandler {
  return async function limitHook(request: FastifyRequest, reply: FastifyReply) {
    const limit = limitFor(request)
    if (limit === undefined || (await applyLimit(limit, request, reply))) return
    // A hook that returns `reply` would continue if the client disconnects, so the promise stays pending.
    await new Promise(() => {})
  }
}

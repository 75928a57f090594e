import { after } from '@sluice/core/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { applyLimit, type Limit } from './apply-limit.js'
import type { AnyHookHandler } from './options.js'

/** Makes a hook that applies the limit of each request, if it has one. */
export function hookOf(limitFor: (request: FastifyRequest) => Limit | undefined): AnyHookHandler {
  return function limitHook(request: FastifyRequest, reply: FastifyReply, payload, done = payload) {
    const limit = limitFor(request)
    const continues = limit === undefined || applyLimit(limit, request, reply)
    // The callback is faster than a promise.
    if (continues === true && typeof done === 'function') return done()
    // A hook that returns `reply` would continue if the client disconnects, so the promise stays pending.
    return after(continues, (isTrue) => (isTrue ? undefined : new Promise<undefined>(() => {})))
  }
}

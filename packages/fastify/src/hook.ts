import { after } from '@sluice/core/http'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction, RequestPayload } from 'fastify'
import { admit, type Limit } from './admit.js'

/** A hook of any kind up to `preHandler`. If there is a payload, it stands before the callback. */
export type AnyHook = (
  request: FastifyRequest,
  reply: FastifyReply,
  payload: RequestPayload | HookHandlerDoneFunction,
  done?: RequestPayload | HookHandlerDoneFunction,
) => unknown

/** The hook that limits a request by the limit that is found for it, if any. */
export function hookOf(limitFor: (request: FastifyRequest) => Limit | undefined): AnyHook {
  return function rateLimitHook(request, reply, payload, done = payload) {
    const limit = limitFor(request)
    const passes = limit === undefined || admit(limit, request, reply)
    // What is known at once needs no promise, and Fastify waits for none.
    if (passes === true && typeof done === 'function') return done()
    // To wait for the answer, as `return reply` does, would go on when the client goes away.
    return after(passes, (passed) => (passed ? undefined : new Promise<undefined>(() => {})))
  }
}

import type {
  FastifyReply,
  FastifyRequest,
  RawReplyDefaultExpression,
  RawRequestDefaultExpression,
  RawServerBase,
  RawServerDefault,
  RouteGenericInterface,
} from 'fastify'
import type { Limit } from './limit.js'

type Done = (error?: Error) => void

/** What `fastify.rateLimit()` gives: it can stand at `onRequest`, `preParsing`, `preValidation` and `preHandler`. */
export type RateLimitHook<
  S extends RawServerBase = RawServerDefault,
  Q extends RawRequestDefaultExpression<S> = RawRequestDefaultExpression<S>,
  P extends RawReplyDefaultExpression<S> = RawReplyDefaultExpression<S>,
> = (
  request: FastifyRequest<RouteGenericInterface, S, Q>,
  reply: FastifyReply<RouteGenericInterface, S, Q, P>,
  ...rest: [done: Done] | [payload: unknown, done: Done]
) => void | Promise<void>

/** Lets Fastify go on by `done`, in the same tick where the limiter answers at once. */
export function hookOf(limit: Limit): RateLimitHook {
  return function rateLimitHook(request, reply, ...rest) {
    const done = rest.length === 1 ? rest[0] : rest[1]
    let goesOn: boolean | Promise<boolean>
    try {
      goesOn = limit(request, reply)
    } catch (error) {
      // Fastify takes `undefined` that is thrown for no error, and would go on; that is rejected, it does not.
      return Promise.reject(error)
    }
    if (goesOn instanceof Promise) return onceTrue(goesOn)
    if (goesOn) done()
    return undefined
  }
}

/** Settles only where Fastify is to do something. To wait for the answer, as `return reply` does, would go on where the client goes away. */
function onceTrue(goesOn: Promise<boolean>): Promise<void> {
  return new Promise((resolve, reject) => {
    goesOn.then((goes) => {
      if (goes) resolve()
    }, reject)
  })
}

import {
  followHandler,
  writeFields,
  type Guard,
  type RequestDecision,
  type ResponseHeaders,
} from '@sluice/core/http'
import type {
  FastifyReply,
  FastifyRequest,
  HookHandlerDoneFunction,
  RequestPayload,
  RouteHandlerMethod,
} from 'fastify'
import { viewOf } from './request.js'

/**
 * Handles a denied request instead of `rateLimit`. It sends a response by `reply.send()` or returns the payload. If it returns true, the request
 * continues.
 */
export type OnDenied = (
  request: FastifyRequest,
  reply: FastifyReply,
  decision: RequestDecision,
) => unknown

export type Limit = Guard<FastifyRequest, OnDenied>

/** Returns whether the request continues. If not, the response is sent, or the handler of the denial sends it later. */
export async function applyLimit(
  limit: Limit,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const written = headersOf(reply)
  const action = await limit.check(viewOf(request), reply.raw, written)
  const { decision, headers } = action
  if (decision !== undefined) request.rateLimit = decision
  writeFields(headers, written)
  switch (action.type) {
    case 'continue':
      return true
    case 'deny':
      if (reply.sent || reply.raw.headersSent) return false
      // Without a serializer, Fastify adds a charset to every JSON type.
      reply.code(action.status).serializer(unchanged).send(action.body)
      return false
    case 'handle': {
      const result: unknown = await action.callHandler((handler) => {
        const returned = handler(request, reply, action.decision)
        // A reply is a thenable that resolves at its own end.
        return returned === reply ? undefined : returned
      })
      if (result === true) action.proceed(written)
      else if (result !== undefined && !reply.sent) reply.send(result)
      return result === true
    }
    default:
      return action satisfies never
  }
}

function headersOf(reply: FastifyReply): ResponseHeaders {
  return {
    getHeader: (name) => reply.getHeader(name),
    setHeader: (name, value) => reply.header(name, value),
    removeHeader: (name) => reply.removeHeader(name),
  }
}

function unchanged(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

type Payload = RequestPayload | HookHandlerDoneFunction

/** A handler for any hook up to `preHandler`, on any server. `preParsing` passes a payload before the callback. */
export type AnyHookHandler = {
  handle(request: object, reply: object, payload: Payload, done?: Payload): void | Promise<unknown>
}['handle']

/** Makes a hook that applies the limit of each request, if it has one. */
export function hookOf(limitFor: (request: FastifyRequest) => Limit | undefined): AnyHookHandler {
  return async function limitHook(request: FastifyRequest, reply: FastifyReply) {
    const limit = limitFor(request)
    if (limit === undefined || (await applyLimit(limit, request, reply))) return
    // A hook that returns `reply` would continue if the client disconnects, so the promise stays pending.
    await new Promise(() => {})
  }
}

/** Wraps the handler of a route, so that limiters that hold a lease learn when it is done. */
export function followed(handler: RouteHandlerMethod): RouteHandlerMethod {
  return function followedHandler(request, reply) {
    return follow(reply, handler.call(this, request, reply))
  }
}

export function follow(reply: FastifyReply, returned: unknown): unknown {
  // A reply is a thenable that resolves at its own end.
  return returned === reply ? returned : followHandler(reply.raw, returned)
}

import type { Decision } from '@sluice/core'
import {
  after,
  writeFields,
  type Guard,
  type Handle,
  type LimiterGuard,
  type ResponseHeaders,
} from '@sluice/core/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { viewOf } from './request.js'

/**
 * Handles a denied request in the place of `rateLimit`. It answers by `reply.send()`, or by what it returns; or it returns true, and the
 * request goes on all the same.
 */
export type OnDenied = (request: FastifyRequest, reply: FastifyReply, decision: Decision) => unknown

/** One limiter, several, or none in front of a handler. */
export type Limit = Guard<FastifyRequest, OnDenied>

export type LimiterLimit = LimiterGuard<FastifyRequest, OnDenied>

/** Whether the request goes on. Where it does not, it has been answered, or will be. */
export function admit(
  limit: Limit,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean | Promise<boolean> {
  return after(limit.check(viewOf(request), reply.raw), (action) => {
    const { decision, headers } = action
    if (decision !== undefined) request.rateLimit = decision
    writeFields(headers, headersOf(reply))
    switch (action.type) {
      case 'continue':
        return true
      case 'deny':
        if (reply.sent || reply.raw.headersSent) return false
        // Without a serializer, Fastify would add a charset to the type of all JSON.
        reply.code(action.status).serializer(asItIs).send(action.body)
        return false
      case 'handle':
        return handedOn(action, request, reply)
      default:
        return action satisfies never
    }
  })
}

function headersOf(reply: FastifyReply): ResponseHeaders {
  return {
    getHeader: (name) => reply.getHeader(name),
    setHeader: (name, value) => reply.header(name, value),
    removeHeader: (name) => reply.removeHeader(name),
  }
}

function asItIs(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

async function handedOn(
  action: Handle<OnDenied>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const answer: unknown = await action.answer((handler) => {
    const returned = handler(request, reply, action.decision)
    // A reply is a thenable that waits for its own end.
    return returned === reply ? undefined : returned
  })
  if (answer === true) action.goOn(headersOf(reply))
  else if (answer !== undefined && !reply.sent) reply.send(answer)
  return answer === true
}

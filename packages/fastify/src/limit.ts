import type { Decision } from '@sluice/core'
import type { Action, Guard, Handle } from '@sluice/core/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FastifyView } from './request.js'

/**
 * Answers a denied request in the place of `rateLimit`: by `reply.send()`, by what it returns (which is sent), or later, where it returns the
 * reply. Where it does none of these, the request goes on. The status is the handler's own to set.
 */
export type OnDenied = (request: FastifyRequest, reply: FastifyReply, decision: Decision) => unknown

/** Says whether a request goes on. Where it does not, it has been answered, or will be. */
export type Limit = (request: FastifyRequest, reply: FastifyReply) => boolean | Promise<boolean>

/** Asks the guards in order. The first one that denies answers, and the others are not asked. */
export function limitBy(guards: readonly Guard<FastifyRequest, OnDenied>[]): Limit {
  const [limit, ...others] = guards.map(limitByOne)
  if (others.length === 0) return limit ?? (() => true)
  return async function limitInOrder(request, reply) {
    for (const next of [limit, ...others]) if (!(await next(request, reply))) return false
    return true
  }
}

function limitByOne(guard: Guard<FastifyRequest, OnDenied>): Limit {
  return function limit(request, reply) {
    const action = guard.check(new FastifyView(request), reply.raw)
    return action instanceof Promise
      ? action.then((action) => carryOut(action, request, reply))
      : carryOut(action, request, reply)
  }
}

function carryOut(
  action: Action<OnDenied>,
  request: FastifyRequest,
  reply: FastifyReply,
): boolean | Promise<boolean> {
  const { decision, headers } = action
  if (decision !== undefined) request.rateLimit = decision
  for (const [name, value] of headers) reply.header(name, value)
  switch (action.type) {
    case 'continue':
      return true
    case 'deny':
      // Without a serializer of its own, Fastify adds a charset to all JSON.
      if (!reply.sent && !reply.raw.headersSent) {
        reply.code(action.status).serializer(asItIs).send(action.body)
      }
      return false
    case 'handle':
      return goesOn(action, request, reply)
    default:
      return action satisfies never
  }
}

function asItIs(body: string): string {
  return body
}

// A stream is not `sent` before its end, nor is anything behind an asynchronous onSend hook: to ask `reply.sent` alone would let requests pass
// that have been denied and answered.
async function goesOn(
  { handler, decision }: Handle<OnDenied>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  const { send } = reply
  let answered = false
  const value = (...payload: unknown[]): unknown => {
    answered = true
    return Reflect.apply(send, reply, payload)
  }
  Object.defineProperty(reply, 'send', { value, configurable: true })
  try {
    const returned = handler(request, reply, decision)
    // A reply is a thenable, which resolves when the answer has left.
    if (returned === reply) return false
    const payload = await returned
    if (payload !== undefined && !answered && !reply.sent) reply.send(payload)
    return !answered && !reply.sent
  } finally {
    Reflect.deleteProperty(reply, 'send')
  }
}

import type { Decision } from '@sluice/core'
import type { Action, Guard, Handle } from '@sluice/core/http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { FastifyView } from './request.js'

/**
 * Answers a denied request in the place of `rateLimit`: by `reply.send()`, by what it returns (which is sent), or later, where it returns the
 * reply. Where it does none of these, the request goes on. The status is its own to set.
 */
export type OnDenied = (request: FastifyRequest, reply: FastifyReply, decision: Decision) => unknown

/** Limiters that are asked in order. */
export type Limits = readonly Guard<FastifyRequest, OnDenied>[]

/** Whether the request goes on. Where it does not, the first limiter that denies has answered it, or will. */
export async function admit(
  limits: Limits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  for (const limit of limits) {
    const action = await limit.check(new FastifyView(request), reply.raw)
    if (!(await carryOut(action, request, reply))) return false
  }
  return true
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
      if (reply.sent || reply.raw.headersSent) return false
      // Without a serializer, Fastify would add a charset to the type of all JSON.
      reply.code(action.status).serializer(asItIs).send(action.body)
      return false
    case 'handle':
      return handedOn(action, request, reply)
    default:
      return action satisfies never
  }
}

function asItIs(body: unknown): string {
  return typeof body === 'string' ? body : JSON.stringify(body)
}

async function handedOn(
  { handler, decision }: Handle<OnDenied>,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<boolean> {
  // A stream is not `reply.sent` before its end, nor is anything behind an asynchronous onSend hook: to ask for that alone would let requests
  // pass that have been denied and answered.
  let answered = false
  const { send } = reply
  reply.send = (...payload) => {
    answered = true
    return send.apply(reply, payload)
  }
  const returned = handler(request, reply, decision)
  // A reply is a thenable that waits for its end, which a client can bring about.
  if (returned === reply) return false
  const payload = await returned
  if (payload !== undefined && !answered) reply.send(payload)
  return !answered && !reply.sent
}

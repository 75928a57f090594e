import type { ExecutionContext } from '@nestjs/common'
import type { ModulesContainer } from '@nestjs/core'
import { createView } from '@sluice/core/http'
import { inheritedMember, memberOf } from '@sluice/core/internal'
import { requestMissing } from '../errors.js'
import { getOrAdd } from '../get-or-add.js'
import { isObject, type NestCall } from '../nest-call.js'
import { serverOf } from '../nest-methods.js'
import {
  headersOfReply,
  lookups,
  nodeOf,
  type PlatformRequest,
  type PlatformResponse,
} from '../request.js'
import { keepDecision, noHeaders, type Call } from './call.js'
import { connectionOfSocket } from './message.js'
import { connectionOfResponse, MethodExchange } from './method-exchange.js'
import { SharedHeaders } from './shared-headers.js'

/** A call with the properties of its request, so that the functions of the options find them where HTTP has them. */
type GraphqlCall = NestCall & PlatformRequest

const viewOf = createView<GraphqlCall>({ ...lookups, sent: sentBy })

/**
 * A call whose context has no request that the server made. Its driver or the application made one, which can be what the client has sent as it connected:
 * only headers are read from it.
 */
const viewWithoutRequest = createView<GraphqlCall>({
  node: ({ headers }) => ({ headers }),
  url: () => undefined,
  address: () => undefined,
  route: () => undefined,
  sent: sentBy,
  trustsEveryProxy: () => false,
})

const sentWith = new WeakMap<object, unknown[]>()

/** The data that the client sent. The calls of a request share most of it, so they share one list, to which each adds its arguments. */
function sentBy(call: GraphqlCall): readonly unknown[] {
  const { body, data } = call
  const owner = isObject(body) ? body : operationOf(call)
  const sent = getOrAdd(sentWith, owner, () => [...(lookups.sent(call) ?? [])])
  sent.push(data)
  return sent
}

/** The values of the variables, which belong to one operation. Its document may be cached and shared by operations. */
function operationOf({ context }: Pick<NestCall, 'context'>): object {
  const args: readonly unknown[] = context.getArgs()
  const variables = memberOf(args.at(-1), 'variableValues')
  return isObject(variables) ? variables : context
}

/**
 * Makes the call of a resolver. The last arguments of a resolver are the context and the info of GraphQL.
 *
 * @throws SluiceError SLUICE_REQUEST_MISSING if the context contains no request
 */
export function callOfGraphql(context: ExecutionContext, modules: ModulesContainer): Call {
  const args: readonly unknown[] = context.getArgs()
  const graphql = args.at(-2)
  const request = requestIn(graphql)
  if (request === undefined) throw requestMissing()
  const view = isOfServer(request) ? viewOf : viewWithoutRequest
  if (view === viewOf && !('ip' in request)) letExpressRead(request, modules)
  const client = memberOf(extraIn(graphql), 'socket')
  // A resolver of references has two arguments before these, and any other resolver three.
  const data = args.at(-3)
  const call = { type: 'graphql', request, client, data, context }
  inherit(call, request)
  const response = responseIn(graphql, request)
  const node = response && nodeOf(response)
  return {
    view: view(call),
    exchange: new MethodExchange(() =>
      node === undefined ? connectionOfSocket(client) : connectionOfResponse(node),
    ),
    operation: operationOf(call),
    headersOf: (limit) =>
      // Nothing can be written if the response was begun already.
      response === undefined || node?.headersSent !== false
        ? noHeaders
        : SharedHeaders.of(node, headersOfReply(response)).of(limit),
    decided(decision) {
      if (decision !== undefined) request.rateLimit = decision
      keepDecision(context, decision)
    },
    exceptionOf: async (exception) => exception,
  }
}

/** Gives the request of an upgrade the application of Express, as Express does with its own requests. Its address is then read by the same proxy setting. */
function letExpressRead(request: PlatformRequest, modules: ModulesContainer): void {
  const server = serverOf(modules)
  if (server?.getType() === 'express') Reflect.set(request, 'app', server.getInstance())
}

/** Lets a call inherit the properties of its request. */
function inherit<C extends object, R extends object>(call: C, request: R): asserts call is C & R {
  Reflect.setPrototypeOf(call, request)
}

/** The request in the context of GraphQL. In the context that Nest makes for graphql-ws, it is that of the upgrade. */
function requestIn(graphql: unknown): PlatformRequest | undefined {
  const reply = memberOf(graphql, 'reply')
  const named = [memberOf(graphql, 'req'), memberOf(graphql, 'request'), memberOf(reply, 'request')]
  return [...named, memberOf(extraIn(graphql), 'request')].find(isRequest)
}

function isRequest(value: unknown): value is PlatformRequest {
  return isObject(memberOf(value, 'headers'))
}

/** The requests of Node and of Fastify have the headers from their classes. */
function isOfServer(request: PlatformRequest): boolean {
  return isObject(inheritedMember(request, 'headers'))
}

/** The connection as graphql-ws describes it. */
function extraIn(graphql: unknown): unknown {
  return memberOf(graphql, 'extra') ?? memberOf(memberOf(graphql, 'req'), 'extra')
}

/** The response, if the context names it or the request of Express does. */
function responseIn(graphql: unknown, request: PlatformRequest): PlatformResponse | undefined {
  const named = [memberOf(graphql, 'res'), memberOf(graphql, 'reply'), memberOf(request, 'res')]
  return named.find(isResponse)
}

function isResponse(value: unknown): value is PlatformResponse {
  return ['header', 'getHeader'].every((name) => typeof memberOf(value, name) === 'function')
}

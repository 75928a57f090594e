import type { ExecutionContext } from '@nestjs/common'
import {
  writeFields,
  type EarlierHeaders,
  type HeaderField,
  type NodeResponse,
  type RequestDecision,
  type RequestView,
  type ResponseHeaders,
} from '@sluice/core/http'
import { isObject, type Limited } from '../nest-call.js'
import type { LimitException } from '../rate-limit-exception.js'
import { headersOfReply, nodeOf, requestOf, responseOf, viewOf } from '../request.js'
import type { MethodExchange } from './method-exchange.js'

/** A call as the guard needs it, on any transport. */
export interface Call {
  readonly view: RequestView<Limited>
  /** Node's own response, or an exchange whose end the methods report. */
  readonly exchange: NodeResponse | MethodExchange
  headersOf(limit: object): LimitHeaders
  /** Shows the decision to the method. */
  decided(decision: RequestDecision | undefined): void
  /** The exception of the transport. It never resolves if a response was begun already: an exception would make Nest truncate it. */
  exceptionOf(exception: LimitException): Promise<Error>
  /** The GraphQL operation of the call. The limit of the module counts an operation once. */
  readonly operation?: object
}

/** The headers of a response, which one limit reads and writes. They have no effect if no response is in reach. */
export interface LimitHeaders extends EarlierHeaders, Pick<ResponseHeaders, 'removeHeader'> {
  write(fields: readonly HeaderField[]): void
}

export const noHeaders: LimitHeaders = { getHeader() {}, removeHeader() {}, write() {} }

export function callOfHttp(context: ExecutionContext): Call {
  const request = requestOf(context)
  const response = responseOf(context)
  const exchange = nodeOf(response)
  const headers = headersOfReply(response)
  const own = {
    ...headers,
    write: (fields: readonly HeaderField[]) => writeFields(fields, headers),
  }
  return {
    view: viewOf(request),
    exchange,
    headersOf: () => own,
    decided(decision) {
      if (decision !== undefined) request.rateLimit = decision
    },
    exceptionOf: async (exception) => (exchange.headersSent ? never : exception),
  }
}

const never = new Promise<never>(() => {})

const decisions = new WeakMap<object, RequestDecision>()

/** Keeps the decision on a call that has no request of its own. */
export function keepDecision(
  context: ExecutionContext,
  decision: RequestDecision | undefined,
): void {
  const owner = ownerOf(context)
  if (owner === undefined) return
  if (decision === undefined) decisions.delete(owner)
  else decisions.set(owner, decision)
}

/** The decision on a call that has no request of its own. */
export function keptDecision(context: ExecutionContext): RequestDecision | undefined {
  return decisions.get(ownerOf(context) ?? context)
}

/**
 * An argument that no other call has: guards and parameters see different lists of the same arguments. In GraphQL it is the info, in a microservice the
 * context, at a gateway the data. If the data is not an object, it is the client, whose latest decision is kept.
 */
function ownerOf(context: ExecutionContext): object | undefined {
  const args: readonly unknown[] = context.getArgs()
  const own = context.getType<string>() === 'graphql' ? [args.at(-1)] : [args[1], args[0]]
  return own.find(isObject)
}

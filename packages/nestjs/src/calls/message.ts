import type { ExecutionContext } from '@nestjs/common'
import { Reflector } from '@nestjs/core'
import { createView, type NodeRequest } from '@sluice/core/http'
import { memberOf, remoteAddressOf } from '@sluice/core/internal'
import { isObject, type NestCall } from '../nest-call.js'
import { RequestException, type LimitException } from '../rate-limit-exception.js'
import { keepDecision, noHeaders, type Call } from './call.js'
import { connectionOf, MethodExchange, type Connection } from './method-exchange.js'

/** Makes the call of a gateway, of a microservice, or of any other transport. */
export function callOfMessage(context: ExecutionContext, type: string): Call {
  const args: readonly unknown[] = context.getArgs()
  const [client, data] = type === 'ws' ? args : [undefined, args[0]]
  return {
    view: viewOf({ type, client, data, context }),
    exchange: new MethodExchange(() => connectionOfSocket(client)),
    headersOf: () => noHeaders,
    decided: (decision) => keepDecision(context, decision),
    exceptionOf: async (exception) => exceptionOfMessage(type, exception),
  }
}

/** The packages are loaded at the first exception: an application without gateways or microservices need not install them. */
async function exceptionOfMessage(type: string, exception: LimitException): Promise<Error> {
  const message = exception instanceof RequestException && { message: exception.message }
  const content = { status: exception.getStatus(), ...exception.extensions, ...message }
  if (type === 'ws') {
    const { WsException } = await import('@nestjs/websockets')
    return new WsException(content)
  }
  if (type !== 'rpc') return exception
  const { RpcException } = await import('@nestjs/microservices')
  return new RpcException(content)
}

const viewOf = createView<NestCall>({
  node: ({ client }) => openingOf(client),
  url: ({ client }) => textOf(memberOf(memberOf(client, 'handshake'), 'url')),
  address: ({ client }) => openingOf(client).socket?.remoteAddress,
  sent({ client, data }) {
    const handshake = memberOf(client, 'handshake')
    return [data, memberOf(handshake, 'query'), memberOf(handshake, 'auth')]
  },
  route: ({ context }) => patternOf(context.getHandler()),
  trustsEveryProxy: () => false,
})

/** The request that opened a socket, as far as the socket knows it: a socket of socket.io has the headers and the address, one of ws the connection. */
function openingOf(client: unknown): NodeRequest {
  const handshake = memberOf(client, 'handshake')
  const headers = memberOf(handshake, 'headers')
  const address = memberOf(handshake, 'address') ?? remoteAddressOf(memberOf(client, '_socket'))
  return {
    headers: isHeaders(headers) ? headers : {},
    socket: { remoteAddress: textOf(address) },
  }
}

function isHeaders(value: unknown): value is NodeRequest['headers'] {
  return isObject(value)
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

const reflector = new Reflector()

/** The event of a gateway, or the pattern of a message. */
function patternOf(handler: ReturnType<ExecutionContext['getHandler']>): string | undefined {
  for (const key of ['message', 'microservices:pattern']) {
    const pattern: unknown = reflector.get(key, handler)
    if (typeof pattern === 'string') return pattern
    if (pattern !== undefined) return JSON.stringify(pattern)
  }
  return undefined
}

/** The connection of a socket of ws or socket.io. Undefined for any other value. */
export function connectionOfSocket(client: unknown): Connection | undefined {
  const once = memberOf(client, 'once')
  if (!isObject(client) || typeof once !== 'function') return undefined
  const event = 'handshake' in client ? 'disconnect' : 'close'
  return connectionOf(client, (abort) => {
    const isGone =
      memberOf(client, 'connected') === false || Number(memberOf(client, 'readyState')) > 1
    if (isGone) abort()
    else once.call(client, event, abort)
    return undefined
  })
}

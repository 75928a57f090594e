import type { ExecutionContext } from '@nestjs/common'
import { memberOf, requestError } from '@sluice/core/internal'
import { getOrAdd } from './get-or-add.js'
import type { NestRequest } from './options.js'

/**
 * A call that is not an HTTP request: of a GraphQL resolver, a gateway or a microservice. The functions of the options receive it in place of the request.
 * In GraphQL it also has the properties of the HTTP request, so that the same functions serve routes and resolvers.
 *
 * @example
 * import { byUser, RateLimit, type NestCall } from '@sluice/nestjs'
 *
 * interface Socket { data: { userId: string } }
 *
 * const limitMessages = RateLimit({
 *   limit: 10,
 *   window: '1s',
 *   key: byUser(({ client }: NestCall<Socket>) => client?.data.userId),
 * })
 */
export interface NestCall<Client = unknown, Data = unknown> {
  /** The transport, as `context.getType()` returns it: `'graphql'`, `'ws'` for a gateway, `'rpc'` for a microservice. */
  readonly type: string
  /** GraphQL: the HTTP request, or that of the upgrade to a WebSocket. */
  readonly request?: NestRequest
  /** The socket of a gateway, or of a GraphQL operation over a WebSocket. */
  readonly client?: Client
  /** The arguments of a resolver, or the content of a message. */
  readonly data?: Data
  readonly context: ExecutionContext
}

/** A request or another call that a limit checks. The functions of its options receive it. */
export type Limited = NestRequest | NestCall

const connections = new WeakMap<object, string>()

/**
 * Uses the connection of a socket as the key: each connection to a gateway counts by itself. A client can open several connections, so limit its upgrades
 * too, or count by address or user.
 *
 * @example
 * import { byConnection, RateLimit } from '@sluice/nestjs'
 *
 * const limitMessages = RateLimit({ limit: 10, window: '1s', key: byConnection() })
 * @throws SluiceError for a call, SLUICE_CONNECTION_MISSING if it came without a socket
 */
export function byConnection(): (call: unknown) => string {
  return keyByConnection
}

function keyByConnection(call: unknown): string {
  const client = memberOf(call, 'client')
  // A client of socket.io can leave a namespace and enter it again on one connection, with a new socket each time.
  const own = memberOf(client, 'conn') ?? client
  if (!isObject(own)) throw requestError('SLUICE_CONNECTION_MISSING')
  return getOrAdd(connections, own, () => `connection:${globalThis.crypto.randomUUID()}`)
}

export function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

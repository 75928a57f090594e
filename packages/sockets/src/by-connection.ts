import { SluiceError } from '@sluice/core'
import { memberOf } from '@sluice/core/internal'

/** The ids of the connections without an id of their own. */
const ids = new WeakMap<object, string>()

/** Gives a socket an id. */
export function identify(socket: object): void {
  if (!ids.has(socket)) ids.set(socket, crypto.randomUUID())
}

/**
 * Uses the connection as the key: each connection has a count of its own. A client that connects again has a new count, so limit its connections or its
 * upgrades as well.
 *
 * @example
 * limitEvents(events, { key: { connection: byConnection(), user: byUser(({ socket }) => socket.data.user) } })
 */
export function byConnection(): (about: unknown) => string {
  return function keyByConnection(about) {
    const socket = memberOf(about, 'socket') ?? about
    const own = memberOf(socket, 'id')
    const id = typeof own === 'string' ? own : idOf(socket)
    if (id !== undefined) return `connection:${id}`
    throw new SluiceError(
      'SLUICE_OPTION_INVALID',
      'byConnection: this is neither a connection of socket.io nor a message of limitMessages. Limit upgrades by byIp().',
    )
  }
}

function idOf(socket: unknown): string | undefined {
  return typeof socket === 'object' && socket !== null ? ids.get(socket) : undefined
}

import type { Decision, Limiter } from '@sluice/core'
import { byIp } from '@sluice/core/http'
import { DenialError } from './denial.js'
import { hold } from './hold.js'
import {
  ioMiddleware,
  once,
  partsOf,
  whenOver,
  type IoMiddleware,
  type IoSocket,
  type Next,
} from './io.js'
import { createLimit, type SocketLimitOptions } from './limit.js'

/** Handles a denied connection: `next()` allows it, `next(error)` denies it with that error. */
export type OnConnectionDenied<S> = (socket: S, next: Next, decision: Decision) => unknown

/** Options of `limitConnections`. */
export type ConnectionOptions<S> = SocketLimitOptions<S, OnConnectionDenied<S>>

/**
 * Limits the connections to a namespace of socket.io 4. The client of a denied one receives `connect_error`, with `data: { code, retryAfterMs }`. With a
 * `concurrency` policy, a connection holds a unit until it is closed.
 *
 * @example
 * import { concurrency, createLimiter, limitConnections } from '@sluice/sockets'
 *
 * const connections = createLimiter({ name: 'connections', policies: concurrency({ limit: 5, lease: '1m' }) })
 * io.use(limitConnections(connections))
 * @throws SluiceError if the limiter or an option is wrong
 */
export function limitConnections<S extends IoSocket>(
  limiter: Limiter,
  options: ConnectionOptions<S> = {},
): IoMiddleware<S> {
  const limit = createLimit<S>('limitConnections', limiter, options, byIp())
  const { onDenied } = options

  async function admit(socket: S, next: Next): Promise<void> {
    const answer = await limit.ask(socket, partsOf(socket))
    const proceed = once(next)
    limit.settle(answer, {
      allow(decision) {
        holdWhileConnected(decision, socket)
        next()
      },
      deny: (denial) => proceed(new DenialError(denial)),
      onDenied: onDenied && ((decision) => onDenied(socket, proceed, decision)),
    })
  }

  return ioMiddleware('limitConnections', limit, (socket, next) => void admit(socket, next))
}

/**
 * Holds the lease of a connection until it is closed. A connection that a later middleware denies emits nothing: it never becomes connected, so its lease is
 * not renewed.
 */
function holdWhileConnected(decision: Decision, socket: IoSocket): void {
  if (decision.lease === undefined) return
  const { conn } = socket
  const letGo = hold(decision, () => socket.connected)
  if (conn.readyState !== 'open') return letGo()
  const cancel = whenOver(conn, 'close', letGo)
  whenOver(socket, 'disconnect', () => {
    cancel()
    letGo()
  })
}

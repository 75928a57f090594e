import type { Decision, Limiter } from '@sluice/core'
import { byIp } from '@sluice/core/http'
import { DenialError, denialOf } from './denial.js'
import { hold } from './hold.js'
import { createLimit, type SocketLimitOptions } from './limit.js'
import { skippedBy } from './recovery.js'
import { once, partsOf, type IoMiddleware, type IoSocket, type Next } from './socket.js'

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
      deny: (denied) => proceed(new DenialError(denialOf(denied))),
      onDenied: onDenied && ((decision) => onDenied(socket, proceed, decision)),
    })
  }

  return function connectionLimit(socket, next) {
    const skipped = skippedBy(socket, 'limitConnections')
    if (skipped !== undefined) return next(new DenialError(denialOf(limit.report(skipped))))
    void admit(socket, next)
  }
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
  socket.once('disconnect', end)
  const ends = endsOf(conn)
  ends.add(end)

  function end(): void {
    socket.removeListener('disconnect', end)
    ends.delete(end)
    letGo()
  }
}

const closings = new WeakMap<IoSocket['conn'], Set<() => void>>()

/** The functions to call when a connection closes. They share one listener: a client may enter any number of namespaces, and Node warns about more than ten. */
function endsOf(conn: IoSocket['conn']): Set<() => void> {
  const known = closings.get(conn)
  if (known !== undefined) return known
  const ends = new Set<() => void>()
  closings.set(conn, ends)
  conn.once('close', () => ends.forEach((end) => end()))
  return ends
}

import { SluiceError } from '@sluice/core'
import type { RequestView } from '@sluice/core/http'
import { memberOf } from '@sluice/core/internal'
import { DenialError, denialOf } from './denial.js'
import type { Limit } from './limit.js'
import type { ViewParts } from './socket.js'

/** The parts of a socket of socket.io 4 that the limits use. */
export interface IoSocket {
  readonly id: string
  readonly connected: boolean
  readonly handshake: {
    readonly address: string
    readonly url: string
    readonly headers: RequestView<unknown>['headers']
    readonly auth?: unknown
    readonly query?: unknown
  }
  /** The connection below, which several namespaces share. */
  readonly conn: {
    readonly readyState: string
    once(event: 'close', listener: () => void): unknown
  }
  use(limit: (event: [string, ...unknown[]], next: Next) => void): unknown
  listenerCount(event: 'error'): number
  once(event: 'disconnect', listener: () => void): unknown
  removeListener(event: 'disconnect', listener: () => void): unknown
}

/** The continuation of a middleware of socket.io. */
export type Next = (error?: Error) => void

/** A continuation that does nothing after the first call: socket.io would run the next middleware once more. */
export function once(next: Next): Next {
  let isCalled = false
  return function callOnce(error) {
    if (isCalled) return
    isCalled = true
    next(error)
  }
}

/** A middleware of a namespace: `io.use(limitEvents(…))`. */
export type IoMiddleware<S> = (socket: S, next: Next) => void

/** The parts of a connection of socket.io, or of an event with these arguments. */
export function partsOf({ handshake }: IoSocket, args?: readonly unknown[]): ViewParts {
  const { address: peer, url, headers, auth, query } = handshake
  return { peer, url, headers, sent: [args, auth, query] }
}

/**
 * Makes a middleware. It refuses all connections of a server whose recovered connections skip the middlewares, as socket.io's `connectionStateRecovery` does by
 * default: a client could disconnect, connect again, and pass without a limit.
 */
export function ioMiddleware<S extends IoSocket>(
  where: string,
  { report }: Pick<Limit<never>, 'report'>,
  begin: (socket: S, next: Next) => void,
): IoMiddleware<S> {
  return function limitSocket(socket, next) {
    const path = ['nsp', 'server', 'opts', 'connectionStateRecovery', 'skipMiddlewares']
    if (path.reduce<unknown>(memberOf, socket) !== true) return begin(socket, next)
    const error = new SluiceError(
      'SLUICE_OPTIONS_CONFLICT',
      `${where}: "connectionStateRecovery" of the server lets recovered connections skip all middlewares, and so this limit. ` +
        `Pass connectionStateRecovery: { skipMiddlewares: false }.`,
    )
    next(new DenialError(denialOf(report(error))))
  }
}

const ends = new WeakMap<object, Set<() => void>>()

/** Calls back when a socket or its connection ends. All callbacks share a listener: Node warns about more than ten. The returned function cancels this. */
export function whenOver<E extends string>(
  emitter: { once(event: E, listener: () => void): unknown },
  event: E,
  callback: () => void,
): () => void {
  const callbacks = ends.get(emitter) ?? new Set()
  callbacks.add(callback)
  if (!ends.has(emitter)) emitter.once(event, () => callbacks.forEach((each) => each()))
  ends.set(emitter, callbacks)
  return () => void callbacks.delete(callback)
}

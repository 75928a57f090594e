import type { Addresses, RequestView } from '@sluice/core/http'

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

/** The parts of a socket of ws 8 that `limitMessages` uses. */
export interface WebSocketLike {
  readonly bufferedAmount: number
  readonly isPaused: boolean
  on(event: 'message', listener: (data: MessageData, isBinary: boolean) => void): unknown
  once(event: 'close', listener: () => void): unknown
  removeListener(
    event: 'message',
    listener: (data: MessageData, isBinary: boolean) => void,
  ): unknown
  send(text: string): void
  close(code: number, reason: string): void
  pause(): void
  resume(): void
}

/** A message as ws emits it: a Buffer, unless the option `binaryType` asks for another form. */
export type MessageData = Buffer | ArrayBuffer | Buffer[]

/** The parts of Node's request of an upgrade that the limits use. */
export interface UpgradeRequest {
  readonly url?: string | undefined
  readonly method?: string | undefined
  readonly headers: RequestView<unknown>['headers']
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** The parts of a connection, event, message or upgrade that a key function reads. */
export interface ViewParts {
  readonly peer: string | undefined
  readonly url: string | undefined
  readonly headers: RequestView<unknown>['headers']
  /** The values that the client sent: a key function must not return a list that they contain. */
  readonly sent: readonly unknown[]
}

/** The parts of a connection of socket.io, or of an event with these arguments. */
export function partsOf({ handshake }: IoSocket, args?: readonly unknown[]): ViewParts {
  const { address: peer, url, headers, auth, query } = handshake
  return { peer, url, headers, sent: [args, auth, query] }
}

/**
 * The view of a connection, event, message or upgrade. It has no route: a client chooses the names of its events, and would have another count with each
 * name.
 */
export function viewOf<R>(
  raw: R,
  parts: ViewParts,
  addresses: Addresses<R, ViewParts>,
): RequestView<R> {
  const { peer, url, headers } = parts
  let sent: readonly unknown[] | undefined
  return {
    raw,
    peer,
    url,
    headers,
    method: 'GET',
    route: undefined,
    trustsEveryProxy: false,
    get sent() {
      return (sent ??= parts.sent)
    },
    get addressAdvice() {
      return addresses.advice()
    },
    get address() {
      return addresses.of(raw, parts)
    },
  }
}

/** A member that the types of a library do not have. */
export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

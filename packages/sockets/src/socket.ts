import type { Addresses, RequestView } from '@sluice/core/http'

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

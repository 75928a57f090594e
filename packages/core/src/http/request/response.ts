/** A response as a guard needs it. Node's own shows by its events how an exchange ends; the end of another one is reported by its adapter. */
export type GuardedResponse = NodeResponse | ManualResponse

/** Work after a response. */
export type AfterResponse = (outcome: ResponseOutcome) => Promise<void>

/** A response that is not Node's own. Its adapter reports how the exchange ends. */
export interface ManualResponse {
  readonly headersSent: boolean
  /** The same object for all limits of a request. */
  readonly request: object
  /** Whether the client has disconnected, as far as the server tells. */
  readonly isDisconnected: boolean
  /** Calls back once, when the handler has returned the response or has failed. */
  whenOver(callback: AfterResponse): void
  /**
   * Calls back once, when the handler is done and the body of the response has been read, has failed or has been cancelled.
   *
   * @param unreadMs a body that is not read at all is over after this time
   * @param onDisconnect whether a client that disconnects while the handler runs ends the exchange as well
   */
  whenSent(callback: AfterResponse, unreadMs: number, onDisconnect: boolean): void
  /** Calls back if the client disconnects while the handler runs. The returned function cancels this. */
  whenDisconnected(callback: () => void): () => void
}

/** Node's own response, of HTTP/1 or HTTP/2, which every framework wraps. Its events show how an exchange ends. */
export interface NodeResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** HTTP/1 only. */
  readonly destroyed?: boolean
  /** HTTP/1: null while a pipelined response waits for an earlier one. */
  readonly socket?: object | null
  readonly errored?: unknown
  readonly req?: { readonly socket?: Connection }
  /** HTTP/2 only. */
  readonly stream?: ResponseStream
  once(event: 'finish' | 'close', listener: () => void): unknown
  off(event: 'finish' | 'close', listener: () => void): unknown
  end(...chunk: never[]): unknown
}

interface ResponseStream {
  readonly destroyed: boolean
  readonly writableFinished?: boolean
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

/** How an exchange ended. */
export interface ResponseOutcome {
  readonly status: number
  /** Whether the client disconnected before it received the whole response. It may not have received the status either. */
  readonly aborted: boolean
  /** True if a limit has denied the request: this one, or one behind it. */
  readonly denied?: boolean
}

const denials = new WeakSet<object>()

/** Notes whether the last limit that checked a request has denied it, for the limits in front of it. */
export function noteDenial(response: GuardedResponse, isDenied: boolean): void {
  denials[isDenied ? 'add' : 'delete'](isManual(response) ? response.request : response)
}

/** The outcome of an exchange, with the denial that was noted for it. */
export function withDenial(response: GuardedResponse, outcome: ResponseOutcome): ResponseOutcome {
  const isDenied = denials.has(isManual(response) ? response.request : response)
  return isDenied ? { ...outcome, denied: true } : outcome
}

/** Whether an adapter reports the end of this response. */
export function isManual(response: GuardedResponse): response is ManualResponse {
  return 'whenDisconnected' in response
}

/** Whether the exchange has ended, by the end of the response or of the connection. */
export function isOver(response: GuardedResponse): boolean {
  if (isManual(response)) return response.isDisconnected
  const { destroyed, stream, req } = response
  if (stream !== undefined) return stream.destroyed
  return destroyed === true || req?.socket?.destroyed === true
}

/**
 * Whether the client has left, although Node may not have noticed it yet: a TCP connection that was reset has a port of its own, but no other end. A signal
 * of a server aborts in the next turns of the event loop.
 */
export async function hasLeft(response: GuardedResponse): Promise<boolean> {
  if (!isManual(response)) {
    const { localPort, remoteAddress } = response.req?.socket ?? {}
    return isOver(response) || (localPort !== undefined && remoteAddress === undefined)
  }
  for (let turn = 0; turn < 3 && !isOver(response); turn++)
    await new Promise((resolve) => setTimeout(resolve))
  return isOver(response)
}

/**
 * Calls back once when the exchange ends, or immediately if it has ended already. Returns a function that cancels this.
 */
export function whenOver(
  response: NodeResponse,
  callback: (outcome: ResponseOutcome) => unknown,
): () => void {
  const { stream, socket, req } = response
  let cancelClose: () => void = () => {}
  function finish(): void {
    end(wasSent(response))
  }
  function close(): void {
    end(false)
  }
  function end(sent: boolean): void {
    cancel()
    callback({ status: response.statusCode, aborted: !response.writableEnded || !sent })
  }
  function cancel(): void {
    response.off('finish', finish)
    response.off('close', close)
    cancelClose()
  }
  if (isOver(response)) {
    end(true)
  } else if (stream !== undefined) {
    // If the client resets a HEAD request, its response emits neither event.
    stream.once('close', finish)
    cancelClose = () => stream.off('close', finish)
  } else {
    response.once('finish', finish)
    response.once('close', close)
    // A pipelined response that waits for an earlier one emits no event when its connection closes.
    if (socket === null && req?.socket !== undefined) cancelClose = whenClosed(req.socket, close)
  }
  return cancel
}

/** Node emits "finish" for a response whose connection was closed, too, and drops the unsent rest. */
function wasSent({ stream, req }: NodeResponse): boolean {
  return stream === undefined ? req?.socket?.destroyed !== true : stream.writableFinished !== false
}

/**
 * Whether the server has closed the connection of an HTTP/1 response, as `response.destroy()` does. A client that disconnects ends the socket or makes it
 * fail. A timeout of the server looks like `destroy`, so nothing is known about a connection that has one.
 */
export function isDestroyedHere({ stream, socket, errored }: NodeResponse): boolean {
  const ended: Partial<Socket> = stream === undefined && socket ? socket : {}
  return (
    ended.readableEnded === false && !ended.timeout && (ended.errored ?? null) === (errored ?? null)
  )
}

interface Socket {
  readonly readableEnded: boolean
  readonly errored: unknown
  readonly timeout: number
}

/** The error of work that ended because the client has disconnected. The request has then consumed nothing. */
export const clientLeft: Error = new Error('the client has disconnected')

/** Runs work until the client disconnects. */
export async function whileConnected<T>(
  response: GuardedResponse,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const disconnect = new AbortController()
  const stopListening = isManual(response)
    ? response.whenDisconnected(() => disconnect.abort())
    : whenOver(response, () => disconnect.abort())
  try {
    return await work(disconnect.signal)
  } catch (error) {
    throw disconnect.signal.aborted ? clientLeft : error
  } finally {
    stopListening()
  }
}

/** The socket of an HTTP/1 request. */
interface Connection {
  readonly destroyed: boolean
  /** Undefined for a unix socket. */
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
}

interface Listener {
  readonly callbacks: Set<() => void>
  close(): void
}

const listeners = new WeakMap<Connection, Listener>()

/**
 * Calls back when a connection closes, and returns a function that cancels this. All callbacks share one listener: a client may pipeline any number of
 * requests, and Node warns about more than ten listeners.
 */
function whenClosed(connection: Connection, callback: () => void): () => void {
  const { callbacks, close } = listeners.get(connection) ?? listen(connection)
  callbacks.add(callback)
  return function cancel() {
    callbacks.delete(callback)
    if (callbacks.size > 0) return
    connection.off('close', close)
    listeners.delete(connection)
  }
}

function listen(connection: Connection): Listener {
  const callbacks = new Set<() => void>()
  function close(): void {
    for (const callback of callbacks) callback()
  }
  const listener = { callbacks, close }
  listeners.set(connection, listener)
  connection.once('close', close)
  return listener
}

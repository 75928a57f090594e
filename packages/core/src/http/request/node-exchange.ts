import { isPromise } from '../../awaitable.js'
import { longestTimerMs } from '../../limiter/pause.js'
import { letProcessEnd } from '../../runtime.js'
import type { Exchange, ExchangeEnd, ResponseOutcome } from './exchange.js'

/** A response as a guard needs it: Node's own, or an exchange whose end its adapter reports. */
export type GuardedResponse = NodeResponse | Exchange

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

/** The end of the exchange of a response of Node. */
export function nodeExchange(response: NodeResponse): ExchangeEnd {
  return {
    get isDisconnected() {
      const { localPort, remoteAddress } = response.req?.socket ?? {}
      // A TCP connection that was reset has a port of its own, but no other end, although Node may not have noticed it yet.
      return isOver(response) || (localPort !== undefined && remoteAddress === undefined)
    },
    whenOver(callback) {
      whenOver(response, callback)
    },
    whenDone(callback, longestMs, disconnected) {
      if (disconnected === undefined) whenOver(response, callback)
      else whenHandled(response, longestMs, disconnected, callback)
    },
    whenDisconnected: (callback) => whenOver(response, callback),
  }
}

/** Whether the exchange has ended, by the end of the response or of the connection. */
export function isOver({ destroyed, stream, req }: NodeResponse): boolean {
  if (stream !== undefined) return stream.destroyed
  return destroyed === true || req?.socket?.destroyed === true
}

/** Calls back once when the exchange ends, or immediately if it has ended already. Returns a function that cancels this. */
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

type Follow = (work: PromiseLike<unknown>) => void

/** For each response, the callbacks of the limits that hold a lease until its handler is done. */
const followers = new WeakMap<NodeResponse, Set<Follow>>()

/**
 * Passes the return value of a handler to the limits of the response, and returns the value with which the framework continues. A handler that returns a promise is done
 * when the promise settles. For any other value, and if an adapter does not call this, the handler is done when it ends or destroys the response.
 */
export function followHandler(response: NodeResponse, returned: unknown): unknown {
  const following = followers.get(response)
  if (following === undefined || !isPromise(returned)) return returned
  // Other thenables, such as queries, can do their work again at each `then`.
  const promise = Promise.resolve(returned)
  for (const follow of following) follow(promise)
  return promise
}

/**
 * Calls back when the exchange is over and the handler of the response is done, or `longestMs` after the end of the exchange: a client that disconnects early
 * must not free the unit of a handler that still runs.
 *
 * @param disconnected called if the exchange is over before the handler
 */
function whenHandled(
  response: NodeResponse,
  longestMs: number,
  disconnected: () => void,
  done: (outcome: ResponseOutcome) => unknown,
): void {
  let outcome: ResponseOutcome | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isFollowed = false
  let running = 0
  const following = followers.get(response) ?? new Set()
  followers.set(response, following)
  following.add(follow)

  whenOver(response, (ended) => {
    outcome = ended
    if (isFollowed ? running === 0 : response.writableEnded || isDestroyedHere(response)) {
      return finish()
    }
    disconnected()
    timer = setTimeout(finish, Math.min(longestMs, longestTimerMs))
    letProcessEnd(timer)
    // Node emits no event if a handler ends the response of a client that has disconnected over HTTP/2, or behind another pipelined response.
    const end = response.end.bind(response)
    response.end = (...chunk) => {
      const result = end(...chunk)
      finish()
      return result
    }
  })

  function follow(work: PromiseLike<unknown>): void {
    isFollowed = true
    running++
    const settled = (): void => {
      if (--running === 0) finish()
    }
    work.then(settled, settled)
  }

  function finish(): void {
    if (outcome === undefined || !following.delete(follow)) return
    clearTimeout(timer)
    done(outcome)
  }
}

/**
 * Whether the server has closed the connection of an HTTP/1 response, as `response.destroy()` does. A client that disconnects ends the socket or makes it
 * fail. A timeout of the server looks like `destroy`, so nothing is known about a connection that has one.
 */
function isDestroyedHere({ stream, socket, errored }: NodeResponse): boolean {
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

/** The socket of an HTTP/1 request. */
interface Connection {
  readonly destroyed: boolean
  /** Undefined for a unix socket. */
  readonly localPort?: number | undefined
  readonly remoteAddress?: string | undefined
  once(event: 'close', listener: (this: Connection) => void): unknown
  off(event: 'close', listener: (this: Connection) => void): unknown
}

/** The callbacks of connections. All callbacks of one share a listener: a client may pipeline any number of requests, and Node warns about more than ten. */
const closings = new WeakMap<Connection, Set<() => void>>()

/** Calls back when a connection closes, and returns a function that cancels this. */
function whenClosed(connection: Connection, callback: () => void): () => void {
  const callbacks = closings.get(connection) ?? new Set()
  closings.set(connection, callbacks)
  if (callbacks.size === 0) connection.once('close', callBack)
  callbacks.add(callback)
  return function cancel() {
    callbacks.delete(callback)
    if (callbacks.size === 0) connection.off('close', callBack)
  }
}

function callBack(this: Connection): void {
  for (const callback of closings.get(this) ?? []) callback()
}

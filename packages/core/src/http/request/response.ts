import { whenClosed, type Connection } from './connection.js'

/** Node's own response, of HTTP/1 or HTTP/2, which lies under that of every framework: how an exchange ends is seen here. */
export interface NodeResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** HTTP/1 only. */
  readonly destroyed?: boolean
  /** HTTP/1: null while it stands behind another response of its connection. */
  readonly socket?: object | null
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
  /** Whether the client went away before it had the whole answer. The status is then one that it may never have seen. */
  readonly aborted: boolean
}

/** Whether the exchange has ended, one way or the other. */
export function isOver({ destroyed, stream, req }: NodeResponse): boolean {
  if (stream !== undefined) return stream.destroyed
  return destroyed === true || req?.socket?.destroyed === true
}

/**
 * Calls back once when the exchange has ended, however it ends: at once if it has. What it returns calls that off.
 */
export function whenOver(
  response: NodeResponse,
  then: (outcome: ResponseOutcome) => void,
): () => void {
  const { stream, socket, req } = response
  let leave: () => void = () => {}
  function finish(): void {
    end(wasSent(response))
  }
  function close(): void {
    end(false)
  }
  function end(sent: boolean): void {
    callOff()
    then({ status: response.statusCode, aborted: !response.writableEnded || !sent })
  }
  function callOff(): void {
    response.off('finish', finish)
    response.off('close', close)
    leave()
  }
  if (isOver(response)) {
    end(true)
  } else if (stream !== undefined) {
    // The response of a HEAD request that the client resets has neither event.
    stream.once('close', finish)
    leave = () => stream.off('close', finish)
  } else {
    response.once('finish', finish)
    response.once('close', close)
    // A response that waits for those before it (pipelining) is never told that its connection has closed.
    if (socket === null && req?.socket !== undefined) leave = whenClosed(req.socket, close)
  }
  return callOff
}

/** Node says "finish" of a response that was cut off, too: whatever it has not sent by then, it drops. */
function wasSent({ stream, req }: NodeResponse): boolean {
  return stream === undefined ? req?.socket?.destroyed !== true : stream.writableFinished !== false
}

/** Node's own response, of HTTP/1 or HTTP/2, which lies under that of every framework: how an exchange ends is seen here. */
export interface NodeResponse {
  readonly statusCode: number
  readonly headersSent: boolean
  readonly writableEnded: boolean
  /** HTTP/1 only. */
  readonly destroyed?: boolean
  /** HTTP/2 only. */
  readonly stream?: { readonly destroyed: boolean }
  once(event: 'finish' | 'close', listener: () => void): unknown
  off(event: 'finish' | 'close', listener: () => void): unknown
}

/** How an exchange ended. */
export interface ResponseOutcome {
  readonly status: number
  /** Whether the client went away before it had the whole answer. The status is then one that it may never have seen. */
  readonly aborted: boolean
}

/** Whether the exchange has ended, one way or the other. */
export function isOver({ destroyed, stream }: NodeResponse): boolean {
  return destroyed === true || stream?.destroyed === true
}

/**
 * Calls back once when the exchange has ended, however it ends: at once if it has. What it returns calls that off.
 */
export function whenOver(
  response: NodeResponse,
  then: (outcome: ResponseOutcome) => void,
): () => void {
  // HTTP/2 says "finish" of a response that was cut off, too, so that alone proves nothing.
  function end(): void {
    callOff()
    then({ status: response.statusCode, aborted: !response.writableEnded || !finished })
  }
  function finish(): void {
    finished = true
    end()
  }
  function callOff(): void {
    response.off('finish', finish)
    response.off('close', end)
  }
  let finished = isOver(response)
  if (finished) {
    end()
  } else {
    response.once('finish', finish)
    response.once('close', end)
  }
  return callOff
}

/** How an exchange ended. */
export interface ResponseOutcome {
  readonly status: number
  /** Whether the client disconnected before it received the whole response. It may not have received the status either. */
  readonly aborted: boolean
  /** True if a limit has denied the request: this one, or one behind it. */
  readonly denied?: boolean
}

/** Work after a response. */
export type AfterResponse = (outcome: ResponseOutcome) => Promise<void>

/** The end of a request and its response, on any server. */
export interface ExchangeEnd {
  /** Whether the client has disconnected, as far as the server tells. */
  readonly isDisconnected: boolean
  /** Calls back once, when the response has ended or failed. */
  whenOver(callback: AfterResponse): void
  /**
   * Calls back once, when the response has ended or failed and the handler is done.
   *
   * @param longestMs a handler or a body whose end stays unknown is over after this time
   * @param disconnected called if the client disconnects while the handler runs; if undefined, this ends the exchange
   */
  whenDone(callback: AfterResponse, longestMs: number, disconnected: (() => void) | undefined): void
  /** Calls back if the client disconnects while the handler runs. The returned function cancels this. */
  whenDisconnected(callback: () => void): () => void
}

/** A request and its response on a server that is not Node's. The adapter reports how the exchange ends. */
export interface Exchange extends ExchangeEnd {
  readonly headersSent: boolean
  /** The same object for all limits of a request. */
  readonly request: object
}

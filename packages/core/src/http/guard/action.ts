import type { Content } from '../response/denial.js'
import { noFields, writable, type HeaderField, type ResponseHeaders } from '../response/fields.js'
import type { Awaitable } from '../../awaitable.js'
import type { GuardedResponse } from '../request/response.js'
import type { RequestDecision } from '../rules/judgement.js'

/** The action of an adapter for a request. The union is closed, so that an adapter that misses a case does not compile. */
export type Action<H> = Continue | Deny | Handle<H>

/**
 * The adapter writes the headers and calls the handler. If the request is not limited (skipped, listed in `allow`, or no rule applies), the decision is undefined
 * and the headers are empty. An adapter that sees the return value of the handler passes it to `followHandler`.
 */
export interface Continue {
  readonly type: 'continue'
  readonly decision: RequestDecision | undefined
  readonly headers: readonly HeaderField[]
}

/**
 * The adapter writes the headers, the last of which is `Content-Type`, and sends the body. The decision is undefined if a list denies the request,
 * or if the client has disconnected.
 */
export interface Deny {
  readonly type: 'deny'
  readonly decision: RequestDecision | undefined
  readonly headers: readonly HeaderField[]
  readonly status: number
  readonly body: string
  /** The policies that deny the request, by the names that clients read. */
  readonly violated: readonly string[]
}

/** The adapter writes the headers, which contain `Retry-After` if a limit denies the request, and calls the application's handler of denied requests. */
export interface Handle<H> {
  readonly type: 'handle'
  readonly decision: RequestDecision
  readonly headers: readonly HeaderField[]
  /**
   * Calls the handler through `call` and returns its result. Any value that the handler throws or rejects with becomes an error: some frameworks
   * ignore a thrown `undefined` and would continue with the denied request.
   */
  callHandler<T>(call: (handler: H) => Awaitable<T>): T | Promise<T>
  /** The adapter calls this when the handler lets the request continue. `Retry-After` is removed, and the request is settled like an allowed one. */
  proceed(headers: ResponseHeaders): void
}

/** The action for a request that is not limited. */
export const unlimited: Continue = { type: 'continue', decision: undefined, headers: [] }

/** The client has disconnected, so no response is sent. The status is for the application's log; nginx writes the same one. */
export const disconnected: Deny = {
  type: 'deny',
  decision: undefined,
  headers: noFields,
  status: 499,
  body: '',
  violated: [],
}

export function denied(
  response: GuardedResponse,
  status: number,
  { type, text }: Content,
  decision: RequestDecision | undefined,
  fields: readonly HeaderField[],
  violated: readonly string[],
): Deny {
  const headers = writable(response, [...fields, ['Content-Type', type]])
  return { type: 'deny', decision, headers, status, body: text, violated }
}

/** Runs code that calls functions of the application. */
export type Guarded = <T>(call: () => Awaitable<T>) => T | Promise<T>

/** The action that passes a denied request to the handler of the application. `settle` runs if the handler lets the request continue. */
export function handled<H>(
  handler: H,
  response: GuardedResponse,
  decision: RequestDecision,
  headers: readonly HeaderField[],
  guarded: Guarded,
  settle: () => void,
): Handle<H> {
  let proceeds = false
  return {
    type: 'handle',
    decision,
    headers: writable(response, headers),
    callHandler: (call) => guarded(() => call(handler)),
    proceed(written: ResponseHeaders) {
      if (proceeds) return
      proceeds = true
      if (!response.headersSent) written.removeHeader('Retry-After')
      settle()
    },
  }
}

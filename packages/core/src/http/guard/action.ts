import type { Decision } from '../../limiter/decision.js'
import type { Awaitable } from '../awaitable.js'
import type { HeaderField, ResponseHeaders } from '../answer/joined-fields.js'

/** What an adapter has to do with a request. The union is closed, so that an adapter that misses a case does not compile. */
export type Action<H> = Continue | Deny | Handle<H>

/**
 * The adapter writes the headers and calls the handler. If the request is not limited (skipped, or listed in `allow`), the decision is undefined
 * and the headers are empty. An adapter that sees the return value of the handler passes it to `followHandler`.
 */
export interface Continue {
  readonly type: 'continue'
  readonly decision: Decision | undefined
  readonly headers: readonly HeaderField[]
}

/**
 * The adapter writes the headers, the last of which is `Content-Type`, and sends the body. The decision is undefined if a list denies the request,
 * or if the client has disconnected.
 */
export interface Deny {
  readonly type: 'deny'
  readonly decision: Decision | undefined
  readonly headers: readonly HeaderField[]
  readonly status: number
  readonly body: string
}

/** The adapter writes the headers, which contain `Retry-After`, and calls the application's handler of denied requests. */
export interface Handle<H> {
  readonly type: 'handle'
  readonly decision: Decision
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

import type { Decision } from '../../limiter/decision.js'
import type { Awaitable } from '../awaitable.js'
import type { HeaderField, ResponseHeaders } from '../answer/joined-fields.js'

/** What an adapter is to do with a request: a closed union, so that an adapter which forgets a case does not compile. */
export type Action<H> = Continue | Deny | Handle<H>

/**
 * Write the headers and go on. If nothing was decided (the request is skipped, or listed as allowed) there are no headers. An adapter that sees
 * what the handler returns tells it to `followHandler`.
 */
export interface Continue {
  readonly type: 'continue'
  readonly decision: Decision | undefined
  readonly headers: readonly HeaderField[]
}

/** Write the headers, `Content-Type` the last of them, and answer. Without a decision where a list denies, or the client went away. */
export interface Deny {
  readonly type: 'deny'
  readonly decision: Decision | undefined
  readonly headers: readonly HeaderField[]
  readonly status: number
  readonly body: string
}

/** Write the headers, `Retry-After` among them, and let the application's own handler answer or let the request go on. */
export interface Handle<H> {
  readonly type: 'handle'
  readonly decision: Decision
  readonly headers: readonly HeaderField[]
  /**
   * Calls the handler in the form of the framework, and gives what it returns. Whatever the handler throws or rejects with is an error: some
   * frameworks take `undefined` for none, and would let the denied request go on.
   */
  answer<T>(call: (handler: H) => Awaitable<T>): T | Promise<T>
  /** To be called when the handler lets the request go on: its response has no `Retry-After`, and it is settled as any other. */
  goOn(headers: ResponseHeaders): void
}

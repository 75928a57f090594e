import type { Decision } from '../decision.js'
import type { HeaderField } from './header-fields.js'

/** What an adapter is to do with a request: a closed union, so that an adapter which forgets a case does not compile. */
export type Action<H> = Continue | Deny | Handle<H>

/** Write the headers and go on. Where nothing was decided (the request is skipped, or listed as allowed) there are no headers. */
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

/** Write the headers, `Retry-After` among them, and let the application's own handler answer. */
export interface Handle<H> {
  readonly type: 'handle'
  readonly decision: Decision
  readonly headers: readonly HeaderField[]
  readonly handler: H
}

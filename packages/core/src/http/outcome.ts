import type { Decision } from '../decision.js'
import type { HeaderField } from './header-fields.js'

/** What an adapter is to do with a request: a closed union, so that an adapter which forgets a case does not compile. */
export type Outcome<H> = Pass | Continue | Deny | Handle<H>

/** Go on. The request was skipped: nothing was counted, and there is nothing to say. */
export interface Pass {
  readonly type: 'pass'
}

/** Write the headers and go on. */
export interface Continue {
  readonly type: 'continue'
  readonly decision: Decision
  readonly headers: readonly HeaderField[]
}

/** Write the headers, `Content-Type` and `Retry-After` among them, and answer. */
export interface Deny {
  readonly type: 'deny'
  readonly decision: Decision
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

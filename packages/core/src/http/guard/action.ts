import type { Content } from '../response/denial.js'
import {
  noFields,
  type EarlierHeaders,
  type HeaderField,
  type ResponseHeaders,
} from '../response/fields.js'
import { showClientText } from '../../errors/for-client.js'
import { sluiceErrorFrom } from '../../errors.js'
import type { Awaitable } from '../../awaitable.js'
import type { Keys } from '../../limiter/arguments.js'
import type { Limiter } from '../../limiter/limiter.js'
import type { GuardedResponse } from '../request/node-exchange.js'
import type { RequestView } from '../request/view.js'
import type { RequestDecision } from '../response/request-decision.js'
import { noteDenial } from './after-response.js'

/** Checks each request before its handler. */
export interface Guard<R, H> {
  /**
   * Finds the action for a request. Rejects for the error handling of the framework; no error allows a request.
   *
   * @param earlier the headers that the response has already
   * @param seesResponse whether the end of the response will be known. If not, a limit that depends on it is an error
   */
  check(
    view: RequestView<R>,
    response: GuardedResponse,
    earlier: EarlierHeaders,
    seesResponse?: boolean,
  ): Promise<Action<H>>
  /** Whether it may hold leases until the handler is done. If so, the adapter has to call `followHandler`. */
  readonly holds: boolean
  /** Whether the end of an exchange can change what was counted, or releases a lease. If so, a response that is not Node's has to be reported. */
  readonly needsOutcome: boolean
}

/** The limiter of a limit, and the keys of its requests. `Q` is the request of the framework. */
export interface LimiterAccess<Q> {
  /** The limiter, for direct calls such as `peek`, `reset` or `block`. If `limit` or `policies` is a function, and with `rules`, pass `policies` to them. */
  readonly limiter: Limiter
  /**
   * The key or the keys under which a request counts, for the methods of `limiter`: `limiter.reset(await limit.keyOf(request))`.
   *
   * @throws SluiceError for a request without its key, and with `rules`, in which each rule has its own keys
   */
  keyOf(request: Q): Promise<Keys>
}

/** A guard with one limiter. */
export interface LimiterGuard<R, H> extends Guard<R, H>, LimiterAccess<RequestView<R>> {}

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
  callHandler<T>(call: (handler: H) => Awaitable<T>): Promise<T>
  /** The adapter calls this when the handler lets the request continue. `Retry-After` is removed, and the request is settled like an allowed one. */
  proceed(headers: Pick<ResponseHeaders, 'removeHeader'>): void
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
  noteDenial(response, true)
  // An earlier middleware may have sent the headers.
  const headers: HeaderField[] = response.headersSent ? [] : [...fields, ['Content-Type', type]]
  return { type: 'deny', decision, headers, status, body: text, violated }
}

/**
 * The action that passes a denied request to the handler of the application.
 *
 * @param proceed called if the handler lets the request continue
 */
export function handled<H>(
  handler: H,
  response: GuardedResponse,
  decision: RequestDecision,
  headers: readonly HeaderField[],
  limiter: string,
  proceed: (() => unknown) | undefined,
): Handle<H> {
  let isDone = false
  noteDenial(response, true)
  return {
    type: 'handle',
    decision,
    headers: response.headersSent ? noFields : headers,
    async callHandler(call) {
      try {
        return await call(handler)
      } catch (error) {
        throw errorFor(limiter, error)
      }
    },
    proceed(written) {
      if (isDone) return
      isDone = true
      noteDenial(response, false)
      if (!response.headersSent) written.removeHeader('Retry-After')
      proceed?.()
    },
  }
}

/** The error for a framework: Express ignores `throw undefined` and continues, and it reads `throw 'route'` as a command. */
export function errorFor(limiter: string, error: unknown): unknown {
  if (typeof error !== 'object' || error === null) {
    return sluiceErrorFrom(error, 'SLUICE_THROWN', limiter, error)
  }
  showClientText(error)
  return error
}

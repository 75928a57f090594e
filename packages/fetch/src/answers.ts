import { SluiceError } from '@sluice/core'
import {
  warnOfFailure,
  type Action,
  type Awaitable,
  type Deny,
  type FetchExchange,
  type Handle,
  type RequestDecision,
  type RequestView,
} from '@sluice/core/http'
import { sluiceError } from '@sluice/core/internal'
import type { Platform, WaitUntil } from './platform.js'
import type { RequestLimits } from './request-limits.js'
import { denialBody, isResponse, sendsBody } from './responses.js'

/** How an adapter finds what it needs in the request `R` of its framework. */
export interface FetchLookups<R> {
  /** The web Request. It is the same object for all limits of a request. */
  request(request: R): Request
  /** The address that the runtime reports: never that of a header. */
  peer?(request: R): string | undefined
  /** The whole pattern of the route that has matched. */
  route?(request: R): string | undefined
  /** The parameters of the route, as far as one has matched. */
  params?(request: R): unknown
  /** The values that the client sent, as far as the framework has parsed them. By default, those of the query. */
  sent?(request: R): readonly unknown[]
  /** Called with each decision, so that the handlers of the framework find it. */
  tell?(request: R, decision: RequestDecision): void
  /** The function of the runtime that keeps it running until a promise settles. */
  waitUntil?(request: R): WaitUntil | undefined
  /**
   * Whether the framework shows the response of the application to the middleware. If not, options that depend on it are refused when the limit is made.
   *
   * @default true
   */
  readonly seesResponse?: boolean
  /** The advice for a request without an address, if that for the runtime is not right for the framework. */
  addressAdvice?(): string
  /** Makes the response of a denial, if responses of the framework have headers that other middleware has set. */
  respond?(request: R, body: string | null, init: DenialInit): Response
  /** Answers a request that is wrong: it has no key, or an invalid one. By default, the response is a 400 with the message. */
  refuse?(request: R, error: SluiceError): Response
  /** The status by which the framework answers a thrown value. By default 500. */
  statusOfError?(error: unknown): number | undefined
}

/** The status and the headers of a denial. */
export interface DenialInit {
  readonly status: number
  readonly headers: Record<string, string>
}

/** Handles a denied request instead of `rateLimit`: returns a response, or calls `next()` to continue. */
export type OnDenied<R> = (
  request: R,
  next: () => Promise<Response>,
  decision: RequestDecision,
) => Awaitable<Response | void>

/** A request that a limit is asked about. */
export interface Asked<R> {
  readonly view: RequestView<R>
  readonly web: Request
  readonly limits: RequestLimits
  readonly platform: Platform | undefined
  readonly exchange: FetchExchange
  /** The decision of this limit. */
  decision: RequestDecision | undefined
}

/** Answers a request by the action of its guard. `next` returns the response of the application. */
export type Respond<R> = (
  asked: Asked<R>,
  checked: Promise<Action<OnDenied<R>>>,
  next: () => Awaitable<Response>,
) => Promise<Response>

/** Makes the function that answers the requests of a framework. */
export function createAnswers<R>(lookups: FetchLookups<R>): Respond<R> {
  const { tell, waitUntil, statusOfError } = lookups
  const denial = lookups.respond ?? ((_request, body, init) => new Response(body, init))
  const refuse = lookups.refuse ?? badRequest

  return async function respond(asked, checked, next) {
    const { view, web, limits, exchange } = asked
    let action: Action<OnDenied<R>>
    try {
      action = await checked
    } catch (error) {
      // A request that is wrong.
      if (!(error instanceof SluiceError) || error.status === undefined) throw error
      return limits.written(refuse(view.raw, error))
    }
    asked.decision = action.decision
    if (asked.decision !== undefined) {
      limits.decision = asked.decision
      tell?.(view.raw, asked.decision)
    }
    limits.add(action.headers.filter(isLimitField))
    if (action.type === 'deny') return limits.written(denied(asked, action))
    try {
      let response: Response
      try {
        response = await (action.type === 'handle' ? handle(asked, action, next) : next())
      } catch (error) {
        if (!isResponse(error)) throw error
        response = error
      }
      if (isResponse(response)) {
        return limits.written(response, exchange.returned(response, sendsBody(web, response)))
      }
      // A handler may return another value, such as `undefined` after an upgrade on Bun.
      exchange.failed(switchingProtocols)
      return response
    } catch (error) {
      // The application has failed, or the body cannot be read, or the response cannot be copied.
      exchange.failed(statusOfError?.(error) ?? 500)
      throw error
    } finally {
      keepRunning(asked)
    }
  }

  function denied({ view, web }: Asked<R>, { status, body, headers }: Deny): Response {
    const own = Object.fromEntries(headers.filter((field) => !isLimitField(field)))
    return denial(view.raw, denialBody(web, status, body), { status, headers: own })
  }

  async function handle(
    { view, limits }: Asked<R>,
    action: Handle<OnDenied<R>>,
    next: () => Awaitable<Response>,
  ): Promise<Response> {
    let continued: Promise<Response> | undefined
    async function callNext(): Promise<Response> {
      action.proceed(limits)
      return next()
    }
    const response = await action.callHandler((onDenied) =>
      onDenied(view.raw, async () => (continued ??= callNext()), action.decision),
    )
    if (response !== undefined) return response
    if (continued !== undefined) return continued
    const expected = 'a Response, or call next()'
    throw sluiceError('SLUICE_RESULT_INVALID', 'rateLimit', 'onDenied', response, expected)
  }

  /** Keeps the runtime running until the work after the response is done. */
  function keepRunning({ view, platform, limits, exchange }: Asked<R>): void {
    const { settled } = exchange
    if (settled === undefined) return
    try {
      const wait = platform?.waitUntil ?? waitUntil?.(view.raw) ?? limits.platform?.waitUntil
      wait?.(settled)
    } catch (error) {
      // The response of the handler is made.
      warnOfFailure(error)
    }
  }
}

/** The status of a request after which the connection speaks another protocol. */
const switchingProtocols = 101

function isLimitField([name]: readonly [string, string]): boolean {
  return name !== 'Content-Type'
}

function badRequest(_request: unknown, { message, status = 400 }: SluiceError): Response {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' }
  return new Response(`${message}\n`, { status, headers })
}

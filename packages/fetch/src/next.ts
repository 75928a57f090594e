import type { Duration } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { checkedIfGiven, isFunction, memberOf } from '@sluice/core/internal'
import { fetchAdapter, type FetchLimit, type RateLimitOptions } from './fetch-adapter.js'
import { ServerArguments, waitUntilIn, type WaitUntil } from './platform.js'
import { handlerLimits, type RateLimit } from './rate-limit.js'

export type { Handler, RateLimit } from './rate-limit.js'
export { decisionOf } from './request-limits.js'
export type * from './application.js'
// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'

/**
 * Creates a limit for the route handlers of Next.js. `redirect()`, `notFound()`, `forbidden()` and `unauthorized()` count by their statuses.
 *
 * @example
 * import { rateLimit } from '@sluice/fetch/next'
 *
 * const limit = rateLimit({ limit: 100, window: '1m', address: { proxies: 1 } })
 * export const GET = limit(async () => Response.json({ hello: 'world' }))
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P>(
  options: RateLimitOptions<Request, W, P>,
): RateLimit {
  return limitOf(options)
}

const limitOf = handlerLimits({
  request: (request) => request,
  statusOfError: statusOfDigest,
  waitUntil: waitUntilOfPlatform,
})

/** The status of an error by which Next.js answers: `redirect()` has the digest NEXT_REDIRECT;type;url;status;, `notFound()` NEXT_HTTP_ERROR_FALLBACK;status. */
function statusOfDigest(error: unknown): number | undefined {
  const digest = memberOf(error, 'digest')
  if (digest === 'NEXT_NOT_FOUND') return 404
  // The URL of a redirect may contain semicolons too.
  const answered = /^(?:NEXT_REDIRECT;.*|NEXT_HTTP_ERROR_FALLBACK);([1-5]\d\d)(?:;[^;]*)?$/s
  const [, status] = (typeof digest === 'string' && answered.exec(digest)) || []
  return status === undefined ? undefined : Number(status)
}

/** A platform that hosts Next.js passes `waitUntil` under this symbol, which `after()` uses too. */
function waitUntilOfPlatform(request: Request): WaitUntil | undefined {
  const holder: unknown = Reflect.get(globalThis, Symbol.for('@next/request-context'))
  const get = memberOf(holder, 'get')
  return isFunction(get) ? waitUntilIn(request, [Reflect.apply(get, holder, [])]) : undefined
}

/** The options of `proxyLimit`: those of `rateLimit`, except those that depend on the response, and `next`. */
export type ProxyLimitOptions<R = Request, W = Duration, P = unknown> = NextSetting<R> &
  RateLimitOptions<R, W, P>

/** The option that only `proxyLimit` has. */
export interface NextSetting<R> {
  /**
   * The proxy of the application. It is called for each request that is not denied, and the headers of the limit are set in the response that it returns.
   *
   * @default the request continues to its route
   */
  readonly next?: (request: R, event: ProxyEvent) => Awaitable<Response | null | undefined | void>
}

/** The event that Next.js passes to a proxy. */
export interface ProxyEvent {
  waitUntil(work: Promise<unknown>): void
}

/** A proxy of Next.js, and its limit. */
export interface ProxyLimit<R> extends FetchLimit<R> {
  (request: R, event: ProxyEvent): Promise<Response>
}

/**
 * Creates the proxy of Next.js, which earlier versions call middleware. It does not see the response of the route, so options that depend on it are refused.
 * Its headers replace those of a limit in the route: limit a path in one of the two places.
 *
 * @example
 * import { proxyLimit } from '@sluice/fetch/next'
 *
 * export const proxy = proxyLimit({ limit: 100, window: '1m', address: { proxies: 1 } })
 * @throws SluiceError if an option is missing, unknown or wrong; SLUICE_RESPONSE_UNSEEN with `count`, `resetOn` or a `concurrency` policy
 */
export function proxyLimit<const W extends Duration, P, R extends Request = Request>(
  options: ProxyLimitOptions<R, W, P>,
): ProxyLimit<R> {
  const request = (own: R): R => own
  const limitOf = fetchAdapter<R>({ request, seesResponse: false }, { next: nextReader })
  const made = limitOf<W, P>(options)
  const { next } = options

  async function proxy(request: R, event: ProxyEvent): Promise<Response> {
    const proceed = async (): Promise<Response> => (await next?.(request, event)) ?? continued()
    return made.run(request, proceed, new ServerArguments(request, [event]))
  }
  return Object.assign(proxy, made)
}

const nextReader = checkedIfGiven('a function that returns a NextResponse', isFunction)

/** The response that NextResponse.next() makes. */
function continued(): Response {
  return new Response(null, { headers: { 'x-middleware-next': '1' } })
}

import type { Duration } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { checkedIfGiven, isFunction, readOptions } from '@sluice/core/internal'
import { fetchAdapter, type FetchLimit, type RateLimitOptions } from '../fetch-adapter.js'
import { ServerArguments } from '../platform.js'

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
  const { next, others } = separated(options)
  const limitOf = fetchAdapter<R>({ request: (request) => request, seesResponse: false })
  const made = limitOf(others)

  async function proxy(request: R, event: ProxyEvent): Promise<Response> {
    const proceed = async (): Promise<Response> => (await next?.(request, event)) ?? continued()
    return made.run(request, proceed, new ServerArguments(request, [event]))
  }
  return Object.assign(proxy, made)
}

/** The response that NextResponse.next() makes. */
function continued(): Response {
  return new Response(null, { headers: { 'x-middleware-next': '1' } })
}

/** The own option, and those of `rateLimit`. A value that is not an object is an error of the core. */
function separated<R, W, P>(
  options: ProxyLimitOptions<R, W, P>,
): NextSetting<R> & { readonly others: RateLimitOptions<R, W, P> } {
  if (typeof options !== 'object' || options === null) return { others: options }
  const { next, ...others } = options
  readOptions('proxyLimit', { next }, { next: nextReader })
  return next === undefined ? { others } : { next, others }
}

const nextReader = checkedIfGiven('a function that returns a NextResponse', isFunction)

import type { Duration } from '@sluice/core'
import type { RequestDecision } from '@sluice/core/http'
import { fetchAdapter, type FetchLimit, type RateLimitOptions } from './fetch-adapter.js'

export { decisionOf } from './request-limits.js'
export type * from './application.js'
// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'

/** The arguments that React Router passes to a middleware. */
export interface RouterArguments {
  readonly request: Request
  readonly params: object
  /** The pattern of the route. */
  readonly pattern?: string
  readonly context: RouterContexts
}

/** The values that middleware passes on to loaders and actions. */
export interface RouterContexts {
  get<T>(context: { defaultValue?: T }): T
  set(context: typeof rateLimitContext, value: RequestDecision | null): void
}

/** The key of the decision for loaders and actions: `context.get(rateLimitContext)`. It is null if the request was not limited. */
export const rateLimitContext: { defaultValue?: RequestDecision | null } = { defaultValue: null }

/** A middleware of React Router, and its limit. */
export interface MiddlewareLimit<A extends RouterArguments> extends FetchLimit<A> {
  // In its data mode, React Router calls a middleware for results of any type.
  <T>(args: A, next: () => Promise<T>): Promise<T | Response>
}

/**
 * Creates a middleware for React Router 7. The decision is in `context.get(rateLimitContext)`.
 *
 * @example
 * import { rateLimit } from '@sluice/fetch/react-router'
 *
 * export const middleware = [rateLimit({ limit: 100, window: '1m', address: { proxies: 1 } })]
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P, A extends RouterArguments = RouterArguments>(
  options: RateLimitOptions<A, W, P>,
): MiddlewareLimit<A> {
  const limitOf = fetchAdapter<A>({
    request: ({ request }) => request,
    addressAdvice: () =>
      'React Router reports no address. Behind one proxy, pass address: { proxies: 1 }. Otherwise, let the server put it into the context, and pass a ' +
      'function: address: ({ context }) => context.get(addressContext)',
    route: ({ pattern }) => pattern,
    params: ({ params }) => params,
    tell: ({ context }, decision) => context.set(rateLimitContext, decision),
  })
  const made = limitOf(options)
  function middleware<T>(args: A, next: () => Promise<T>): Promise<T | Response>
  async function middleware(args: A, next: () => Promise<Response>): Promise<Response> {
    return made.run(args, next)
  }
  return Object.assign(middleware, made)
}

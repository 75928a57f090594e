import type { Duration } from '@sluice/core'
import type { RequestDecision } from '@sluice/core/http'
import { memberOf } from '@sluice/core/internal'
import { fetchAdapter, type FetchLimit, type RateLimitOptions } from './fetch-adapter.js'
import { ifKnown, waitUntilIn } from './platform.js'

export { decisionOf } from './request-limits.js'
export type * from './application.js'
// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'

declare global {
  namespace App {
    interface Locals {
      /** The decision of `rateLimit` on this request; absent if the request was not limited. */
      rateLimit?: RequestDecision
    }
  }
}

/** An event of SvelteKit. */
export interface SvelteKitEvent {
  readonly request: Request
  readonly locals: App.Locals
  readonly params: object
  readonly route: { readonly id: string | null }
  readonly url: URL
  readonly platform?: unknown
  readonly isSubRequest?: boolean
  readonly getClientAddress: () => string
}

/** The argument of the hook `handle`. */
export interface HandleInput<E> {
  readonly event: E
  // A method, because a limit of any event is one of the events of an application.
  resolve(event: E): Response | Promise<Response>
}

/** The hook `handle` of SvelteKit, and its limit. */
export interface HandleLimit<E> extends FetchLimit<E> {
  (input: HandleInput<E>): Response | Promise<Response>
}

/**
 * Creates the hook `handle` of SvelteKit, which limits pages and endpoints. The decision is in `event.locals.rateLimit`.
 *
 * @example
 * import { byUser, rateLimit } from '@sluice/fetch/sveltekit'
 *
 * export const handle = rateLimit({ limit: 100, window: '1m' })
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P, E extends SvelteKitEvent = SvelteKitEvent>(
  options: RateLimitOptions<E, W, P>,
): HandleLimit<E> {
  const limitOf = fetchAdapter<E>({
    request: (event) => event.request,
    peer: (event) => ifKnown(() => event.getClientAddress()),
    addressAdvice: () =>
      'getClientAddress() of SvelteKit returns none. Configure the address in its adapter, or pass address: { proxies: 1 } behind one proxy. While the build ' +
      'renders pages, pass skip: () => building',
    route: (event) => event.route.id ?? undefined,
    params: (event) => event.params,
    tell: (event, decision) => void (event.locals.rateLimit = decision),
    statusOfError: statusOfThrown,
    waitUntil: ({ request, platform }) =>
      waitUntilIn(request, [memberOf(platform, 'ctx'), memberOf(platform, 'context'), platform]),
  })
  const made = limitOf(options)
  return Object.assign(
    (input: HandleInput<E>) => made.run(input.event, () => input.resolve(input.event)),
    made,
  )
}

/** `redirect()` and `error()` throw objects with a status. SvelteKit answers any other value as an error of the application. */
function statusOfThrown(error: unknown): number | undefined {
  const status = memberOf(error, 'status')
  const isKnown = memberOf(error, 'location') !== undefined || memberOf(error, 'body') !== undefined
  return isKnown && typeof status === 'number' && !(error instanceof Error) ? status : undefined
}

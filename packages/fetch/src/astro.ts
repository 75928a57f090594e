import type { Duration } from '@sluice/core'
import type { RequestDecision } from '@sluice/core/http'
import { memberOf } from '@sluice/core/internal'
import { runtimeAdvice } from './runtime-advice.js'
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

/** The context that Astro passes to a middleware. */
export interface AstroContext {
  readonly request: Request
  readonly locals: App.Locals
  readonly params: object
  readonly routePattern: string
  readonly isPrerendered: boolean
  readonly clientAddress: string
  readonly url: URL
}

/** A middleware of Astro, and its limit. */
export interface AstroLimit<C extends AstroContext> extends FetchLimit<C> {
  (context: C, next: () => Promise<Response>): Response | Promise<Response>
}

/**
 * Creates a middleware for Astro. The decision is in `context.locals.rateLimit`. Pages that are rendered by the build are not limited.
 *
 * @example
 * import { rateLimit } from '@sluice/fetch/astro'
 *
 * export const onRequest = rateLimit({ limit: 100, window: '1m', address: { proxies: 1 } })
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P, C extends AstroContext = AstroContext>(
  options: RateLimitOptions<C, W, P>,
): AstroLimit<C> {
  const limitOf = fetchAdapter<C>({
    request: ({ request }) => request,
    peer: addressOfConnection,
    addressAdvice: () => `${writtenByClient}. ${runtimeAdvice()}`,
    route: ({ routePattern }) => routePattern,
    params: ({ params }) => params,
    tell: ({ locals }, decision) => void (locals.rateLimit = decision),
    waitUntil: ({ request, locals }) =>
      waitUntilIn(request, [
        memberOf(locals, 'cfContext'),
        memberOf(memberOf(locals, 'runtime'), 'ctx'),
      ]),
  })
  const made = limitOf(options)
  return Object.assign(
    (context: C, next: () => Promise<Response>) =>
      context.isPrerendered ? next() : made.run(context, next),
    made,
  )
}

/** The address that Astro reports, unless its adapter has read it from X-Forwarded-For, as that for Node does: a client can write that header. */
function addressOfConnection(context: AstroContext): string | undefined {
  const address = ifKnown(() => context.clientAddress)
  const [first] = context.request.headers.get('x-forwarded-for')?.split(',') ?? []
  return address === first?.trim() ? undefined : address
}

const writtenByClient = `Astro's "clientAddress" can be the first address of X-Forwarded-For, which a client can write, so it is not used if it is equal to that`

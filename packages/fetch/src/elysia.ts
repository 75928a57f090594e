import type { Duration } from '@sluice/core'
import type { Awaitable } from '@sluice/core/http'
import { memberOf, sluiceError } from '@sluice/core/internal'
import { fetchAdapter, type FetchLimit, type RateLimitOptions } from './fetch-adapter.js'
import { ServerArguments } from './platform.js'

export { decisionOf } from './request-limits.js'
export type * from './application.js'
// Both modules are explicit lists. Re-exported, so that an application needs one import.
export * from '@sluice/core'
export * from '@sluice/core/http/application'

/** A plugin of Elysia, and its limit. */
export interface ElysiaLimit extends FetchLimit<Request> {
  <A extends ElysiaApp>(app: A): A
}

/** An application of Elysia. */
export interface ElysiaApp {
  wrap(around: Around): unknown
}

type Around = (
  handle: (...args: unknown[]) => unknown,
  request: Request,
) => (request: Request) => unknown

/**
 * Creates a plugin for Elysia, which limits all requests of the application. The decision is in `decisionOf(request)`.
 *
 * @example
 * import { Elysia } from 'elysia'
 * import { rateLimit } from '@sluice/fetch/elysia'
 *
 * const app = new Elysia().use(rateLimit({ limit: 100, window: '1m' })).get('/', () => 'Hello')
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function rateLimit<const W extends Duration, P>(
  options: RateLimitOptions<Request, W, P>,
): ElysiaLimit {
  const made = limitOf(options)
  const id = `limit ${++limits}`

  function plugin<A extends ElysiaApp>(app: A): A {
    const around: Around = (handle) => (request) =>
      made.run(
        request,
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the type of Elysia says of a handler only that it is a function
        () => handle(request) as Awaitable<Response>,
        new ServerArguments(request, [serverOf(app)]),
      )
    if (memberOf(memberOf(app, 'config'), 'aot') === false) {
      const expected =
        'true: without it, Elysia ignores plugins that see the response, and nothing would be limited'
      throw sluiceError('SLUICE_OPTION_INVALID', 'new Elysia', 'aot', false, expected)
    }
    // Elysia leaves out a wrapper whose text is that of another one.
    app.wrap(Object.assign(around, { toString: () => id }))
    return app
  }
  return Object.assign(plugin, made)
}

const limitOf = fetchAdapter<Request>({ request: (request) => request })
let limits = 0

/** The server of Bun, which an application has while it listens. */
function serverOf(app: object): unknown {
  const getServer = memberOf(app, 'getServer')
  return typeof getServer === 'function' ? getServer.call(app) : undefined
}

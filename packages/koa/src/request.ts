import { createView, type RequestView } from '@sluice/core/http'
import { byName, isRecord } from '@sluice/core/internal'
import type { Context } from 'koa'

export const viewOf: (context: unknown) => RequestView<Context> = createView<Context>({
  node: ({ req }) => req,
  // `url` and `path` are those within a mounted application.
  url: ({ originalUrl }) => originalUrl,
  semicolonEndsPath: () => false,
  params(context): unknown {
    return context['params']
  },
  host: ({ hostname }) => hostname,
  address: ({ ip }) => ip,
  // Body parsers set `request.body`, and routers set `params`. If the application has read `query`, Koa keeps what it has parsed: it searches all parameters
  // for each name, so nothing else has it parsed.
  sent({ request, querystring, params }): readonly unknown[] {
    const parsed: unknown = Reflect.get(request, '_querycache')
    const query = byName(new URLSearchParams(querystring)).values()
    return [Reflect.get(request, 'body'), parsed, ...query, params]
  },

  // Koa has no routes. @koa/router sets the whole pattern here, and within `router.use` that of the middleware.
  route(context) {
    const route: unknown = context['_matchedRoute']
    const isPattern = typeof route === 'string' || route instanceof RegExp
    return isPattern && !isOfMiddleware(context, route) ? String(route) : undefined
  },

  // Without a number of proxies, Koa uses the first address of the list, which the client can forge.
  trustsEveryProxy: ({ app }) => app.proxy && !(app.maxIpsCount > 0),
})

/** Whether a pattern is that of a middleware of @koa/router, which has no methods, and of no route that matches the request. */
function isOfMiddleware(context: Context, pattern: unknown): boolean {
  const matched: unknown = context['matched']
  if (!Array.isArray(matched)) return false
  const layers: unknown[] = matched.filter((layer) => isRecord(layer) && layer['path'] === pattern)
  const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0
  return layers.length > 0 && layers.every((layer) => isRecord(layer) && isEmpty(layer['methods']))
}

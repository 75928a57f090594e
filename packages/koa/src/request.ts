import { createView, type RequestView } from '@sluice/core/http'
import type { Context } from 'koa'

export const viewOf: (context: Context) => RequestView<Context> = createView<Context>({
  node: ({ req }) => req,
  // `url` and `path` are those within a mounted application.
  url: ({ originalUrl }) => originalUrl,
  semicolonEndsPath: () => false,
  params(context): unknown {
    return context['params']
  },
  host: ({ hostname }) => hostname,
  address: ({ ip }) => ip,
  // Body parsers set `request.body`, and routers set `params`.
  sent(context): readonly unknown[] {
    return [Reflect.get(context.request, 'body'), context.query, context['params']]
  },

  // Koa has no routes. @koa/router sets the whole pattern here.
  route(context) {
    const route: unknown = context['_matchedRoute']
    return typeof route === 'string' ? route : undefined
  },

  // Without a number of proxies, Koa uses the first address of the list, which the client can forge.
  trustsEveryProxy: ({ app }) => app.proxy && !(app.maxIpsCount > 0),
})

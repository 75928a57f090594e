import { createView, type RequestView } from '@sluice/core/http'
import type { Context } from 'koa'

export const viewOf: (context: Context) => RequestView<Context> = createView<Context>({
  node: ({ req }) => req,
  address: ({ ip }) => ip,
  // Body parsers leave the body at Koa's request, routers their parameters at the context.
  sent(context): readonly unknown[] {
    return [Reflect.get(context.request, 'body'), context.query, context['params']]
  },

  // Koa has no routes; those of @koa/router leave their whole pattern here.
  route(context) {
    const route: unknown = context['_matchedRoute']
    return typeof route === 'string' ? route : undefined
  },

  // Without a count of proxies, Koa takes the first address of the list: the one that the client wrote.
  trustsEveryProxy: ({ app }) => app.proxy && !(app.maxIpsCount > 0),
})

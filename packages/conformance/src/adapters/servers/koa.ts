import { Router } from '@koa/router'
import { rateLimit, type OnDenied, type RateLimitMiddleware } from '@sluice/koa'
import Koa3, { type Context, type Middleware } from 'koa'
import Koa2 from 'koa2'
import {
  optionsOf,
  valueIn,
  valueOf,
  type Adapter,
  type Answer,
  type App,
  type Denier,
  type Readers,
} from '../adapter.js'
import { listening } from './listening.js'

export const koa: readonly Adapter[] = [adapter('Koa 2', Koa2), adapter('Koa 3', Koa3)]

function adapter(name: string, Koa: typeof Koa3): Adapter {
  return {
    name,
    protocol: 'HTTP/1.1',
    followsPromises: true,
    writesResponse: true,
    answersWrongRequests: false,
    async serve(app) {
      const limit = rateLimit(optionsOf(app.options, readers, onDenied))
      const behind =
        app.second === undefined ? [] : [rateLimit(optionsOf(app.second, readers, onDenied))]
      const respond = applicationOf(Koa, app, [limit, ...behind]).callback()
      return listening((request, response) => void respond(request, response), limit.limiter)
    },
  }
}

function applicationOf(
  Koa: typeof Koa3,
  app: App,
  limits: readonly [RateLimitMiddleware, ...RateLimitMiddleware[]],
): Koa3 {
  const application = new Koa({ proxy: app.proxies === 1, maxIpsCount: app.proxies })
  // Koa would print the stream errors of clients that disconnect.
  application.silent = true
  if (app.handling === 'application') application.use(catching(app))
  application.use(arriving(app))
  if (app.place === 'app') for (const limit of limits) application.use(limit)
  const router = new Router()
  const handler = handlerOf(app, limits[0])
  router.all('/items/:id', ...(app.place === 'route' ? limits : []), handler)
  router.all('/', handler)
  application.use(router.routes())
  return application
}

const readers: Readers<Context> = {
  header: (context, name) => valueOf(context.headers[name]),
  query: (context, name) => valueIn(context.query, name),
  user: (context) => context.state['user'],
}

function onDenied(deny: Denier): OnDenied {
  return async (context, next, decision) => {
    const answer = await deny(decision)
    if (answer === undefined) await next()
    else send(context, answer)
  }
}

function catching(app: App): Middleware {
  return async (context, next) => {
    try {
      await next()
    } catch (error) {
      send(context, app.failed(error))
    }
  }
}

function arriving(app: App): Middleware {
  return async (context, next) => {
    app.first({
      header: (name) => valueOf(context.headers[name]),
      response: context.res,
      login: (user) => (context.state['user'] = user),
    })
    // Without this, Koa would respond although a handler uses Node's own response.
    if (context.headerSent) context.respond = false
    await next()
  }
}

function handlerOf(app: App, { keyOf }: RateLimitMiddleware): Middleware {
  return async (context) => {
    const answer = await app.handle({
      header: (name) => valueOf(context.headers[name]),
      response: context.res,
      decision: context.state['rateLimit'],
      keyOf: () => keyOf(context),
    })
    if (answer !== undefined) send(context, answer)
  }
}

function send(context: Context, { status, type, body }: Answer): void {
  context.status = status
  context.set('Content-Type', type)
  context.body = body
}

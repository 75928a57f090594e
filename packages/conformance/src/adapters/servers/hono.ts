import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { rateLimit, type OnDenied, type RateLimitMiddleware } from '@sluice/hono'
import { Hono as Hono4, type Context, type Handler, type MiddlewareHandler } from 'hono'
import { Hono as Hono48 } from 'hono48'
import {
  optionsOf,
  type Adapter,
  type App,
  type Denier,
  type OptionsFor,
  type Readers,
} from '../adapter.js'
import { addressOf, parsedQuery, responseOf } from './fetch.js'
import { listening } from './listening.js'

export const hono: readonly Adapter[] = [adapter('Hono 4.8', Hono48), adapter('Hono 4', Hono4)]

interface Environment {
  readonly Bindings: HttpBindings | Http2Bindings
}

function adapter(name: string, Hono: typeof Hono4): Adapter {
  return {
    name,
    protocol: 'HTTP/1.1',
    followsPromises: true,
    writesResponse: false,
    answersWrongRequests: false,
    async serve(app) {
      const limits = limitsOf(app)
      const { fetch } = applicationOf(Hono, app, limits)
      const listener = getRequestListener(fetch, { overrideGlobalObjects: false })
      return listening((request, response) => void listener(request, response), limits[0].limiter)
    },
  }
}

type Limits = readonly [RateLimitMiddleware, ...RateLimitMiddleware[]]

function limitsOf(app: App): Limits {
  const limitOf = (options: OptionsFor): RateLimitMiddleware =>
    rateLimit({ ...addressOf(app), ...optionsOf(options, readers, onDenied) })
  const first = limitOf(app.options)
  return app.second === undefined ? [first] : [first, limitOf(app.second)]
}

function applicationOf(Hono: typeof Hono4, app: App, limits: Limits): Hono4<Environment> {
  const application = new Hono<Environment>()
  if (app.handling === 'application') application.onError((error) => responseOf(app.failed(error)))
  application.use(arriving(app))
  if (app.place === 'app') application.use(...limits)
  const handler = handlerOf(app, limits[0])
  if (app.place === 'route') application.use('/items/:id', ...limits)
  application.all('/items/:id', handler)
  application.all('/', handler)
  return application
}

const readers: Readers<Context> = {
  header: ({ req }, name) => req.header(name),
  query: ({ req }, name) => parsedQuery(req.queries(name) ?? []),
  user: (context) => context.get('user'),
}

function onDenied(deny: Denier): OnDenied {
  return async (_context, next, decision) => {
    const answer = await deny(decision)
    return answer === undefined ? next() : responseOf(answer)
  }
}

function arriving(app: App): MiddlewareHandler {
  return async (context, next) => {
    app.first({
      header: (name) => context.req.header(name),
      response: context.env.outgoing,
      login: (user) => context.set('user', user),
    })
    await next()
  }
}

function handlerOf(app: App, { keyOf }: RateLimitMiddleware): Handler<Environment> {
  return async (context) => {
    const answer = await app.handle({
      header: (name) => context.req.header(name),
      response: context.env.outgoing,
      decision: context.get('rateLimit'),
      keyOf: () => keyOf(context),
    })
    return answer === undefined ? RESPONSE_ALREADY_SENT : responseOf(answer)
  }
}

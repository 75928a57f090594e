import { Router } from '@koa/router'
import Koa3, { type Context, type Middleware } from 'koa'
import Koa2 from 'koa2'
import request from 'supertest'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  byHeader,
  byRoute,
  fixedWindow,
  RateLimit,
  rateLimit,
  type RateLimitOptions,
  type RateLimitState,
} from '../src/index.js'

const once: RateLimitOptions = {
  limit: 1,
  window: '1m',
  algorithm: fixedWindow,
  clock: () => Date.UTC(2026, 0, 1),
}

function serverOf(app: Koa3): ReturnType<typeof request> {
  app.silent = true
  return request(app.callback())
}

describe.each<[string, new () => Koa3]>([
  ['Koa 2', Koa2],
  ['Koa 3', Koa3],
])('%s', (_, Koa) => {
  function appOf(...middlewares: Middleware[]): Koa3 {
    const app = new Koa()
    for (const middleware of middlewares) app.use(middleware)
    return app
  }

  test('sets the decision in the state', async () => {
    const app = new Koa3<RateLimitState>()
    app.use(rateLimit({ ...once, limit: 3 }))
    app.use((ctx) => {
      ctx.body = `${ctx.state.rateLimit?.remaining}`
    })
    await serverOf(app).get('/').expect(200, '2')
  })

  test('sends a request without its key a 400 with the message, and logs nothing', async () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {})
    onTestFinished(() => log.mockRestore())
    const byKey = appOf(rateLimit({ ...once, key: byHeader('X-API-Key') }))
    const { status, text } = await request(byKey.callback()).get('/')
    expect([status, text]).toEqual([400, 'The request has no header "X-API-Key".'])
    expect(log.mock.calls).toEqual([])
    // A mistake of the application is logged, and its message is not sent.
    const route = await request(appOf(rateLimit({ ...once, key: byRoute() })).callback()).get('/')
    expect([route.status, route.text, log.mock.calls.length > 0]).toEqual([
      500,
      'Internal Server Error',
      true,
    ])
  })

  test.each([
    ['an error', () => new Error('broken')],
    [
      'an error with headers of its own',
      () => Object.assign(new Error(), { headers: { 'x-a': 'b' } }),
    ],
    ['a text', () => 'broken'],
  ])('keeps the headers on the answer to %s', async (_, make) => {
    const app = appOf(rateLimit(once), () => {
      // oxlint-disable-next-line typescript/only-throw-error -- an application may throw a text
      throw make()
    })
    const { status, headers } = await serverOf(app).get('/')
    expect([status, headers['ratelimit'], headers['ratelimit-policy'], headers['x-a']]).toEqual([
      500,
      '"default";r=0;t=60',
      '"default";q=1;w=60',
      Object.hasOwn(Object(make()), 'headers') ? 'b' : undefined,
    ])
  })

  test('writes the current numbers on an error that is thrown several times', async () => {
    const same = new Error('the same')
    const app = appOf(rateLimit({ ...once, limit: 2 }), () => {
      throw same
    })
    const server = serverOf(app)
    await server.get('/').expect('ratelimit', '"default";r=1;t=60')
    await server.get('/').expect('ratelimit', '"default";r=0;t=60')
  })

  test('keeps the headers if the handler of denials throws', async () => {
    const app = appOf(
      rateLimit({
        ...once,
        limit: 0,
        onDenied() {
          throw new Error('broken')
        },
      }),
    )
    const { status, headers } = await serverOf(app).get('/')
    expect([status, headers['retry-after'], headers['ratelimit']]).toEqual([
      500,
      '1',
      '"default";r=0',
    ])
  })

  test('the handler of denials can continue', async () => {
    const app = appOf(
      rateLimit({
        ...once,
        limit: 0,
        onDenied: async (ctx, next, decision) => {
          ctx.state['degraded'] = decision.deniedBy
          await next()
        },
      }),
      (ctx) => {
        ctx.body = ctx.state
      },
    )
    const { body, headers } = await serverOf(app).get('/').expect(200)
    expect([body.degraded, headers['retry-after']]).toEqual([['default'], undefined])
  })

  test('uses the whole pattern of a route of @koa/router', async () => {
    const router = new Router({ prefix: '/shop' })
    const limit = rateLimit({ ...once, key: byRoute() })
    router.get('/items/:id', limit, (ctx) => {
      ctx.body = 'item'
    })
    router.get('/carts/:id', limit, (ctx) => {
      ctx.body = 'cart'
    })
    const server = serverOf(appOf(router.routes() as unknown as Middleware))
    await server.get('/shop/items/1').expect(200)
    await server.get('/shop/items/2').expect(429)
    await server.get('/shop/carts/2').expect(200)
  })

  test('the pattern of a route can be a regular expression, and is one member of a list', async () => {
    const router = new Router()
    const limit = rateLimit({ ...once, key: byRoute() })
    for (const path of [/^\/items\/(.*)/, ['/carts', '/baskets']]) {
      router.get(path, limit, (ctx) => {
        ctx.body = 'found'
      })
    }
    const server = serverOf(appOf(router.routes() as unknown as Middleware))
    await server.get('/items/1').expect(200)
    await server.get('/items/2').expect(429)
    await server.get('/carts').expect(200)
    await server.get('/baskets').expect(200)
    await server.get('/baskets').expect(429)
  })

  test.each([undefined, '/shop'])(
    'a middleware of @koa/router has no route: prefix %s',
    async (prefix) => {
      const router = new Router(prefix === undefined ? {} : { prefix })
      router.use(rateLimit({ ...once, key: byRoute() }))
      router.get('/items', (ctx) => {
        ctx.body = 'item'
      })
      const app = appOf(router.routes() as unknown as Middleware)
      const errors: unknown[] = []
      app.on('error', ({ code }) => errors.push(code))
      await serverOf(app)
        .get(`${prefix ?? ''}/items`)
        .expect(500)
      expect(errors).toEqual(['SLUICE_ROUTE_MISSING'])
    },
  )

  test('trusts as many proxies as the application allows', async () => {
    const app = appOf(rateLimit(once))
    app.proxy = true
    app.maxIpsCount = 1
    const server = serverOf(app)
    await server.get('/').set('x-forwarded-for', '198.51.100.1, 192.0.2.1').expect(404)
    await server.get('/').set('x-forwarded-for', '198.51.100.2, 192.0.2.1').expect(429)
    await server.get('/').set('x-forwarded-for', '198.51.100.1, 192.0.2.2').expect(404)
  })

  test('writes nothing if the headers are sent already, and does not call the next middleware after a denial', async () => {
    let reached = false
    const early: Middleware = async (ctx, next) => {
      ctx.respond = false
      ctx.res.end('early')
      await next()
    }
    const app = appOf(early, rateLimit({ ...once, limit: 0 }), () => {
      reached = true
    })
    const { status, text, headers } = await serverOf(app).get('/')
    expect([status, text, headers['ratelimit'], reached]).toEqual([404, 'early', undefined, false])
  })

  test('limits a method of a controller, which keeps its "this"', async () => {
    class Greeting {
      readonly word = 'hello'

      @RateLimit(once)
      async greet(ctx: Context): Promise<void> {
        ctx.body = this.word
      }
    }
    const greeting = new Greeting()
    const server = serverOf(appOf(async (ctx) => greeting.greet(ctx)))
    await server.get('/').expect(200, 'hello')
    await server.get('/').expect(429)
  })
})

test.each<RateLimitOptions>([once, { ...once, key: 'all' }])(
  'refuses a web Request in place of the context of Koa: %j',
  async (options) => {
    const limit = rateLimit(options)
    const asked = new Request('http://localhost/')
    await expect(limit(asked as never, async () => {})).rejects.toMatchObject({
      code: 'SLUICE_REQUEST_INVALID',
    })
  },
)

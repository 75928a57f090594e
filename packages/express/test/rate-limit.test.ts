import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import express, { type RequestHandler } from 'express'
import request from 'supertest'
import { describe, expect, test } from 'vitest'
import {
  byIp,
  byRoute,
  createLimiter,
  fixedWindow,
  memoryStore,
  notLimited,
  rateLimit,
  SluiceError,
  type Decision,
  type RateLimitOptions,
} from '../src/index.js'
import { appOf, errorLog, frameworks, start } from './apps.js'

const clock = () => start
const once: RateLimitOptions = { limit: 1, window: '1m', algorithm: fixedWindow, clock }

const broken = () => {
  throw new Error('broken')
}

const sendEarly: RequestHandler = (_request, response, next) => {
  response.end('early')
  next()
}

const body: RateLimitOptions['body'] = ({ path }, { limit }) => ({ path, limit })

describe.each(frameworks)('%s', (_, create) => {
  test('writes the limit and the remaining quota on every response', async () => {
    const app = appOf(create, rateLimit({ ...once, limit: 2 }))
    const { status, headers, text } = await request(app).get('/')
    expect([status, text]).toEqual([200, 'hello'])
    expect(headers).toMatchObject({
      'ratelimit-policy': '"default";q=2;w=60',
      ratelimit: '"default";r=1;t=60',
    })
    expect(Object.keys(headers)).not.toContain('retry-after')
  })

  test('sends a 429 with a problem', async () => {
    const app = appOf(create, rateLimit(once))
    await request(app).get('/').expect(200)
    const { status, headers, text } = await request(app).get('/')
    expect(status).toBe(429)
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'content-length': `${text.length}`,
      'retry-after': '60',
      'ratelimit-policy': '"default";q=1;w=60',
      ratelimit: '"default";r=0;t=60',
    })
    expect(JSON.parse(text)).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Request cannot be satisfied as assigned quota has been exceeded',
      status: 429,
      detail: 'Try again in 1 minute.',
      'violated-policies': ['default'],
    })
  })

  test('sends plain text to a client that prefers it', async () => {
    const app = appOf(create, rateLimit({ ...once, limit: 0 }))
    const { status, type } = await request(app).get('/').accept('text/plain')
    expect([status, type]).toEqual([429, 'text/plain'])
  })

  test('sends HEAD the headers only', async () => {
    const app = appOf(create, rateLimit({ ...once, limit: 0 }))
    const { status, headers, text } = await request(app).head('/')
    expect([status, text]).toEqual([429, undefined])
    expect(headers).toMatchObject({
      'content-type': 'application/problem+json',
      'retry-after': '1',
    })
  })

  test('sends the status and the body of the application', async () => {
    const app = appOf(create, rateLimit({ ...once, limit: 0, statusCode: 503, body }))
    const { status, type, body: sent } = await request(app).get('/')
    expect([status, type, sent]).toEqual([503, 'application/json', { path: '/', limit: 0 }])
  })

  test('sets the decision on the request', async () => {
    const app = create()
    app.get('/', rateLimit({ ...once, limit: 3 }), (request, response) => {
      response.json(request.rateLimit)
    })
    const { body } = await request(app).get('/')
    expect(body).toEqual({
      allowed: true,
      limit: 3,
      remaining: 2,
      retryAfterMs: 0,
      resetMs: 60_000,
      delayMs: 0,
      deniedBy: [],
      policies: {
        default: {
          allowed: true,
          used: 1,
          limit: 3,
          remaining: 2,
          retryAfterMs: 0,
          nextMs: 60_000,
          resetMs: 60_000,
          delayMs: 0,
        },
      },
      source: 'store',
    })
  })

  test('a skipped request has no headers and no decision', async () => {
    const app = create()
    app.use(rateLimit({ ...once, limit: 0, skip: ({ path }) => path === '/health' }))
    app.get('/health', (request, response) => {
      response.json({ decided: 'rateLimit' in request })
    })
    const { status, headers, body } = await request(app).get('/health')
    expect([status, body]).toEqual([200, { decided: false }])
    expect(Object.keys(headers).filter((name) => name.startsWith('ratelimit'))).toEqual([])
    await request(app).get('/').expect(429)
  })

  test('consumes as many units as the request costs', async () => {
    const app = appOf(
      create,
      rateLimit({ ...once, limit: 10, cost: async ({ query }) => Number(query['size']) }),
    )
    const send = (size: number) => request(app).get(`/?size=${size}`)
    expect((await send(7)).headers['ratelimit']).toBe('"default";r=3;t=60')
    await send(4).expect(429)
    await send(3).expect(200)
  })

  test('counts each policy by its own key', async () => {
    const app = appOf(
      create,
      rateLimit({
        clock,
        policies: {
          user: fixedWindow({ limit: 1, window: '1m' }),
          address: fixedWindow({ limit: 2, window: '1h' }),
        },
        key: { user: (request) => request.get('x-user') ?? notLimited, address: byIp() },
      }),
    )
    const send = (user: string) => request(app).get('/').set('x-user', user)
    await send('ada').expect(200)
    expect((await send('ada')).body['violated-policies']).toEqual(['user'])
    await send('bob').expect(200)
    expect((await send('eve')).body['violated-policies']).toEqual(['address'])
    const { headers } = await request(app).get('/')
    expect(headers['ratelimit-policy']).toBe('"address";q=2;w=3600')
  })

  test('passes the matched route to the key function', async () => {
    const app = create()
    const limit = rateLimit({ ...once, key: (_, { method, route = '' }) => [method, route] })
    app.get('/items/:id', limit, (_request, response) => {
      response.send('item')
    })
    await request(app).get('/items/1').expect(200)
    await request(app).get('/items/2').expect(429)
  })

  test('uses the address from a proxy only if the app trusts it', async () => {
    const send = (app: ReturnType<typeof create>, address: string) =>
      request(app).get('/').set('x-forwarded-for', address)

    const wary = appOf(create, rateLimit(once))
    await send(wary, '192.0.2.1').expect(200)
    await send(wary, '192.0.2.2').expect(429)

    const trusting = appOf(create, rateLimit(once))
    trusting.set('trust proxy', 1)
    await send(trusting, '192.0.2.1').expect(200)
    await send(trusting, '192.0.2.2').expect(200)
    await send(trusting, '192.0.2.2:4711').expect(429)
    await send(trusting, '::ffff:192.0.2.2').expect(429)
    await send(trusting, '2001:db8:1:2::1').expect(200)
    await send(trusting, '2001:db8:1:2:ffff::9').expect(429)
    await send(trusting, 'unknown').expect(500, 'SLUICE_ADDRESS_MISSING')
  })

  test.each<[string, RateLimitOptions]>([
    ['a key function that throws', { ...once, key: broken }],
    ['a key function that rejects', { ...once, key: async () => broken() }],
    ['a skip function that throws', { ...once, skip: broken }],
    ['a cost function that rejects', { ...once, cost: async () => broken() }],
    ['a body function that throws', { ...once, limit: 0, body: broken }],
    ['a handler of denials that throws', { ...once, limit: 0, onDenied: broken }],
    ['a handler of denials that rejects', { ...once, limit: 0, onDenied: async () => broken() }],
    [
      'a handler that rejects after the promise of a key',
      { ...once, limit: 0, key: async () => 'a', onDenied: async () => broken() },
    ],
  ])('passes the error of %s to the error handling, and allows no request', async (_, options) => {
    const errors: unknown[] = []
    const app = appOf(create, rateLimit(options), errorLog(errors))
    const { status, text } = await request(app).get('/')
    expect([status, text, errors.length]).toEqual([500, 'Error: broken', 1])
  })

  test.each([undefined, null, '', {}])('the key %j is an error', async (key) => {
    const app = appOf(create, rateLimit({ ...once, key: () => key as string }))
    await request(app).get('/').expect(400, 'SLUICE_KEY_INVALID')
  })

  test('the application can send its own response to a denial', async () => {
    const seen: Decision[] = []
    const app = appOf(
      create,
      rateLimit({
        ...once,
        limit: 0,
        onDenied: (request, response, _next, decision) => {
          seen.push(decision)
          response.status(429).send(`not now, ${request.path}`)
        },
      }),
    )
    const { status, text, headers } = await request(app).get('/')
    expect([status, text]).toEqual([429, 'not now, /'])
    expect(headers).toMatchObject({
      'retry-after': '1',
      'ratelimit-policy': '"default";q=0;w=60',
    })
    expect(seen.map(({ allowed, deniedBy }) => [allowed, deniedBy])).toEqual([[false, ['default']]])
  })

  test('the application can continue after a denial', async () => {
    const app = create()
    app.use(rateLimit({ ...once, limit: 0, onDenied: (_request, _response, next) => next() }))
    app.get('/', (request, response) => {
      response.send(request.rateLimit?.allowed === false ? 'degraded' : 'hello')
    })
    await request(app).get('/').expect(200, 'degraded')
  })

  test.each<[string | RegExp | (string | RegExp)[], string]>([
    [/^\/items\/(.*)$/, '/shop/^\\/items\\/(.*)$/'],
    [['/items/1', '/items/2'], '/shop/items/1, /items/2'],
    [['/items/1', /2$/], '/shop/items/1, /2$/'],
  ])('byRoute uses the text of a path that is %s', async (path, pattern) => {
    const routes: unknown[] = []
    const limit = rateLimit({ ...once, limit: 2, key: byRoute() })
    const router = express.Router().get(path, limit, (request, response) => {
      routes.push(limit.keyOf(request))
      response.end()
    })
    const app = create().use('/shop', router)
    for (const [item, status] of [
      ['1', 200],
      ['2', 200],
      ['1', 429],
    ] as const) {
      await request(app).get(`/shop/items/${item}`).expect(status)
    }
    expect(await Promise.all(routes)).toEqual([
      ['route', 'GET', pattern],
      ['route', 'GET', pattern],
    ])
  })

  test.each(['route', 'router'])(
    "next('%s') after a denial continues without Retry-After",
    async (command) => {
      const limit = rateLimit({
        ...once,
        limit: 0,
        onDenied: (_request, _response, next) => next(command),
      })
      const limited = express.Router().get('/', limit)
      const { status, text, headers } = await request(appOf(create, limited)).get('/')
      expect([status, text, headers['retry-after']]).toEqual([200, 'hello', undefined])
    },
  )

  test.each([
    [1, ['/']],
    [0, []],
  ])(
    'writes nothing if the headers are sent already (limit %i: calls %j)',
    async (limit, reached) => {
      const errors: unknown[] = []
      const paths: string[] = []
      const app = create()
      app.use(sendEarly, rateLimit({ ...once, limit }), errorLog(errors))
      app.use(({ path }) => {
        paths.push(path)
      })
      const { status, text, headers } = await request(app).get('/')
      expect([status, text, headers['ratelimit']]).toEqual([200, 'early', undefined])
      expect([paths, errors]).toEqual([reached, []])
    },
  )

  test('shares one store among several limits, each under its name', async () => {
    const store = memoryStore()
    const app = create()
    app.get('/a', rateLimit({ ...once, store, name: 'a' }), (_request, response) => {
      response.send('a')
    })
    app.get('/b', rateLimit({ ...once, store, name: 'b' }), (_request, response) => {
      response.send('b')
    })
    await request(app).get('/a').expect(200)
    await request(app).get('/b').expect(200)
    await request(app).get('/a').expect(429)
    const limiter = createLimiter({
      name: 'a',
      policies: fixedWindow({ limit: 1, window: '1m' }),
      store,
      clock,
    })
    limiter.reset('ip:127.0.0.1')
    await request(app).get('/a').expect(200)
    await request(app).get('/b').expect(429)
  })

  test('allows requests again after the window', async () => {
    let now = start
    const app = appOf(create, rateLimit({ ...once, clock: () => now }))
    await request(app).get('/').expect(200)
    now += 59_999
    await request(app).get('/').expect(429).expect('retry-after', '1')
    now += 1
    await request(app).get('/').expect(200)
  })
})

test.each<RateLimitOptions>([once, { ...once, key: 'all' }])(
  'refuses a web Request in place of the request of Express: %j',
  (options) => {
    const limit = rateLimit(options)
    const asked = new Request('http://localhost/')
    expect(() => limit(asked as never, undefined as never, undefined as never)).toThrowError(
      expect.objectContaining({ code: 'SLUICE_REQUEST_INVALID' }),
    )
  },
)

test('refuses a request of a server without Express', () => {
  const asked = new IncomingMessage(new Socket()) as never
  const response = new ServerResponse(asked) as never
  expect(() => rateLimit(once)(asked, response, undefined as never)).toThrowError(
    expect.objectContaining({ code: 'SLUICE_REQUEST_INVALID' }),
  )
})

test('has a name in stack traces', () => {
  expect(rateLimit(once).name).toBe('rateLimitMiddleware')
})

test('refuses wrong options when the app is built', () => {
  const wrong = { max: 5, windowMs: 1000 } as never
  expect(() => rateLimit(wrong)).toThrowError(SluiceError)
})

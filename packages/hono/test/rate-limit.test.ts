import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { concurrency, fixedWindow } from '@sluice/core'
import { Hono, type Context, type Next } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { cors } from 'hono/cors'
import { HTTPException } from 'hono/http-exception'
import { streamText } from 'hono/streaming'
import { validator } from 'hono/validator'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { byRoute, rateLimit } from '../src/index.js'

const policies = fixedWindow({ limit: 2, window: '1m' })
const options = { policies, key: 'all' } as const
const none = fixedWindow({ limit: 0, window: '1m' })
const allowed = { 'ratelimit-policy': '"default";q=2;w=60', ratelimit: '"default";r=1;t=60' }

function fieldsOf({ headers }: Response): Record<string, string> {
  return Object.fromEntries([...headers].filter(([name]) => name.startsWith('ratelimit')))
}

describe('the headers are in', () => {
  test.each<[string, (c: Context) => Response | Promise<Response>, number, string]>([
    ['a text', (c) => c.text('hello'), 200, 'hello'],
    ['JSON', (c) => c.json({ a: 1 }), 200, '{"a":1}'],
    ['a raw Response', () => new Response('raw'), 200, 'raw'],
    ['a redirect', (c) => c.redirect('/new'), 302, ''],
    ['a redirect with immutable headers', () => Response.redirect('http://host/new', 302), 302, ''],
    ['a 404 of the handler', (c) => c.notFound(), 404, '404 Not Found'],
    [
      'a stream',
      (c) => streamText(c, async (stream) => void (await stream.write('streamed'))),
      200,
      'streamed',
    ],
    [
      'an HTTPException',
      () => {
        throw new HTTPException(401, { message: 'who?' })
      },
      401,
      'who?',
    ],
  ])('%s', async (_, handler, status, text) => {
    const app = new Hono()
    app.use(rateLimit(options))
    app.get('/', handler)
    const response = await app.request('/')
    expect([response.status, await response.text()]).toEqual([status, text])
    expect(fieldsOf(response)).toEqual(allowed)
  })

  test('a response of another server, instead of those that it had', async () => {
    const upstream = createServer((_request, response) =>
      response.writeHead(200, { RateLimit: '"upstream";r=7;t=1' }).end('from elsewhere'),
    ).listen(0, '127.0.0.1')
    onTestFinished(() => void upstream.close())
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const app = new Hono()
    app.use(rateLimit(options))
    app.get('/', async () =>
      fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } }),
    )
    const response = await app.request('/')
    expect(await response.text()).toBe('from elsewhere')
    expect(fieldsOf(response)).toEqual(allowed)
  })

  test('a response that other middleware replaces, and a path without a route', async () => {
    const app = new Hono()
    app.use(rateLimit({ ...options, policies: fixedWindow({ limit: 9, window: '1m' }) }))
    app.use('/replaced', async (c, next) => {
      await next()
      c.res = new Response('replaced')
    })
    app.get('/replaced', (c) => c.text('hello'))
    const replaced = await app.request('/replaced')
    expect([await replaced.text(), replaced.headers.get('ratelimit')]).toEqual([
      'replaced',
      '"default";r=8;t=60',
    ])
    const missing = await app.request('/missing')
    expect([missing.status, missing.headers.get('ratelimit')]).toEqual([404, '"default";r=7;t=60'])
  })
})

describe('a denial', () => {
  test('has the headers of middleware that ran before, and of CORS', async () => {
    const app = new Hono()
    app.use(async (c, next) => {
      c.header('x-request-id', '7')
      await next()
    })
    app.use(cors({ origin: 'http://page', exposeHeaders: ['RateLimit'] }))
    app.use(rateLimit({ ...options, policies: none }))
    app.get('/', (c) => c.text('called'))
    const response = await app.request('/', { headers: { origin: 'http://page' } })
    expect([response.status, response.headers.get('content-type')]).toEqual([
      429,
      'application/problem+json',
    ])
    expect(response.headers.get('x-request-id')).toBe('7')
    expect(response.headers.get('access-control-allow-origin')).toBe('http://page')
    expect(response.headers.get('retry-after')).toBe('1')
  })

  test('has the headers that the context prepares', async () => {
    const app = new Hono()
    app.use(async (c, next) => {
      c.header('x-own', 'kept')
      await next()
    })
    app.use(rateLimit({ policies: none, key: 'all' }))
    const denied = await app.request('/')
    expect([denied.status, denied.headers.get('x-own')]).toEqual([429, 'kept'])
  })

  test('of HEAD has no body', async () => {
    const app = new Hono()
    app.use(rateLimit({ ...options, policies: none }))
    app.get('/', (c) => c.text('called'))
    const response = await app.request('/', { method: 'HEAD' })
    expect([response.status, await response.text()]).toEqual([429, ''])
  })

  test('is handled by a middleware of the application', async () => {
    const app = new Hono()
    const slower = async (c: Context, next: Next): Promise<Response | void> => {
      if (c.req.path === '/') return next()
      c.header('x-own', 'kept')
      return c.text('denied', 418)
    }
    app.use(rateLimit({ ...options, policies: none, onDenied: slower }))
    app.all('*', (c) => c.text('hello'))
    const passed = await app.request('/')
    expect([await passed.text(), passed.headers.has('retry-after')]).toEqual(['hello', false])
    const denied = await app.request('/other')
    expect([denied.status, await denied.text(), denied.headers.get('x-own')]).toEqual([
      418,
      'denied',
      'kept',
    ])
    expect(denied.headers.get('retry-after')).toBe('1')
  })
})

test('several limits are joined, in the order in which they were asked', async () => {
  const app = new Hono()
  app.use(rateLimit({ ...options, name: 'all' }))
  app.use('/reports', rateLimit({ ...options, name: 'reports', policies: none }))
  app.get('/reports', (c) => c.text('called'))
  const response = await app.request('/reports')
  expect([response.status, response.headers.get('ratelimit')]).toEqual([
    429,
    '"all";r=1;t=60, "reports";r=0',
  ])
})

test('several limits are joined if middleware between them replaces the Request', async () => {
  const app = new Hono()
  app.use(rateLimit({ ...options, name: 'all' }))
  const small = bodyLimit({ maxSize: 100 })
  app.post('/', small, rateLimit({ ...options, name: 'posts', policies: none }), (c) => c.text('x'))
  const body = new Response('streamed').body
  const init: RequestInit = { method: 'POST', body, duplex: 'half' }
  const response = await app.request('/', init)
  expect([response.status, response.headers.get('ratelimit')]).toEqual([
    429,
    '"all";r=1;t=60, "posts";r=0',
  ])
})

test.each([
  ['GET /items/7', '/items/:id', 200],
  ['GET /items/new', '/items/new', 200],
  ['GET /v1/users/7', '/v1/users/:name', 200],
  ['GET /files/a/b', '/files/*', 200],
  ['PUT /any/a/b', '/any/*', 200],
  ['GET /mounted/a', '/mounted/*', 200],
  ['GET /items/7/8', '/items/*', 404],
  ['OPTIONS /items/7', '/items/*', 404],
  ['GET /none', '/*', 404],
])('the route of %s is %s, also for a limit of all routes', async (sent, pattern, status) => {
  const [method, path] = sent.split(' ')
  const keys: unknown[] = []
  const app = new Hono()
  const limit = rateLimit({ ...options, key: byRoute() })
  app.use('*', limit)
  app.use(async (c, next) => {
    keys.push(await limit.keyOf(c))
    await next()
  })
  app.use('/items/*', async (_, next) => next())
  app.get('/items/new', (c) => c.text('form'))
  app.get('/items/:id', (c) => c.text('item'))
  app.get('/files/*', (c) => c.text('file'))
  app.all('/any/*', (c) => c.text('any'))
  app.mount('/mounted', () => new Response('mounted'))
  app.route(
    '/v1',
    new Hono().get('/users/:name', (c) => c.text('user')),
  )
  expect((await app.request(path, { method })).status).toBe(status)
  expect(keys).toEqual([['route', method, pattern]])
})

test('a limit of several routes counts each by its own pattern, also if a later one matches', async () => {
  const app = new Hono()
  const limit = rateLimit({ ...options, key: byRoute() })
  app.get('/users/me', limit, async (c) => c.json(await limit.keyOf(c)))
  app.get('/users/:id', limit, async (c) => c.json(await limit.keyOf(c)))
  for (const [path, pattern] of [
    ['/users/me', '/users/me'],
    ['/users/7', '/users/:id'],
  ]) {
    expect(await (await app.request(path)).json()).toEqual(['route', 'GET', pattern])
  }
})

test('the decision is in the context', async () => {
  const app = new Hono()
  app.use(rateLimit(options))
  app.get('/', (c) => c.text(`${c.get('rateLimit')?.remaining} left`))
  expect(await (await app.request('/')).text()).toBe('1 left')
})

test('a list that the client sent and a validator has parsed is not a key', async () => {
  const app = new Hono()
  app.use(validator('json', (value) => value))
  app.use(rateLimit({ ...options, key: (c) => c.req.valid('json' as never)['names'] }))
  app.post('/', (c) => c.text('called'))
  const headers = { 'content-type': 'application/json' }
  const response = await app.request('/', { method: 'POST', headers, body: '{"names":["a","x"]}' })
  expect(response.status).toBe(400)
})

test('without an address, the error names the option and the server', async () => {
  const app = new Hono()
  app.onError(({ message }, c) => c.text(message, 500))
  app.use('/key', rateLimit({ limit: 2, window: '1m' }))
  app.use('/list', rateLimit({ ...options, deny: ['192.0.2.1'] }))
  for (const path of ['/key', '/list']) {
    const text = await (await app.request(path)).text()
    expect(text).toContain('app.request() reports no address')
    expect(text).toContain('serve({ fetch: app.fetch }). Behind a proxy, pass address')
  }
})

test('the work after a response is passed to the execution context', async () => {
  const app = new Hono()
  const limit = rateLimit({ ...options, count: 'failures' })
  app.use(limit)
  app.get('/', (c) => c.text('hello'))
  const waitUntil = vi.fn<(work: Promise<unknown>) => void>()
  const context = { waitUntil, passThroughOnException() {}, props: {} }
  await app.request('/', {}, {}, context)
  expect(waitUntil.mock.calls.length).toBe(1)
  await waitUntil.mock.calls[0][0]
  expect((await limit.limiter.status('all')).policies['default'].used).toBe(0)
  expect((await app.request('/')).status).toBe(200)
})

test('a lease lasts until the stream of the handler is cancelled', async () => {
  const app = new Hono()
  const limit = rateLimit({ policies: concurrency({ limit: 2, lease: '10s' }), key: 'all' })
  const used = async (): Promise<number> =>
    (await limit.limiter.status('all')).policies['default'].used
  let stopped = false
  app.use(limit)
  app.get('/', (c) =>
    streamText(c, async (stream) => {
      stream.onAbort(() => {
        stopped = true
      })
      while (!stream.aborted) {
        await stream.write('more')
        await stream.sleep(1)
      }
    }),
  )
  const response = await app.request('/')
  const reader = response.body?.getReader()
  await reader?.read()
  expect(await used()).toBe(1)
  await reader?.cancel()
  await vi.waitFor(async () => expect([await used(), stopped]).toEqual([0, true]))
})

test('an error of the options reaches the error handler, and a wrong one is an error at the start', async () => {
  const app = new Hono()
  app.onError((error, c) => c.text(error.message, 500))
  app.use(rateLimit({ ...options, cost: () => NaN }))
  app.get('/', (c) => c.text('called'))
  expect(await (await app.request('/')).text()).toContain('cost')
  for (const wrong of [
    undefined,
    'x',
    { limit: 5 },
    { ...options, onDenied: 'x' },
    { ...options, address: 1 },
  ]) {
    expect(() => rateLimit(wrong as never)).toThrow('rateLimit')
  }
})

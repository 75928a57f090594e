import { expect, test } from 'vitest'
import { memoryStore, rateLimit, SluiceError } from '../src/index.js'
import { create, serve, statuses, times } from './apps.js'

const hello = () => 'hello'

test('every route is limited, by one limiter', async () => {
  const app = create()
  await app.register(rateLimit, times(3))
  app.get('/a', hello)
  app.post('/b', hello)
  const send = await serve(app)
  const { status, headers, body } = await send('/a')
  expect([status, body]).toEqual([200, 'hello'])
  expect(headers).toMatchObject({
    'ratelimit-policy': '"default";q=3;w=60',
    ratelimit: '"default";r=2;t=60',
  })
  expect(await statuses(send, 'POST /b', 'HEAD /a', 'GET /a')).toEqual([200, 200, 429])
})

test('a route that is declared before the plugin is loaded is limited as well', async () => {
  const app = create()
  app.register(rateLimit, times(1))
  app.get('/', hello)
  app.get('/own', { config: { sluice: times(2) } }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /')).toEqual([200, 429])
  expect(await statuses(send, 'GET /own', 'HEAD /own', 'GET /own')).toEqual([200, 200, 429])
})

test('a route in a scope that is registered before the plugin is limited as well', async () => {
  const app = create()
  app.register(async (child) => child.get('/', hello))
  app.register(rateLimit, times(1))
  expect(await statuses(await serve(app), 'GET /', 'GET /')).toEqual([200, 429])
})

test('a request without a route is limited, with the default 404 handler and with another one', async () => {
  const plain = create()
  await plain.register(rateLimit, times(1))
  expect(await statuses(await serve(plain), 'GET /x', 'GET /y')).toEqual([404, 429])

  const custom = create()
  await custom.register(rateLimit, times(1))
  custom.setNotFoundHandler((_request, reply) => reply.code(404).send('nothing here'))
  expect(await statuses(await serve(custom), 'GET /x', 'PUT /y')).toEqual([404, 429])
})

test('with "global: false" only routes with a limit are limited', async () => {
  const app = create()
  await app.register(rateLimit, { global: false, ...times(9) })
  app.get('/', hello)
  app.get('/own', { config: { sluice: { limit: 1 } } }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /own', 'GET /own', 'GET /', 'GET /x')).toEqual([
    200, 429, 200, 404,
  ])
  expect(Object.keys((await send('/')).headers)).not.toContain('ratelimit')
})

test('with "global: false" the options of the plugin may be incomplete', async () => {
  const app = create()
  const { limit: _, ...rest } = times(1)
  await app.register(rateLimit, { global: false, ...rest })
  app.get('/', { config: { sluice: { limit: 1 } } }, hello)
  expect(await statuses(await serve(app), 'GET /', 'GET /')).toEqual([200, 429])
})

test('a route inherits the options of the plugin, and has its own counts', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.get('/', hello)
  app.get('/two', { config: { sluice: { limit: 2 } } }, hello)
  app.get('/three', { config: { sluice: { limit: 3 } } }, hello)
  const send = await serve(app)
  expect((await send('/two')).headers['ratelimit-policy']).toBe('"GET /two";q=2;w=60')
  expect(await statuses(send, 'GET /two', 'GET /two', 'GET /', 'GET /')).toEqual([
    200, 429, 200, 429,
  ])
  expect((await send('/three')).headers['ratelimit']).toBe('"GET /three";r=2;t=60')
})

test('routes that share one options object have their own counts', async () => {
  const app = create()
  await app.register(rateLimit, times(9))
  const config = { sluice: { limit: 1 } }
  app.get('/a', { config }, hello)
  app.get('/b/:id', { config }, hello)
  app.post('/a', { config }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /a', 'POST /a', 'GET /b/1')).toEqual([200, 200, 200])
  expect(await statuses(send, 'GET /a', 'POST /a', 'GET /b/2')).toEqual([429, 429, 429])
})

test('a list is several limiters, and the first denial is sent', async () => {
  const app = create()
  await app.register(rateLimit, times(9))
  const user = { limit: 1, key: ({ url }: { url: string }) => url, name: 'user' }
  app.get('/', { config: { sluice: [user, { limit: 2, body: 'all of you' }] } }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /?ada', 'GET /?ada', 'GET /?bob')).toEqual([200, 429, 200])
  const { status, body } = await send('/?eve')
  expect([status, body]).toEqual([429, 'all of you'])
})

test('a route with false is not limited', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.get('/', { config: { sluice: false } }, ({ rateLimit }) => ({ rateLimit }))
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /')).toEqual([200, 200])
  expect((await send('/')).body).toBe('{}')
})

test('an empty list is refused at the start, because it would remove the limit', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.get('/', { config: { sluice: [] } }, hello)
  await expect(app.ready()).rejects.toMatchObject({
    code: 'SLUICE_OPTION_INVALID',
    message:
      'rateLimit: "config.sluice" is an empty list. Pass options, a list with a limit, or false for no limit.',
  })
})

test('a route that still has the name of @fastify/rate-limit keeps its limit', async () => {
  const app = create()
  await app.register(rateLimit, times(3))
  app.get('/', { config: Object.assign({}, { rateLimit: times(1) }) }, hello)
  app.get('/none', { config: Object.assign({}, { rateLimit: false }) }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /')).toEqual([200, 429])
  expect(await statuses(send, 'GET /none', 'GET /none')).toEqual([200, 200])
})

test('an option of @fastify/rate-limit that no plugin reads is refused at the start', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.get('/', { config: Object.assign({}, { rateLimit: { max: 1 } }) }, hello)
  await expect(app.ready()).rejects.toMatchObject({
    code: 'SLUICE_OPTION_RENAMED',
    message: expect.stringContaining('"max" is called "limit" in Sluice'),
  })
})

test('a plugin that decorates the application with "rateLimit" keeps its options of routes', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  const name: string = 'rateLimit'
  app.decorate(name, () => {})
  app.get('/', { config: Object.assign({}, { rateLimit: { max: 1 } }) }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /')).toEqual([200, 429])
})

test('the decision is on the request', async () => {
  const app = create()
  await app.register(rateLimit, times(3))
  app.get('/', ({ rateLimit }) => ({ rateLimit }))
  const { body } = await (await serve(app))()
  expect(JSON.parse(body)).toMatchObject({ rateLimit: { allowed: true, limit: 3, remaining: 2 } })
})

test.each([
  ['a route for GET', 'GET' as const, 'HEAD /'],
  ['one for several methods', ['POST', 'GET'] as ('POST' | 'GET')[], 'HEAD /'],
  ['one for HEAD of its own', ['GET', 'HEAD'] as ('GET' | 'HEAD')[], 'HEAD /'],
])('HEAD counts in the limit of %s', async (_, method, head) => {
  for (const order of [['GET /', head] as const, [head, 'GET /'] as const]) {
    for (const seen of [true, false]) {
      const app = create()
      const registered = app.register(rateLimit, { ...times(9), store: memoryStore() })
      if (seen) await registered
      app.route({ method, url: '/', config: { sluice: { limit: 1 } }, handler: hello })
      const send = await serve(app)
      expect(await statuses(send, ...order)).toEqual([200, 429])
    }
  }
})

test('a route under a prefix has one limit, with and without the slash, for GET and for HEAD', async () => {
  const app = create()
  await app.register(rateLimit, times(9))
  app.register(
    async (child) => {
      child.get('/', { config: { sluice: { limit: 3 } } }, hello)
    },
    { prefix: '/items' },
  )
  const send = await serve(app)
  expect(
    await statuses(send, 'GET /items', 'HEAD /items/', 'GET /items/', 'HEAD /items', 'GET /items'),
  ).toEqual([200, 200, 200, 429, 429])
})

test('routes of one URL with different constraints count together by a name of their own', async () => {
  const left = async (app: ReturnType<typeof create>, host: string) =>
    (await app.inject({ url: '/', headers: { host } })).headers['ratelimit']
  const app = create()
  await app.register(rateLimit, { ...times(9), store: memoryStore() })
  const shared = { sluice: { limit: 2, name: 'hosts' } }
  app.get('/', { constraints: { host: 'a.test' }, config: shared }, hello)
  app.get('/', { constraints: { host: 'b.test' }, config: shared }, hello)
  app.get('/', { constraints: { host: /^c/ }, config: { sluice: { limit: 7 } } }, hello)
  await app.ready()
  expect(await left(app, 'a.test')).toBe('"hosts";r=1;t=60')
  expect(await left(app, 'b.test')).toBe('"hosts";r=0;t=60')
  expect(await left(app, 'c.test')).toBe('"GET / host=/^c/";r=6;t=60')
})

test('limiters are named after their routes, and those of a list are numbered', async () => {
  const store = memoryStore()
  const app = create()
  await app.register(rateLimit, { ...times(9), store })
  const own = [{ limit: 2 }, { limit: 2, name: 'mine' }, { limit: 2, statusCode: 503 }]
  app.get('/items/:id', { config: { sluice: own } }, hello)
  app.put('/items/:id', { config: { sluice: { limit: 4 } } }, hello)
  app.get('/', { config: { sluice: { limit: 3, name: 'GET /items/:id' } } }, hello)
  await expect(app.ready()).rejects.toThrowError(
    'another limiter of this store has the name "GET /i',
  )

  for (const name of ['mine', 'GET /items/:id #3', 'PUT /items/:id']) {
    const other = create()
    other.register(rateLimit, { ...times(1), store, name })
    await expect(other.ready()).rejects.toMatchObject({ code: 'SLUICE_NAME_TAKEN' })
  }
})

test('the plugin’s own limiter has the name in its options', async () => {
  const store = memoryStore()
  const app = create()
  await app.register(rateLimit, { ...times(9), store, name: 'all' })
  const other = create()
  other.register(rateLimit, { ...times(1), store, name: 'all' })
  await expect(other.ready()).rejects.toMatchObject({ code: 'SLUICE_NAME_TAKEN' })
})

test.each<[string, object]>([
  ['SLUICE_OPTION_RENAMED', { max: 5, timeWindow: 1000 }],
  ['SLUICE_OPTION_MISSING', { limit: 5 }],
  ['SLUICE_OPTION_INVALID', { limit: '5', window: '1m' }],
  ['SLUICE_OPTION_INVALID', { ...times(1), hook: 'onSend' }],
  ['SLUICE_OPTION_INVALID', { ...times(1), global: 'no' }],
])(
  'the plugin refuses wrong options at the start of the application: %s for %j',
  async (code, wrong) => {
    const app = create()
    app.register(rateLimit, wrong)
    const error: unknown = await app.ready().then(undefined, (error: unknown) => error)
    expect(error).toBeInstanceOf(SluiceError)
    expect(error).toMatchObject({ code })
  },
)

test.each<[string, unknown]>([
  ['SLUICE_OPTION_RENAMED', { max: 5 }],
  ['SLUICE_OPTION_INVALID', [{ limit: 5 }, { limit: -5 }]],
  ['SLUICE_OPTIONS_INVALID', true],
  ['SLUICE_OPTIONS_INVALID', null],
  ['SLUICE_OPTIONS_INVALID', '5/1m'],
  ['SLUICE_OPTIONS_INVALID', [undefined]],
])(
  'a route refuses wrong options at the start of the application: %s for %j',
  async (code, wrong) => {
    const app = create()
    await app.register(rateLimit, times(9))
    app.get('/', { config: { sluice: wrong as false } }, hello)
    await expect(app.ready()).rejects.toMatchObject({ code })
  },
)

test('a route that is declared before the plugin refuses wrong options at each request, and allows none', async () => {
  const app = create()
  app.register(rateLimit, times(9))
  app.get('/', { config: { sluice: { limit: -5 } } }, hello)
  const send = await serve(app)
  for (const _ of [1, 2]) {
    expect(await send()).toMatchObject({ status: 500, body: 'SLUICE_OPTION_INVALID' })
  }
})

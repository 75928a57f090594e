import { expect, test } from 'vitest'
import { fixedWindow, rateLimit } from '../src/index.js'
import { create, serve, statuses, times } from './apps.js'

const hello = () => 'hello'

test('the decorator has the limiter of the plugin', async () => {
  const app = create()
  await app.register(rateLimit, { ...times(2), key: 'all' })
  app.get('/', hello)
  const send = await serve(app)
  const { limiter } = app.sluice
  expect(limiter).toBe(app.sluice.limiterOf('default'))
  expect(await statuses(send, 'GET /', 'GET /', 'GET /')).toEqual([200, 200, 429])
  expect((await limiter.status('all')).policies['default'].used).toBe(2)
  expect(await limiter.reset('all')).toBe(true)
  expect(await statuses(send, 'GET /')).toEqual([200])
})

test('a placed limit has its limiter', async () => {
  const app = create()
  await app.register(rateLimit, { ...times(9), key: 'all' })
  const own = app.sluice({ limit: 1 })
  const named = app.sluice({ limit: 1, name: 'named' })
  app.get('/', { onRequest: own }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /')).toEqual([200, 429])
  await own.limiter.reset('all')
  expect(await statuses(send, 'GET /')).toEqual([200])
  expect(app.sluice().limiter).toBe(app.sluice.limiter)
  expect(app.sluice.limiterOf('named')).toBe(named.limiter)
})

test('the limiter of a route is found by its name when the application is ready', async () => {
  const app = create()
  await app.register(rateLimit, { ...times(9), key: 'all' })
  app.get('/items/:id', { config: { sluice: { limit: 1 } } }, hello)
  app.post('/login', { config: { sluice: { limit: 1, name: 'login' } } }, hello)
  expect(() => app.sluice.limiterOf('login')).toThrowError(
    'there is no limiter "login". The limiters are "default".',
  )
  const send = await serve(app)
  for (const [name, request] of [
    ['GET /items/:id', 'GET /items/1'],
    ['login', 'POST /login'],
  ]) {
    expect(await statuses(send, request, request)).toEqual([200, 429])
    await app.sluice.limiterOf(name).reset('all')
    expect(await statuses(send, request)).toEqual([200])
  }
  expect(() => app.sluice.limiterOf('log-in')).toThrowError(
    'The limiters are "default", "GET /items/:id", "login"',
  )
})

test('with "global: false" and no limit of the plugin, the limiter is an error', async () => {
  const app = create()
  await app.register(rateLimit, { global: false })
  expect(() => app.sluice.limiter).toThrowError('"limit" is missing')
  expect(() => app.sluice.limiterOf('default')).toThrowError('There are none so far')
})

test('finds the key of a request by each limit of the application', async () => {
  const app = create()
  await app.register(rateLimit, { ...times(9), key: 'all' })
  const placed = app.sluice({ limit: 9, key: async () => 'placed' })
  const keys: unknown[] = []
  const { keyOf } = app.sluice
  // oxlint-disable-next-line oxc/no-async-endpoint-handlers -- Fastify awaits handlers
  app.get('/items/:id', { config: { sluice: { limit: 9, key: 'items' } } }, async (request) => {
    keys.push(
      await keyOf(request),
      await keyOf(request, 'default'),
      await keyOf(request, 'GET /items/:id'),
    )
    keys.push(await placed.keyOf(request), await app.sluice().keyOf(request))
    return keyOf(request, 'GET /items')
  })
  const { status, body } = await (await serve(app))('/items/1')
  expect(keys).toEqual(['all', 'all', 'items', 'placed', 'all'])
  expect([status, body]).toEqual([500, 'SLUICE_LIMITER_UNKNOWN'])
})

test('in a nested scope, it is the limiter of the nearest registration', async () => {
  const app = create()
  await app.register(rateLimit, { ...times(9), name: 'above' })
  await app.register(async (child) => {
    expect(child.sluice.limiter.name).toBe('above')
    await child.register(rateLimit, { ...times(9), name: 'below' })
    expect(child.sluice.limiter.name).toBe('below')
    expect(() => child.sluice.limiterOf('above')).toThrowError('no limiter "above"')
  })
  expect(app.sluice.limiter.name).toBe('above')
})

test('if each request has its own policies, a direct call needs policies', async () => {
  const app = create()
  await app.register(rateLimit, { ...times(9), key: 'all', limit: () => 1 })
  app.get('/', hello)
  expect(await statuses(await serve(app), 'GET /', 'GET /')).toEqual([200, 429])
  const { limiter } = app.sluice
  expect(() => limiter.peek('all')).toThrowError('it has no policies of its own')
  expect(() => limiter.status('all')).toThrowError('it has no policies of its own')
  const policies = fixedWindow({ limit: 1, window: '1m' })
  expect(await limiter.peek('all', { policies })).toMatchObject({ allowed: false })
})

test.each([{}, { key: 'all' }])(
  'a placed limit refuses a web Request in place of the request of Fastify: %j',
  async (options) => {
    const app = create()
    await app.register(rateLimit, { ...times(9), ...options })
    const limit = app.sluice()
    await expect(async () =>
      limit(new Request('http://localhost/'), {}, () => {}),
    ).rejects.toThrowError(expect.objectContaining({ code: 'SLUICE_REQUEST_INVALID' }))
  },
)

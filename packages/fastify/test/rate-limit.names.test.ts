import { expect, test } from 'vitest'
import { rateLimit } from '../src/index.js'
import { create, serve, statuses, times } from './apps.js'

const hello = () => 'hello'

test('without a store, routes with the same name count together', async () => {
  const app = create()
  await app.register(rateLimit, times(9))
  app.get('/a', { config: { sluice: { name: 'search', limit: 2 } } }, hello)
  app.get('/b', { config: { sluice: { name: 'search', limit: 2 } } }, hello)
  app.get('/c', { config: { sluice: { name: 'other', limit: 2 } } }, hello)
  expect(
    await statuses(await serve(app), 'GET /a', 'GET /b', 'GET /a', 'GET /b', 'GET /c'),
  ).toEqual([200, 200, 429, 429, 200])
})

test('routes with the same name count together across scopes', async () => {
  const app = create()
  await app.register(rateLimit, { global: false, ...times(9) })
  const config = () => ({ sluice: { name: 'search', limit: 1 } })
  app.get('/a', { config: config() }, hello)
  app.register(async (child) => child.get('/b', { config: config() }, hello))
  expect(await statuses(await serve(app), 'GET /a', 'GET /b')).toEqual([200, 429])
})

test('a placed limit counts together with a route of the same name', async () => {
  const app = create()
  await app.register(rateLimit, times(9))
  app.get('/a', { config: { sluice: { name: 'search', limit: 1 } } }, hello)
  app.get('/b', { onRequest: app.sluice({ name: 'search', limit: 1 }) }, hello)
  expect(await statuses(await serve(app), 'GET /b', 'GET /a', 'GET /b')).toEqual([200, 429, 429])
})

test('placed limits without a name count separately', async () => {
  const app = create()
  await app.register(rateLimit, times(9))
  app.get('/a', { onRequest: app.sluice({ limit: 1 }) }, hello)
  app.get('/b', { onRequest: app.sluice({ limit: 1 }) }, hello)
  expect(await statuses(await serve(app), 'GET /a', 'GET /b', 'GET /a')).toEqual([200, 200, 429])
})

test.each<[string, object, object]>([
  ['two routes', { name: 'search', limit: 1 }, { name: 'search', limit: 2 }],
  ['the plugin and a route', { limit: 1 }, { name: 'default', limit: 2 }],
  ['a route and another one that has its name', { limit: 1 }, { name: 'GET /a', limit: 2 }],
])(
  'the application does not start if %s have one name and different policies',
  async (_, one, other) => {
    const app = create()
    await app.register(rateLimit, times(9))
    app.get('/a', { config: { sluice: one } }, hello)
    app.get('/b', { config: { sluice: other } }, hello)
    await expect(app.ready()).rejects.toMatchObject({ code: 'SLUICE_NAME_TAKEN' })
  },
)

test.each([
  ['version', { version: '1.0.0' }, { version: '2.0.0' }, { 'accept-version': '1.0.0' }],
  ['host', { host: 'a.example' }, { host: /\.test$/ }, { host: 'a.example' }],
])('two routes of one pattern with another %s are two routes', async (_, one, other, headers) => {
  const app = create()
  await app.register(rateLimit, times(9))
  const config = { sluice: { limit: 1 } }
  app.get('/v', { constraints: one, config }, hello)
  app.get('/v', { constraints: other, config: { sluice: { limit: 2 } } }, hello)
  const others = { 'accept-version': '2.0.0', host: 'b.test' }
  const seen = []
  for (const sent of [headers, headers, others, others, others]) {
    seen.push((await app.inject({ url: '/v', headers: sent })).statusCode)
  }
  expect(seen).toEqual([200, 429, 200, 200, 429])
})

test('two registrations without a store count separately', async () => {
  const app = create()
  for (const limit of [1, 2]) {
    app.register(async (child) => {
      await child.register(rateLimit, times(9))
      child.get(`/${limit}`, { config: { sluice: { name: 'search', limit } } }, hello)
    })
  }
  expect(await statuses(await serve(app), 'GET /1', 'GET /1', 'GET /2', 'GET /2')).toEqual([
    200, 429, 200, 200,
  ])
})

import type { FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { byUser, memoryStore, rateLimit, SluiceError, type Hook } from '../src/index.js'
import { create, serve, statuses, times } from './apps.js'

declare module 'fastify' {
  interface FastifyRequest {
    user?: { readonly id: string }
  }
}

const hello = () => 'hello'
const hooks: Hook[] = ['onRequest', 'preParsing', 'preValidation', 'preHandler']

test.each(hooks)('the plugin limits at %s', async (hook) => {
  const app = create()
  const seen: string[] = []
  for (const name of hooks) {
    const note = async ({ rateLimit }: { rateLimit?: unknown }) => {
      if (rateLimit === undefined) seen.push(name)
    }
    // Each hook has its own type.
    const instance: { addHook(name: Hook, handler: object): unknown } = app
    instance.addHook(name, note)
  }
  await app.register(rateLimit, { ...times(1), hook })
  app.post('/', ({ body }) => body)
  const send = await serve(app)
  const json = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"a":1}',
  }
  const { status, body } = await send('/', json)
  expect([status, body]).toEqual([200, '{"a":1}'])
  expect(seen).toEqual(hooks.slice(0, hooks.indexOf(hook) + 1))
  expect((await send('/', json)).status).toBe(429)
})

test.each(hooks)('a limit can be placed at %s', async (hook) => {
  const app = create()
  await app.register(rateLimit, { global: false, ...times(9) })
  app.post('/', { [hook]: app.sluice({ limit: 1 }) }, ({ body }) => body)
  app.get('/', hello)
  const send = await serve(app)
  expect((await send('/', { method: 'POST', body: 'text' })).body).toBe('text')
  expect(await statuses(send, 'POST /', 'GET /')).toEqual([429, 200])
})

test.each(hooks)('at %s a request keeps its body if the key is a promise', async (hook) => {
  const app = create()
  await app.register(rateLimit, { ...times(1), hook, key: async () => 'all' })
  app.post('/', ({ body }) => body)
  const send = await serve(app)
  const { status, body } = await send('/', { method: 'POST', body: 'text' })
  expect([status, body]).toEqual([200, 'text'])
  expect((await send('/', { method: 'POST', body: 'text' })).status).toBe(429)
})

test('placed without options, it is the plugin’s own limiter', async () => {
  const app = create()
  await app.register(rateLimit, { global: false, ...times(2) })
  app.get('/a', { onRequest: app.sluice() }, hello)
  app.get('/b', { preHandler: [app.sluice()] }, hello)
  expect(await statuses(await serve(app), 'GET /a', 'GET /b', 'GET /a')).toEqual([200, 200, 429])
})

test('placed with options, it limits in addition to the plugin', async () => {
  const app = create()
  await app.register(rateLimit, times(3))
  app.get('/', { preHandler: app.sluice({ limit: 1 }) }, hello)
  app.get('/other', hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /', 'GET /other', 'GET /other')).toEqual([
    200, 429, 200, 429,
  ])
})

test('placed in a scope, it inherits the options of the nearest registration', async () => {
  const app = create()
  await app.register(rateLimit, { global: false, ...times(9) })
  app.register(async (child) => {
    await child.register(rateLimit, { global: false, ...times(1) })
    child.get('/', { onRequest: child.sluice({ name: 'child' }) }, hello)
  })
  expect(await statuses(await serve(app), 'GET /', 'GET /')).toEqual([200, 429])
})

test('placed with wrong options, it throws immediately', async () => {
  const app = create()
  await app.register(rateLimit, { global: false })
  expect(() => app.sluice()).toThrowError(SluiceError)
  expect(() => app.sluice({ limit: 1 })).toThrowError('"window" is missing')
  expect(() => app.sluice('5/1m' as never)).toThrowError('the options are the string')
})

test('placed twice in one store, it needs a name', async () => {
  const app = create()
  await app.register(rateLimit, { global: false, store: memoryStore(), ...times(1) })
  app.sluice()
  expect(() => app.sluice({ limit: 2 })).toThrowError('"name" is missing')
  expect(() => app.sluice({ limit: 2, name: 'mine' })).not.toThrow()
})

test('after authentication, each user is limited separately', async () => {
  const app = create()
  app.addHook('preValidation', async (request) => {
    request.user = { id: new URL(request.url, 'http://localhost').search }
  })
  await app.register(rateLimit, {
    ...times(1),
    hook: 'preHandler',
    key: byUser(({ user }: FastifyRequest) => user?.id as string),
  })
  app.get('/', hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /?ada', 'GET /?ada', 'GET /?bob')).toEqual([200, 429, 200])
})

test('before authentication, a user’s key is an error', async () => {
  const app = create()
  await app.register(rateLimit, {
    ...times(1),
    key: byUser(({ user }: FastifyRequest) => user?.id as string),
  })
  app.addHook('preHandler', async (request) => {
    request.user = { id: 'ada' }
  })
  app.get('/', hello)
  expect(await (await serve(app))()).toMatchObject({ status: 500, body: 'SLUICE_USER_MISSING' })
})

test.each(hooks)('a route that calls the 404 handler counts once (%s)', async (hook) => {
  const app = create()
  await app.register(rateLimit, { ...times(2), hook })
  app.get('/', (_request, reply) => reply.callNotFound())
  expect(await statuses(await serve(app), 'GET /', 'GET /x', 'GET /')).toEqual([404, 404, 429])
})

import { expect, test } from 'vitest'
import { memoryStore, rateLimit } from '../src/index.js'
import { create, serve, statuses, times } from './apps.js'

const hello = () => 'hello'

test('in a nested scope, the plugin limits that scope only', async () => {
  const app = create()
  app.register(async (child) => {
    child.register(rateLimit, times(1))
    child.get('/in', hello)
  })
  app.get('/out', hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /in', 'GET /in', 'GET /out', 'GET /x')).toEqual([
    200, 429, 200, 404,
  ])
  expect(app.hasDecorator('sluice')).toBe(false)
})

test('in an outer scope, it limits all nested scopes', async () => {
  const app = create()
  await app.register(rateLimit, times(2))
  app.register(async (child) => {
    child.get('/child', hello)
    child.register(async (grandchild) => grandchild.get('/grandchild', hello))
  })
  const send = await serve(app)
  expect(await statuses(send, 'GET /child', 'GET /grandchild', 'GET /child')).toEqual([
    200, 200, 429,
  ])
})

test.each([true, false])(
  'registered in an outer and a nested scope, the nearest registration applies (awaited: %s)',
  async (awaited) => {
    const app = create()
    await app.register(rateLimit, times(2))
    app.get('/', hello)
    app.register(async (child) => {
      const registered = child.register(rateLimit, times(3))
      if (awaited) await registered
      child.get('/child', hello)
      child.get('/own', { config: { sluice: { cost: 2 } } }, hello)
      child.register(async (grandchild) => grandchild.get('/grandchild', hello))
    })
    const send = await serve(app)
    expect((await send('/child')).headers['ratelimit']).toBe('"default";r=2;t=60')
    expect((await send('/grandchild')).headers['ratelimit']).toBe('"default";r=1;t=60')
    expect((await send('/own')).headers['ratelimit']).toBe('"GET /own";r=1;t=60')
    expect((await send('/')).headers['ratelimit']).toBe('"default";r=1;t=60')
  },
)

test('the outer registration makes no limiters for the routes of a nested one', async () => {
  const app = create()
  const store = memoryStore()
  await app.register(rateLimit, { global: false, store })
  app.register(async (child) => {
    child.register(rateLimit, { ...times(2), store, name: 'child' })
    child.get('/', { config: { sluice: { cost: 2 } } }, hello)
  })
  expect(await statuses(await serve(app), 'GET /', 'GET /')).toEqual([200, 429])
})

test('a nested registration with "global: false" replaces the outer limits', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.register(async (child) => {
    await child.register(rateLimit, { global: false })
    child.get('/', hello)
  })
  expect(await statuses(await serve(app), 'GET /', 'GET /')).toEqual([200, 200])
})

test('sibling scopes count separately', async () => {
  const app = create()
  for (const prefix of ['/a', '/b']) {
    app.register(
      async (child) => {
        await child.register(rateLimit, times(1))
        child.get('/', hello)
        child.setNotFoundHandler((_request, reply) => reply.code(404).send(prefix))
      },
      { prefix },
    )
  }
  const send = await serve(app)
  expect(await statuses(send, 'GET /a', 'GET /a/x', 'GET /b/x', 'GET /b')).toEqual([
    200, 429, 404, 429,
  ])
})

test('registered twice in one scope, Fastify refuses the second', async () => {
  const app = create()
  await app.register(rateLimit, times(5))
  await expect(app.register(rateLimit, times(2))).rejects.toMatchObject({
    code: 'FST_ERR_DEC_ALREADY_PRESENT',
  })
})

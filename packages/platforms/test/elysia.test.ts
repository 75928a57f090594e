import { Elysia } from 'elysia'
import { expect, test } from 'vitest'
import { concurrency, decisionOf, fixedWindow, rateLimit } from '../../fetch/src/elysia.js'

const get = (path = '/'): Request => new Request(`http://host${path}`)

function limitOf(limit: number, name: string): ReturnType<typeof rateLimit> {
  return rateLimit({ policies: fixedWindow({ limit, window: '1m' }), name, key: 'all' })
}

test('the plugin limits each request of Elysia, and writes the headers', async () => {
  const app = new Elysia().use(limitOf(3, 'all')).get('/', () => 'hello')
  const [first, missing, ...others] = [
    await app.handle(get()),
    await app.handle(get('/missing')),
    await app.handle(get()),
    await app.handle(get()),
  ]
  expect([await first.text(), first.headers.get('ratelimit')]).toEqual(['hello', '"all";r=2;t=60'])
  expect([missing.status, missing.headers.get('ratelimit')]).toEqual([404, '"all";r=1;t=60'])
  expect(others.map(({ status }) => status)).toEqual([200, 429])
})

test('the decision is known in a handler', async () => {
  const app = new Elysia()
    .use(limitOf(3, 'known'))
    .get('/', ({ request }) => `${decisionOf(request)?.remaining} left`)
  expect(await (await app.handle(get())).text()).toBe('2 left')
})

test('two plugins limit both, also beside a plugin of another application with one', async () => {
  const part = new Elysia().use(limitOf(9, 'third')).get('/part', () => 'part')
  const app = new Elysia()
    .use(limitOf(5, 'first'))
    .use(limitOf(2, 'second'))
    .use(part)
    .get('/', () => 'hello')
  const { headers } = await app.handle(get())
  const names = headers.get('ratelimit-policy')?.match(/"\w+"/g) ?? []
  expect(names.toSorted()).toEqual(['"first"', '"second"', '"third"'])
})

test('a response that onError makes counts by its status', async () => {
  const limit = rateLimit({
    policies: fixedWindow({ limit: 2, window: '1m' }),
    key: 'all',
    count: 'failures',
  })
  const app = new Elysia()
    .use(limit)
    .onError(({ path, set }) => {
      set.status = path === '/wrong' ? 422 : 200
      return 'handled'
    })
    .get('/wrong', () => {
      throw new Error('wrong')
    })
    .get('/', () => {
      throw new Error('right')
    })
  const statuses = [await app.handle(get('/wrong')), await app.handle(get())]
  expect(statuses.map(({ status }) => status)).toEqual([422, 200])
  await expect
    .poll(async () => (await limit.limiter.status('all')).policies['default'].used)
    .toBe(1)
})

test('a lease is held until a stream has been read', async () => {
  const limit = rateLimit({ policies: concurrency({ limit: 1, lease: '10s' }), key: 'all' })
  const app = new Elysia()
    .use(limit)
    .get('/', () => new Response(new Blob(['one', 'two']).stream()))
  const response = await app.handle(get())
  expect((await app.handle(get())).status).toBe(429)
  expect(await response.text()).toBe('onetwo')
  await expect.poll(async () => (await app.handle(get())).status).toBe(200)
})

test('without a server, a request without an address fails', async () => {
  const app = new Elysia().use(rateLimit({ limit: 3, window: '1m' })).get('/', () => 'hello')
  await expect(app.handle(get())).rejects.toMatchObject({ code: 'SLUICE_ADDRESS_MISSING' })
})

test('an application that Elysia does not compile is refused, because it would ignore the plugin', () => {
  expect(() => new Elysia({ aot: false }).use(limitOf(3, 'dynamic'))).toThrow(
    expect.objectContaining({
      code: 'SLUICE_OPTION_INVALID',
      message: expect.stringContaining('new Elysia: "aot" is false'),
    }),
  )
})

import { setImmediate } from 'node:timers/promises'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rateLimit, type Hook, type RateLimit } from '../src/index.js'
import { create, serve, statuses, times } from './apps.js'

const hello = () => 'hello'
const hooks: Hook[] = ['onRequest', 'preParsing', 'preValidation', 'preHandler']

/** The codes of process warnings from now on. */
function warnings(): unknown[] {
  const codes: unknown[] = []
  const warned = (warning: object) => void codes.push(Reflect.get(warning, 'code'))
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  return codes
}

test.each(hooks)(
  'a request without a route counts once if the 404 handler has the limit as well (%s)',
  async (hook) => {
    const codes = warnings()
    const app = create()
    await app.register(rateLimit, { ...times(2), hook })
    app.setNotFoundHandler({ preHandler: app.sluice() }, (_request, reply) =>
      reply.code(404).send('none'),
    )
    app.get('/', hello)
    app.get('/none', (_request, reply) => reply.callNotFound())
    const send = await serve(app)
    expect((await send('/x')).headers['ratelimit']).toBe('"default";r=1;t=60')
    expect(await statuses(send, 'GET /none', 'GET /x', 'GET /')).toEqual([404, 429, 429])
    await setImmediate()
    expect(codes).toEqual([])
  },
)

test('with "global: false" it counts once', async () => {
  const app = create()
  await app.register(rateLimit, { ...times(1), global: false })
  app.setNotFoundHandler({ preHandler: app.sluice() }, (_request, reply) =>
    reply.code(404).send('none'),
  )
  app.get('/', hello)
  expect(await statuses(await serve(app), 'GET /x', 'GET /x', 'GET /')).toEqual([404, 429, 200])
})

test('a limit that is placed several times counts a request once', async () => {
  const app = create()
  await app.register(rateLimit, times(9))
  const own = app.sluice({ limit: 2 })
  app.addHook('onRequest', own)
  app.addHook('onRequest', app.sluice())
  app.get('/', { preHandler: [own, own, app.sluice()] }, ({ rateLimit }) => ({ rateLimit }))
  const send = await serve(app)
  expect(JSON.parse((await send('/')).body)).toMatchObject({ rateLimit: { remaining: 8 } })
  expect(await statuses(send, 'GET /', 'GET /')).toEqual([200, 429])
})

test('a route can declare a placed limit, alone or in a list', async () => {
  const app = create()
  await app.register(rateLimit, times(9))
  const shared = app.sluice({ limit: 2 })
  app.get('/a', { config: { sluice: shared } }, hello)
  app.get('/b', { config: { sluice: [shared, { limit: 1 }] } }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /a', 'GET /b', 'GET /a', 'GET /b')).toEqual([200, 200, 429, 429])
})

test('a placed limit in the config of a route replaces the common limit', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.get('/a', { config: { sluice: app.sluice({ limit: 2 }) } }, hello)
  app.get('/b', { config: { sluice: app.sluice() } }, hello)
  app.get('/c', hello)
  expect(
    await statuses(await serve(app), 'GET /a', 'GET /a', 'GET /a', 'GET /b', 'GET /c'),
  ).toEqual([200, 200, 429, 200, 429])
})

test.each<[string, unknown]>([
  ['a handler', () => {}],
  ['a number', 5],
  ['a list of handlers', [() => {}]],
])(
  'a route that declares %s as its limit is refused at the start of the application',
  async (_, wrong) => {
    const app = create()
    await app.register(rateLimit, times(9))
    app.get('/', { config: { sluice: wrong as false } }, hello)
    await expect(app.ready()).rejects.toMatchObject({ code: 'SLUICE_OPTIONS_INVALID' })
  },
)

/** The module as in a new process, because each warning is emitted once per process. */
async function anew(): Promise<{ rateLimit: typeof rateLimit; RateLimit: typeof RateLimit }> {
  vi.resetModules()
  return import('../src/index.js')
}

test('a limit that is made before the start of the application causes no warning, however early the first request is', async () => {
  const { rateLimit } = await anew()
  const codes = warnings()
  const app = create()
  await app.register(rateLimit, times(9))
  app.get('/a', { onRequest: app.sluice() }, hello)
  app.get('/b', { onRequest: app.sluice({ limit: 1 }) }, hello)
  app.get('/c', { config: { sluice: { limit: 1 } } }, hello)
  for (const url of ['/a', '/b', '/c']) expect((await app.inject(url)).statusCode).toBe(200)
  await setImmediate()
  expect(codes).toEqual([])
})

test('a decorated method causes no warning either', async () => {
  const { RateLimit } = await anew()
  const codes = warnings()
  class Reports {
    @RateLimit(times(1))
    read(): string {
      return 'hello'
    }
  }
  const reports = new Reports()
  const app = create()
  app.get('/', (...call) => Reflect.apply(reports.read, reports, call))
  expect((await app.inject('/')).statusCode).toBe(200)
  await setImmediate()
  expect(codes).toEqual([])
})

test('a limit that a request handler makes causes a warning', async () => {
  const { rateLimit } = await anew()
  const codes = warnings()
  const app = create()
  await app.register(rateLimit, { ...times(9), global: false })
  app.get('/', async (request, reply) => {
    await Reflect.apply(app.sluice({ limit: 1 }), app, [request, reply])
    return 'hello'
  })
  for (const _ of [1, 2]) expect((await app.inject('/')).statusCode).toBe(200)
  await setImmediate()
  expect(codes).toEqual(['SLUICE_MADE_IN_HANDLER'])
})

import { EventEmitter, once } from 'node:events'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { concurrency, rateLimit, type Decision, type OnDenied } from '../src/index.js'
import { create, serve, statuses, times, type Send } from './apps.js'

const broken = () => {
  throw new Error('broken')
}

/** A server that denies every request, and records the requests that continue. */
async function denying(
  onDenied: OnDenied,
  register: (app: ReturnType<typeof create>) => unknown = () => {},
): Promise<{ send: Send; reached: string[] }> {
  const reached: string[] = []
  const app = create()
  register(app)
  await app.register(rateLimit, { ...times(0), onDenied })
  app.get('*', ({ url, rateLimit }) => {
    reached.push(url)
    return `allowed: ${rateLimit?.allowed}`
  })
  return { send: await serve(app), reached }
}

test('a denial is a problem of exactly this type, with all headers', async () => {
  const app = create()
  await app.register(rateLimit, times(0))
  const { status, headers, body } = await (await serve(app))()
  expect(status).toBe(429)
  expect(headers).toMatchObject({
    'content-type': 'application/problem+json',
    'content-length': `${body.length}`,
    'retry-after': '1',
    'ratelimit-policy': '"default";q=0;w=60',
    ratelimit: '"default";r=0',
  })
  expect(JSON.parse(body)).toMatchObject({ status: 429, 'violated-policies': ['default'] })
})

test.each([
  [{ a: 'ä' }, 'application/json', '{"a":"ä"}'],
  ['{"a":1}', 'text/plain; charset=utf-8', '{"a":1}'],
  ['', 'text/plain; charset=utf-8', ''],
])('the body %j is sent unchanged, as %s', async (given, type, sent) => {
  const app = create()
  app.setReplySerializer(() => 'serialized')
  app.addHook('preSerialization', async () => 'serialized')
  await app.register(rateLimit, { ...times(0), statusCode: 503, body: given })
  const { status, headers, body } = await (await serve(app))()
  expect([status, headers['content-type'], body]).toEqual([503, type, sent])
})

test('onSend hooks receive the body of a denial as text', async () => {
  const app = create()
  app.addHook(
    'onSend',
    async (_request, _reply, payload) => `${typeof payload}: ${String(payload)}`,
  )
  await app.register(rateLimit, { ...times(0), body: 'slow down' })
  expect((await (await serve(app))()).body).toBe('string: slow down')
})

test('HEAD receives the headers only', async () => {
  const app = create()
  await app.register(rateLimit, times(0))
  app.get('/', () => 'hello')
  const { status, headers, body } = await (await serve(app))('/', { method: 'HEAD' })
  expect([status, headers['retry-after'], body]).toEqual([429, '1', ''])
  expect(headers['content-type']).toBe('application/problem+json')
})

test.each<[string, unknown]>([
  ['that throws', broken],
  ['that rejects', async () => broken()],
])('an error of a key function %s reaches the error handler', async (_, key) => {
  const app = create()
  await app.register(rateLimit, { ...times(1), key: key as () => string })
  app.get('/', () => 'hello')
  expect(await (await serve(app))()).toMatchObject({ status: 500, body: 'Error: broken' })
})

test.each([undefined, null, 0, ''])(
  'a key function that throws %j allows no request',
  async (thrown) => {
    const app = create()
    await app.register(rateLimit, {
      ...times(1),
      key: () => {
        // oxlint-disable-next-line typescript/only-throw-error
        throw thrown
      },
    })
    app.get('/', () => 'hello')
    expect((await (await serve(app))()).status).toBe(500)
  },
)

test('a handler of denials sends its response, with the headers set', async () => {
  const seen: Decision[] = []
  const { send, reached } = await denying((request, reply, decision) => {
    seen.push(decision)
    reply.code(429).send({ not: request.url })
  })
  const { status, headers, body } = await send('/now')
  expect([status, body, reached]).toEqual([429, '{"not":"/now"}', []])
  expect(headers).toMatchObject({ 'retry-after': '1', 'ratelimit-policy': '"default";q=0;w=60' })
  expect(seen.map(({ deniedBy }) => deniedBy)).toEqual([['default']])
})

const answers: [string, OnDenied][] = [
  ['sends', (_request, reply) => void reply.send('no')],
  ['sends later', async (_request, reply) => void (await sleep(1), reply.send('no'))],
  ['sends and returns the reply', (_request, reply) => reply.send('no')],
  ['promises the reply', async (_request, reply) => reply.send('no')],
  ['returns a payload', () => 'no'],
  ['promises a payload', async () => 'no'],
  ['sends a stream', (_request, reply) => void reply.send(Readable.from(['n', 'o']))],
  ['returns a stream', () => Readable.from(['n', 'o'])],
  [
    'returns the reply and sends later',
    (_request, reply) => (setTimeout(() => void reply.send('no'), 1), reply),
  ],
  ['takes over', (_request, reply) => void reply.hijack().raw.end('no')],
  ['writes by itself', (_request, reply) => void reply.raw.end('no')],
]

test.each(answers)('the response of a handler of denials that %s is sent', async (_, onDenied) => {
  const { send, reached } = await denying(onDenied)
  expect((await send()).body).toBe('no')
  await sleep(5)
  expect(reached).toEqual([])
})

test.each(answers.slice(0, 9))(
  'the response of a handler of denials that %s is sent, even after a slow onSend hook',
  async (_, onDenied) => {
    const { send, reached } = await denying(onDenied, (app) => {
      app.addHook('onSend', async () => sleep(5))
    })
    expect((await send()).body).toBe('no')
    await sleep(5)
    expect(reached).toEqual([])
  },
)

test.each<[string, OnDenied]>([
  ['says true', () => true],
  ['promises true', async () => true],
])('a request continues if a handler of denials %s', async (_, onDenied) => {
  const { send, reached } = await denying(onDenied)
  const { status, body, headers } = await send('/a')
  expect([status, body, reached]).toEqual([200, 'allowed: false', ['/a']])
  expect('retry-after' in headers).toBe(false)
})

test.each<[string, OnDenied]>([
  ['throws', broken],
  ['rejects', async () => broken()],
])('an error that a handler of denials %s reaches the error handler', async (_, onDenied) => {
  const { send, reached } = await denying(onDenied)
  expect(await send()).toMatchObject({ status: 500, body: 'Error: broken' })
  expect(reached).toEqual([])
})

test.each<[string, OnDenied | undefined]>([
  ['the plugin', undefined],
  ['a handler', (_request, reply) => reply.code(429).send('no')],
  ['a handler that takes its time', (_request, reply) => reply],
])('no handler runs if a client disconnects before the response of %s', async (_, onDenied) => {
  let gone: Promise<unknown> | undefined
  const leaving = new AbortController()
  const reached: string[] = []
  const app = create()
  app.addHook('onRequest', async (_request, reply) => {
    gone = once(reply.raw, 'close')
    leaving.abort()
  })
  app.addHook('onSend', async () => void (await gone))
  await app.register(rateLimit, { ...times(0), ...(onDenied && { onDenied }) })
  app.get('/', ({ url }) => {
    reached.push(url)
    return 'hello'
  })
  const send = await serve(app)
  await expect(send('/', { signal: leaving.signal })).rejects.toThrow()
  await gone
  await sleep(5)
  expect(reached).toEqual([])
})

const early: [string, (request: FastifyRequest, reply: FastifyReply) => unknown][] = [
  ['sent', (_request, reply) => reply.send('early')],
  ['hijacked', (_request, reply) => void reply.hijack().raw.end('early')],
  ['written', (_request, reply) => void reply.raw.writeHead(200).end('early')],
  [
    'begun',
    (_request, reply) => void (reply.raw.write('ear'), setTimeout(() => reply.raw.end('ly'), 1)),
  ],
]

test.each(early)('writes nothing if the reply was %s before', async (_, answer) => {
  const reached: string[] = []
  const app = create()
  app.addHook('onRequest', async (request, reply) => answer(request, reply))
  await app.register(rateLimit, times(0))
  app.get('/', () => void reached.push('/'))
  const { status, headers, body } = await (await serve(app))()
  expect([status, body, reached]).toEqual([200, 'early', []])
  expect(Object.keys(headers)).not.toContain('retry-after')
})

test('a response that is sent in the meantime is not overwritten', async () => {
  const app = create()
  app.addHook('onRequest', async (_request, reply) => {
    setTimeout(() => void reply.code(503).send('meanwhile'), 1)
  })
  await app.register(rateLimit, { ...times(0), key: async () => sleep(10, 'all') })
  const { status, body } = await (await serve(app))()
  expect([status, body]).toEqual([503, 'meanwhile'])
})

test('an error of a handler has the headers and its own status', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.get('/', broken)
  const { status, headers } = await (await serve(app))()
  expect([status, headers['ratelimit']]).toEqual([500, '"default";r=0;t=60'])
})

test('requests by inject are limited, and their leases are released at the end of the responses', async () => {
  const app = create()
  const policy = concurrency({ limit: 1, lease: '1m' })
  await app.register(rateLimit, { policies: policy, key: 'all', releaseOn: 'close' })
  const arrivals = new EventEmitter()
  app.get('/', () => 'hello')
  app.get('/open', (_request, reply) => void arrivals.emit('open', reply))
  const statusOf = async (url: string) => (await app.inject(url)).statusCode

  const opened = once(arrivals, 'open')
  const answer = statusOf('/open')
  const [reply] = await opened
  expect(await statusOf('/')).toBe(429)
  reply.send('done')
  expect([await answer, await statusOf('/'), await statusOf('/')]).toEqual([200, 200, 200])

  const openedAgain = once(arrivals, 'open')
  const leaving = new AbortController()
  const left = app.inject({ url: '/open', signal: leaving.signal })
  await openedAgain
  expect(await statusOf('/')).toBe(429)
  leaving.abort()
  await expect(left).rejects.toThrow()
  expect(await statusOf('/')).toBe(200)
})

test('the address from a proxy is used only if the application trusts it', async () => {
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } })
  const wary = create()
  await wary.register(rateLimit, times(1))
  wary.get('/', () => 'hello')
  const sendWary = await serve(wary)
  expect((await sendWary('/', from('192.0.2.1'))).status).toBe(200)
  expect((await sendWary('/', from('192.0.2.2'))).status).toBe(429)

  const trusting = create({ trustProxy: '127.0.0.1' })
  await trusting.register(rateLimit, times(1))
  trusting.get('/', () => 'hello')
  const send = await serve(trusting)
  const answered = []
  for (const address of [
    '192.0.2.1',
    '192.0.2.2',
    '::ffff:192.0.2.2',
    '2001:db8::1',
    '2001:db8::9',
  ]) {
    answered.push((await send('/', from(address))).status)
  }
  expect(answered).toEqual([200, 200, 429, 200, 429])
  expect(await statuses(send, 'GET /')).toEqual([200])
})

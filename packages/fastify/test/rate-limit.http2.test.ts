import { once } from 'node:events'
import { connect, type ClientHttp2Session, type IncomingHttpHeaders } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { concurrency, rateLimit } from '../src/index.js'
import { times } from './apps.js'

function http2App() {
  const app = fastify({ http2: true })
  onTestFinished(async () => {
    await app.close()
  })
  return app
}

async function sessionOf(app: ReturnType<typeof http2App>): Promise<ClientHttp2Session> {
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const session = connect(`http://127.0.0.1:${port}`)
  onTestFinished(async () => session.destroy())
  return session
}

async function get(
  session: ClientHttp2Session,
  path: string,
): Promise<{ headers: IncomingHttpHeaders & { ':status'?: number }; body: string }> {
  const stream = session.request({ ':path': path })
  const [headers] = await once(stream, 'response')
  return { headers, body: await text(stream) }
}

test('HTTP/2 is limited like HTTP/1', async () => {
  const app = http2App()
  await app.register(rateLimit, times(1))
  app.get('/', () => 'hello')
  app.get('/own', { onRequest: app.sluice(times(2)) }, () => 'own')
  const session = await sessionOf(app)
  const first = await get(session, '/')
  expect([first.headers[':status'], first.headers['ratelimit'], first.body]).toEqual([
    200,
    '"default";r=0;t=60',
    'hello',
  ])
  const { headers, body } = await get(session, '/')
  expect(headers).toMatchObject({
    ':status': 429,
    'content-type': 'application/problem+json',
    'retry-after': '60',
  })
  expect(JSON.parse(body)).toMatchObject({ status: 429 })
})

test('a lease with releaseOn "close" is released with its stream, however the stream ends', async () => {
  const app = http2App()
  const policy = concurrency({ limit: 1, lease: '1m' })
  await app.register(rateLimit, { policies: policy, key: 'all', releaseOn: 'close' })
  app.get('/', () => 'hello')
  let arrived: (() => void) | undefined
  const ended: Promise<unknown>[] = []
  app.get('/open', (_request, reply) => {
    ended.push(once(reply.raw, 'close'))
    arrived?.()
    return reply
  })
  const session = await sessionOf(app)
  const there = new Promise<void>((resolve) => {
    arrived = resolve
  })
  const stream = session.request({ ':path': '/open' })
  await there
  expect((await get(session, '/')).headers[':status']).toBe(429)
  stream.destroy()
  await Promise.all(ended)
  expect((await get(session, '/')).headers[':status']).toBe(200)
  expect((await get(session, '/')).headers[':status']).toBe(200)
})

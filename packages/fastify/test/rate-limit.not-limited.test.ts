import { once } from 'node:events'
import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, test } from 'vitest'
import { rateLimit } from '../src/index.js'
import { create, serve, statuses, times } from './apps.js'

const hello = () => 'hello'

test('URLs that Fastify refuses are not limited', async () => {
  const app = create({ routerOptions: { maxParamLength: 5 } })
  await app.register(rateLimit, times(1))
  app.get('/:id', hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /%E0%A4%A', 'GET /%E0%A4%A')).toEqual([400, 400])
  expect(await statuses(send, 'GET /too-long', 'GET /too-long')).toEqual([414, 414])
  expect(await statuses(send, 'GET /a', 'GET /b')).toEqual([200, 429])
})

test('WebSocket upgrades that a listener of the server accepts are not limited', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.get('/', hello)
  app.server.on('upgrade', (_request, socket) => {
    socket.end(
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
    )
  })
  const send = await serve(app)
  const { port } = app.server.address() as AddressInfo
  const headers = { connection: 'Upgrade', upgrade: 'websocket' }
  for (const _ of [1, 2, 3]) {
    const asked = request({ host: '127.0.0.1', port, headers }).end()
    const [{ statusCode }, socket] = await once(asked, 'upgrade')
    expect(statusCode).toBe(101)
    socket.destroy()
  }
  expect(await statuses(send, 'GET /', 'GET /')).toEqual([200, 429])
})

test('a CORS preflight counts, unless a hook sends its response', async () => {
  const app = create()
  await app.register(rateLimit, times(1))
  app.options('/', (_request, reply) => reply.code(204).send())
  expect(await statuses(await serve(app), 'OPTIONS /', 'OPTIONS /')).toEqual([204, 429])

  const answering = create()
  await answering.register(rateLimit, times(1))
  answering.addHook('onRequest', async ({ method }, reply) => {
    if (method === 'OPTIONS') return reply.code(204).send()
    return undefined
  })
  answering.options('/', hello)
  answering.get('/', hello)
  expect(
    await statuses(await serve(answering), 'OPTIONS /', 'OPTIONS /', 'GET /', 'GET /'),
  ).toEqual([204, 204, 200, 429])
})

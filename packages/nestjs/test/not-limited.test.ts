import { once as event } from 'node:events'
import { request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controller, Get } from '@nestjs/common'
import { describe, expect, test } from 'vitest'
import { RateLimitModule } from '../src/index.js'
import { create, decorate, listen, once, platforms, statuses } from './apps.js'

class Hello {
  hello() {
    return 'hello'
  }
}
decorate(Hello, [Controller()], { hello: [Get()] })

const preflight = {
  method: 'OPTIONS',
  headers: { origin: 'http://a.test', 'access-control-request-method': 'GET' },
}

describe.each(platforms)('%s', (_, adapter) => {
  const app = async () =>
    create(adapter(), { imports: [RateLimitModule.forRoot(once)], controllers: [Hello] })

  test('does not limit a request without a route', async () => {
    const ask = await listen(await app())
    expect(await statuses(ask, '/x', 3)).toEqual([404, 404, 404])
    expect((await ask('/', preflight)).status).toBe(404)
    expect(await statuses(ask, '/', 2)).toEqual([200, 429])
  })

  test('does not limit a CORS preflight that the platform responds to', async () => {
    const application = await app()
    application.enableCors()
    const ask = await listen(application)
    for (const _ of [1, 2]) expect((await ask('/', preflight)).status).toBe(204)
    expect(await statuses(ask, '/', 2)).toEqual([200, 429])
  })

  test('does not limit a WebSocket upgrade that a listener of the server accepts', async () => {
    const application = await app()
    const ask = await listen(application)
    const server: Server = application.getHttpServer()
    server.on('upgrade', (_request, socket) => {
      socket.end(
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n',
      )
    })
    const { port } = server.address() as AddressInfo
    const headers = { connection: 'Upgrade', upgrade: 'websocket' }
    for (const _ of [1, 2]) {
      const [{ statusCode }, socket] = await event(
        request({ host: '127.0.0.1', port, headers }).end(),
        'upgrade',
      )
      expect(statusCode).toBe(101)
      socket.destroy()
    }
    expect(await statuses(ask, '/', 2)).toEqual([200, 429])
  })
})

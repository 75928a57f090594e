import { once as event } from 'node:events'
import { request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controller, Get } from '@nestjs/common'
import { Query, Resolver } from '@nestjs/graphql'
import { describe, expect, test } from 'vitest'
import { RateLimitModule } from '../src/index.js'
import { create, decorate, listen, once, platforms, statuses } from './apps.js'
import { drivers, serveQueries, serving } from './graphql-apps.js'

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

describe.each(drivers)('%s', (_, adapter, options) => {
  test('does not limit an operation that calls no resolver', async () => {
    class Items {
      one() {
        return 'one'
      }
    }
    decorate(Items, [Resolver()], { one: [Query('one')] })
    const query = await serveQueries(
      adapter(),
      serving({ ...options, introspection: true }, 'type Query { one: String }', {
        imports: [RateLimitModule.forRoot(once)],
        providers: [Items],
      }),
    )
    for (const operation of ['{ __schema { types { name } } }', '{ __typename }', '{ nope }']) {
      expect((await query(operation)).headers.has('ratelimit')).toBe(false)
    }
    expect((await query('{ one }')).data).toEqual({ one: 'one' })
    expect(Object.keys((await query('{ one }')).errors)).toEqual(['one'])
  })
})

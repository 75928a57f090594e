import { request as send, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  Catch,
  Controller,
  Get,
  HttpException,
  Logger,
  Req,
  type ArgumentsHost,
  type ExceptionFilter,
} from '@nestjs/common'
import { BaseExceptionFilter, ModulesContainer } from '@nestjs/core'
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  byIp,
  byRoute,
  RateLimit,
  RateLimitException,
  RateLimitGuard,
  RateLimitModule,
  type NestRequest,
  type RateLimitOptions,
  type RequestView,
} from '../src/index.js'
import { create, decorate, listen, once, platforms, serve, statuses } from './apps.js'

class Items {
  get() {
    return 'an item'
  }
}
decorate(Items, [Controller('items')], { get: [Get(':id')] })

const under = (options: RateLimitOptions) => ({
  imports: [RateLimitModule.forRoot(options)],
  controllers: [Items],
})

afterEach(() => vi.restoreAllMocks())

describe.each(platforms)('%s', (_, adapter) => {
  test('throws an exception that filters of the application can catch', async () => {
    const caught: unknown[] = []
    class Filter implements ExceptionFilter<RateLimitException> {
      catch(exception: RateLimitException, host: ArgumentsHost) {
        caught.push(exception)
        const { decision } = exception
        const response = host.switchToHttp().getResponse()
        response.status(418).send({ own: true, retryAfterMs: decision?.retryAfterMs })
      }
    }
    Catch(RateLimitException)(Filter)
    const app = await create(adapter(), under(once))
    app.useGlobalFilters(new Filter())
    const ask = await listen(app)
    await ask('/items/1')
    const { status, headers, text } = await ask('/items/1')
    expect([status, text]).toEqual([418, '{"own":true,"retryAfterMs":60000}'])
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(headers.get('retry-after')).toBe('60')
    expect(caught.map((error) => [error instanceof HttpException, String(error)])).toEqual([
      [true, 'RateLimitException: Too many requests'],
    ])
  })

  test.each([
    ['a problem', undefined, { title: 'Forbidden', status: 403 }],
    ['text', 'text/plain', 'Forbidden\n'],
  ])('a filter that sends every exception as JSON receives %s', async (_form, accept, sent) => {
    class Filter implements ExceptionFilter<HttpException> {
      catch(exception: HttpException, host: ArgumentsHost) {
        const response = host.switchToHttp().getResponse()
        response.status(exception.getStatus()).send({ error: exception.getResponse() })
      }
    }
    Catch(HttpException)(Filter)
    const app = await create(adapter(), under({ ...once, deny: ['127.0.0.1'] }))
    app.useGlobalFilters(new Filter())
    const ask = await listen(app)
    const { status, text } = await ask('/items/1', accept ? { headers: { accept } } : {})
    expect([status, JSON.parse(text)]).toEqual([403, { error: sent }])
  })

  test.each([
    ['a problem', undefined, { message: 'Forbidden', title: 'Forbidden', status: 403 }],
    ['text', 'text/plain', { message: 'Forbidden' }],
  ])(
    'a filter that copies the response of every exception receives %s',
    async (_form, accept, sent) => {
      class Filter implements ExceptionFilter<HttpException> {
        catch(exception: HttpException, host: ArgumentsHost) {
          const body = exception.getResponse()
          const response = host.switchToHttp().getResponse()
          response.status(exception.getStatus()).send({ ...Object(body), path: '/items' })
        }
      }
      Catch(HttpException)(Filter)
      const app = await create(adapter(), under({ ...once, deny: ['127.0.0.1'] }))
      app.useGlobalFilters(new Filter())
      const ask = await listen(app)
      const { text } = await ask('/items/1', accept ? { headers: { accept } } : {})
      expect(JSON.parse(text)).toEqual({ ...sent, path: '/items' })
    },
  )

  test('a filter can tell a client that disconnects while it waits', async () => {
    const caught: unknown[] = []
    class Filter implements ExceptionFilter<RateLimitException> {
      catch(exception: RateLimitException, host: ArgumentsHost) {
        caught.push([exception.getStatus(), exception.message, exception.extensions.code])
        host.switchToHttp().getResponse().send()
      }
    }
    Catch(RateLimitException)(Filter)
    const skip = vi.fn(() => false)
    const app = await create(
      adapter(),
      under({ limit: 1, window: '1m', skip, wait: { max: '2m' } }),
    )
    app.useGlobalFilters(new Filter())
    const ask = await listen(app)
    onTestFinished(() => app.getHttpServer().closeAllConnections())
    await ask('/items/1')
    const leaving = new AbortController()
    const gone = ask('/items/1', { signal: leaving.signal })
    await vi.waitFor(() => expect(skip).toHaveBeenCalledTimes(2))
    leaving.abort()
    await expect(gone).rejects.toThrow()
    await vi.waitFor(() =>
      expect(caught).toEqual([[499, 'Client Closed Request', 'CLIENT_CLOSED_REQUEST']]),
    )
  })

  test('a handler of denials can throw its own exception', async () => {
    const onDenied: RateLimitOptions['onDenied'] = (context, { limit }) => {
      throw new HttpException({ handler: context.getHandler().name, limit }, 402)
    }
    const ask = await serve(adapter(), under({ ...once, limit: 0, onDenied }))
    const { status, headers, text } = await ask('/items/1')
    expect([status, text]).toEqual([402, '{"handler":"get","limit":0}'])
    expect(headers.get('retry-after')).toBe('1')
  })

  test('a handler of denials can let the request continue', async () => {
    class Degraded {
      get(request: NestRequest) {
        return { allowed: request.rateLimit?.allowed }
      }
    }
    const onDenied = async () => true
    decorate(Degraded, [Controller()], {
      get: [Get(), RateLimit({ ...once, limit: 0, onDenied })],
    })
    Req()(Degraded.prototype, 'get', 0)
    const ask = await serve(adapter(), { controllers: [Degraded] })
    const { status, text } = await ask('/')
    expect([status, text]).toEqual([200, '{"allowed":false}'])
  })

  test('Nest sends a 403 if a handler of denials returns false', async () => {
    const onDenied = () => false
    const ask = await serve(adapter(), under({ ...once, limit: 0, onDenied }))
    expect(await statuses(ask, '/items/1', 1)).toEqual([403])
  })

  test('allows every request in a dry run', async () => {
    const ask = await serve(adapter(), under({ ...once, limit: 0, dryRun: true, headers: 'draft' }))
    const { status, headers } = await ask('/items/1')
    expect([status, headers.get('ratelimit')]).toEqual([200, '"default";r=0'])
  })

  test('passes the request of the platform to the functions of the application', async () => {
    const seen: unknown[] = []
    const key = (request: NestRequest, view: RequestView<NestRequest>) => {
      const { method, url, ip, headers } = request
      seen.push([method, url, ip, headers['x-user']])
      seen.push([view.method, view.address, view.peer, view.route, view.raw === request])
      return 'all'
    }
    const app = await create(adapter(), under({ ...once, key }))
    app.setGlobalPrefix('api')
    const ask = await listen(app)
    await ask('/api/items/1?a=b', { headers: { 'x-user': 'ada' } })
    expect(seen).toEqual([
      ['GET', '/api/items/1?a=b', '127.0.0.1', 'ada'],
      ['GET', '127.0.0.1', '127.0.0.1', '/api/items/:id', true],
    ])
  })

  test('counts by the pattern of the route', async () => {
    const ask = await serve(adapter(), under({ ...once, key: byRoute() }))
    expect(await statuses(ask, '/items/1', 1)).toEqual([200])
    expect(await statuses(ask, '/items/2', 1)).toEqual([429])
  })

  test('trusts as many proxies as the platform', async () => {
    const ask = await serve(adapter(1), under({ ...once, key: byIp() }))
    const from = async (forwarded: string) => {
      const { status } = await ask('/items/1', { headers: { 'x-forwarded-for': forwarded } })
      return status
    }
    expect(await from('192.0.2.1')).toBe(200)
    expect(await from('192.0.2.2')).toBe(200)
    expect(await from('198.51.100.1, 192.0.2.1')).toBe(429)
  })

  test.each([
    [true, true],
    [1, false],
    [undefined, false],
  ])('finds whether every proxy is trusted: %s', async (trust, expected) => {
    const seen: boolean[] = []
    const key = (_request: unknown, view: RequestView<unknown>) => {
      seen.push(view.trustsEveryProxy)
      return 'all'
    }
    const ask = await serve(adapter(trust), under({ ...once, key }))
    await ask('/items/1', { headers: { 'x-forwarded-for': '192.0.2.1' } })
    expect(seen).toEqual([expected])
  })

  test('does not change a response that was begun before the denial', async () => {
    const app = await create(adapter(), under({ ...once, limit: 0 }))
    app.use((_request: unknown, response: ServerResponse, next: () => void) => {
      response.write('begun, ')
      setTimeout(() => response.end('ended'), 20)
      next()
    })
    const { status, text } = await (await listen(app))('/items/1')
    expect([status, text]).toEqual([200, 'begun, ended'])
  })

  test('reports nothing about clients that disconnect while they wait', async () => {
    const said = vi.spyOn(Logger.prototype, 'error')
    const answered = vi.spyOn(BaseExceptionFilter.prototype, 'catch')
    const skip = vi.fn(() => false)
    const app = await create(
      adapter(),
      under({ ...once, skip, wait: { max: '1h' }, clock: Date.now }),
    )
    const ask = await listen(app)
    await ask('/items/1')
    const request = send(`${await app.getUrl()}/items/2`).end()
    request.on('error', () => {})
    await vi.waitFor(() => expect(skip).toHaveBeenCalledTimes(2))
    request.destroy()
    await vi.waitFor(() => expect(answered).toHaveBeenCalledTimes(1))
    expect(answered.mock.calls[0][0]).toHaveProperty('status', 499)
    await sleep(20)
    expect(said.mock.calls).toEqual([])
  })

  test('a transport of another package is limited only by a decorator', async () => {
    const guard = new RateLimitGuard(new ModulesContainer(), { ...once, limit: 0 })
    class Bot {
      start() {}
      stop() {}
    }
    decorate(Bot, [], { stop: [RateLimit({ key: 'all' })] })
    const call = (method: () => void) => {
      const context = new ExecutionContextHost([{}], Bot, method)
      context.setType('telegraf')
      return guard.canActivate(context)
    }
    expect(await call(Bot.prototype.start)).toBe(true)
    await expect(async () => call(Bot.prototype.stop)).rejects.toThrow(RateLimitException)
  })
})

import {
  Catch,
  Controller,
  Get,
  Logger,
  Module,
  UseFilters,
  UseGuards,
  type ModuleMetadata,
  type RpcExceptionFilter,
} from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import {
  ClientProxyFactory,
  EventPattern,
  MessagePattern,
  RpcException,
  Transport,
  type ClientProxy,
} from '@nestjs/microservices'
import { createServer } from 'node:net'
import { lastValueFrom, throwError } from 'rxjs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  byIp,
  byRoute,
  byUser,
  concurrency,
  fixedWindow,
  RateLimit,
  RateLimitDecision,
  RateLimitGuard,
  RateLimitModule,
  SkipRateLimit,
  type Decision,
  type NestCall,
  type RateLimitOptions,
} from '../src/index.js'
import { codeOf, counted, create, decorate, once, platforms } from './apps.js'

/** Counts by the sender that a message names. */
const keyed: RateLimitOptions<NestCall<unknown, { from: string }>> = {
  ...once,
  key: byUser(({ data }) => data?.from),
}

/** A controller that answers the messages "one" and "two". */
function service(
  above: ClassDecorator[],
  { one = [], two = [] }: { one?: MethodDecorator[]; two?: MethodDecorator[] } = {},
) {
  class Sums {
    one(..._args: unknown[]): unknown {
      return 'one'
    }
    two(): unknown {
      return 'two'
    }
  }
  return decorate(Sums, [Controller(), ...above], {
    one: [MessagePattern('one'), ...one],
    two: [MessagePattern({ cmd: 'two' }), ...two],
  })
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await vi.waitUntil(() => server.listening, { interval: 5 })
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** The answer to a message, or the error of it. */
type Send = (pattern: unknown, data?: unknown) => Promise<unknown>

async function start(metadata: ModuleMetadata): Promise<Send> {
  class AppModule {}
  Module(metadata)(AppModule)
  const options = { host: '127.0.0.1', port: await freePort() }
  const app = await NestFactory.createMicroservice(AppModule, {
    transport: Transport.TCP,
    options,
    logger: false,
    abortOnError: false,
  })
  onTestFinished(() => app.close())
  await app.listen()
  return sendTo(options)
}

function sendTo(options: { host: string; port: number }): Send {
  const client: ClientProxy = ClientProxyFactory.create({ transport: Transport.TCP, options })
  onTestFinished(() => void client.close())
  return async (pattern, data = {}) =>
    lastValueFrom(client.send(pattern, data)).catch((error: unknown) => ({ error }))
}

const denied = (policy: string) => ({
  error: {
    status: 429,
    code: 'RATE_LIMITED',
    retryAfterMs: 60_000,
    'violated-policies': [policy],
  },
})

describe('a microservice over TCP', () => {
  test('a decorator limits its messages alone, by the key', async () => {
    const send = await start({ controllers: [service([], { one: [RateLimit(keyed)] })] })
    expect(await send('one', { from: 'ada' })).toBe('one')
    expect(await send('one', { from: 'bob' })).toBe('one')
    expect(await send('one', { from: 'ada' })).toEqual(denied('Sums.one'))
    expect(await send({ cmd: 'two' })).toBe('two')
  })

  test('a message without its key is an error of the client', async () => {
    const limit = RateLimit({ ...once, key: byUser(() => null) })
    const send = await start({ controllers: [service([], { one: [limit] })] })
    const error = { status: 400, code: 'BAD_REQUEST', message: 'The request has no user.' }
    expect(await send('one')).toEqual({ error })
  })

  test('the limit of the module counts each message, except those of SkipRateLimit', async () => {
    const send = await start({
      imports: [RateLimitModule.forRoot({ ...once, key: 'all' })],
      controllers: [service([], { two: [SkipRateLimit()] })],
    })
    expect(await send('one')).toBe('one')
    expect(await send('one')).toEqual(denied('default'))
    expect(await send({ cmd: 'two' })).toBe('two')
  })

  test('a decorator at a class limits its messages together', async () => {
    const send = await start({ controllers: [service([RateLimit({ ...once, key: 'all' })])] })
    expect(await send({ cmd: 'two' })).toBe('two')
    expect(await send('one')).toEqual(denied('Sums'))
  })

  test('a method with the guard and without a decorator has the limit of the module', async () => {
    const send = await start({
      imports: [RateLimitModule.forRoot({ ...once, key: byRoute(), global: false })],
      controllers: [service([UseGuards(RateLimitGuard)])],
    })
    expect(await send('one')).toBe('one')
    expect(await send({ cmd: 'two' })).toBe('two')
    expect(await send({ cmd: 'two' })).toEqual(denied('default'))
  })

  test.each<[string, ModuleMetadata]>([
    ['a decorator', { controllers: [service([], { one: [RateLimit(once)] })] }],
    ['a decorator at a class', { controllers: [service([RateLimit(once)])] }],
    ['a list', { controllers: [service([], { one: [RateLimit([{ ...once, key: 'a' }, once])] })] }],
    ['the module', { imports: [RateLimitModule.forRoot(once)], controllers: [service([])] }],
    [
      'a guard',
      {
        imports: [RateLimitModule.forRoot({ ...once, global: false })],
        controllers: [service([UseGuards(RateLimitGuard)])],
      },
    ],
  ])('does not start without a key: %s', async (_name, metadata) => {
    expect(await codeOf(start(metadata))).toBe('SLUICE_OPTION_MISSING')
  })

  test('starts if the module has the key, or no limit reaches a message', async () => {
    const module = RateLimitModule.forRoot({ ...once, key: 'all', global: false })
    const limited = service([], { one: [RateLimit({ limit: 3 })] })
    expect(await codeOf(start({ imports: [module], controllers: [limited] }))).toBe('started')
    const skipped = service([SkipRateLimit()])
    const keyless = RateLimitModule.forRoot(once)
    expect(await codeOf(start({ imports: [keyless], controllers: [skipped] }))).toBe('started')
  })

  test('beside a server, the module needs no key, because its guard reaches the routes alone', async () => {
    class Routes {
      get() {
        return 'a route'
      }
    }
    decorate(Routes, [Controller()], { get: [Get()] })
    const [[, adapter]] = platforms
    const app = await create(adapter(), {
      imports: [RateLimitModule.forRoot(once)],
      controllers: [Routes, service([], { two: [RateLimit({ key: 'all' })] })],
    })
    const options = { host: '127.0.0.1', port: await freePort() }
    app.connectMicroservice({ transport: Transport.TCP, options })
    await app.startAllMicroservices()
    const send = sendTo(options)
    expect([await send('one'), await send('one')]).toEqual(['one', 'one'])
    expect(await send({ cmd: 'two' })).toBe('two')
    expect(await send({ cmd: 'two' })).toEqual(denied('Sums.two'))
  })

  test('a key that needs an address is an error and not a free pass', async () => {
    const send = await start({
      controllers: [service([], { one: [RateLimit({ ...once, key: byIp() })] })],
    })
    expect(await send('one')).toEqual({
      error: { status: 'error', message: 'Internal server error' },
    })
  })

  test('a filter of the application can send another error', async () => {
    class Filter implements RpcExceptionFilter<RpcException> {
      catch(exception: RpcException) {
        return throwError(() => ({ own: exception.getError() }))
      }
    }
    Catch(RpcException)(Filter)
    const limited = service([UseFilters(new Filter())], {
      one: [RateLimit({ ...once, key: 'all' })],
    })
    const send = await start({ controllers: [limited] })
    await send('one')
    expect(await send('one')).toEqual({ error: { own: denied('Sums.one').error } })
  })

  test('denies events without logging them', async () => {
    const heard: unknown[] = []
    class Events {
      hear() {
        heard.push('heard')
      }
      count() {
        return heard.length
      }
    }
    decorate(Events, [Controller()], {
      hear: [EventPattern('hear'), RateLimit({ ...once, key: 'all' })],
      count: [MessagePattern('count')],
    })
    const options = { host: '127.0.0.1', port: await freePort() }
    class AppModule {}
    Module({ controllers: [Events] })(AppModule)
    const app = await NestFactory.createMicroservice(AppModule, {
      transport: Transport.TCP,
      options,
      logger: false,
    })
    onTestFinished(() => app.close())
    await app.listen()
    const logged = vi.fn<(...args: unknown[]) => void>()
    Logger.overrideLogger({ log() {}, warn: logged, error: logged, fatal: logged })
    const client = ClientProxyFactory.create({ transport: Transport.TCP, options })
    onTestFinished(() => void client.close())
    for (let i = 0; i < 3; i++) await lastValueFrom(client.emit('hear', {}), { defaultValue: null })
    await vi.waitUntil(() => heard.length > 0, { interval: 5 })
    expect(await lastValueFrom(client.send('count', {}))).toBe(1)
    Logger.overrideLogger(false)
    expect(logged.mock.calls).toEqual([])
  })

  test('settles by the result of the method, and frees its lease', async () => {
    const failures = counted(fixedWindow({ limit: 5, window: '1m' }))
    const running = counted(concurrency({ limit: 1, lease: '1m' }))
    class Logins {
      login(fails: boolean) {
        if (fails) throw new Error('wrong password')
        return failures.used()
      }
      work() {
        return running.used()
      }
    }
    decorate(Logins, [Controller()], {
      login: [MessagePattern('login'), RateLimit({ ...failures.options, count: 'failures' })],
      work: [MessagePattern('work'), RateLimit(running.options)],
    })
    const send = await start({ controllers: [Logins] })
    for (let i = 0; i < 2; i++) {
      expect(await send('login', '')).toBe(1)
      await vi.waitFor(() => expect(failures.used()).toBe(0), { interval: 5 })
      expect(await send('work')).toBe(1)
      await vi.waitFor(() => expect(running.used()).toBe(0), { interval: 5 })
    }
    expect(await send('login', 'fails')).toHaveProperty('error')
    expect(await send('login', '')).toBe(2)
    await vi.waitFor(() => expect(failures.used()).toBe(1), { interval: 5 })
  })

  test('passes the decision to a parameter', async () => {
    class Sums {
      one({ remaining }: Decision) {
        return remaining
      }
    }
    decorate(Sums, [Controller()], {
      one: [MessagePattern('one'), RateLimit({ ...once, limit: 9, key: 'all' })],
    })
    RateLimitDecision()(Sums.prototype, 'one', 0)
    const send = await start({ controllers: [Sums] })
    expect([await send('one'), await send('one')]).toEqual([8, 7])
  })
})

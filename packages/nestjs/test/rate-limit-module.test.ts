import { Controller, Get, Injectable, Module, type ModuleMetadata } from '@nestjs/common'
import { describe, expect, test } from 'vitest'
import {
  RateLimitModule,
  type RateLimitModuleOptions,
  type RateLimitOptions,
} from '../src/index.js'
import { codeOf, create, decorate, once, platforms, serve, statuses } from './apps.js'

class Hello {
  hello() {
    return 'hello'
  }
  fail() {
    throw new Error('broken')
  }
}
decorate(Hello, [Controller()], { hello: [Get()], fail: [Get('fail')] })

const under = (options: RateLimitModuleOptions) => ({
  imports: [RateLimitModule.forRoot(options)],
  controllers: [Hello],
})

describe.each(platforms)('%s', (_, adapter) => {
  test('writes the limit and the remaining quota on every response', async () => {
    const ask = await serve(adapter(), under({ ...once, limit: 2 }))
    const { status, headers, text } = await ask('/')
    expect([status, text]).toEqual([200, 'hello'])
    expect(headers.get('ratelimit-policy')).toBe('"default";q=2;w=60')
    expect(headers.get('ratelimit')).toBe('"default";r=1;t=60')
    expect(headers.has('retry-after')).toBe(false)
  })

  test('sends a 429 with a problem', async () => {
    const ask = await serve(adapter(), under(once))
    await ask('/')
    const { status, headers, text } = await ask('/')
    expect(status).toBe(429)
    expect(Object.fromEntries(headers)).toMatchObject({
      'content-type': 'application/problem+json',
      'content-length': `${text.length}`,
      'retry-after': '60',
      'ratelimit-policy': '"default";q=1;w=60',
      ratelimit: '"default";r=0;t=60',
    })
    expect(JSON.parse(text)).toEqual({
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Request cannot be satisfied as assigned quota has been exceeded',
      status: 429,
      detail: 'Try again in 1 minute.',
      'violated-policies': ['default'],
    })
  })

  test('sends plain text to a client that prefers it', async () => {
    const ask = await serve(adapter(), under({ ...once, limit: 0 }))
    const { status, headers, text } = await ask('/', { headers: { accept: 'text/plain' } })
    expect([status, headers.get('content-type')]).toEqual([429, 'text/plain; charset=utf-8'])
    expect(text.split('. ')[0]).toBe(
      'Request cannot be satisfied as assigned quota has been exceeded',
    )
  })

  test('sends HEAD the headers only', async () => {
    const ask = await serve(adapter(), under({ ...once, limit: 0 }))
    const { status, headers, text } = await ask('/', { method: 'HEAD' })
    expect([status, text]).toEqual([429, ''])
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(headers.get('content-length')).toBe(`${(await ask('/')).text.length}`)
    expect(headers.get('retry-after')).toBe('1')
  })

  test('sends the status and the body of the application', async () => {
    const body: RateLimitOptions['body'] = ({ url }, { limit }) => ({ url, limit, ü: 1 })
    const ask = await serve(adapter(), under({ ...once, limit: 0, statusCode: 503, body }))
    const { status, headers, text } = await ask('/?a')
    expect([status, text]).toEqual([503, '{"url":"/?a","limit":0,"ü":1}'])
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('content-length')).toBe(`${text.length + 1}`)
  })

  test('sends a 403 to a client in the list "deny"', async () => {
    const ask = await serve(adapter(), under({ ...once, deny: ['127.0.0.1'] }))
    const { status, headers, text } = await ask('/')
    expect([status, headers.get('content-type')]).toEqual([403, 'application/problem+json'])
    expect(JSON.parse(text)).toEqual({ title: 'Forbidden', status: 403 })
  })

  test('refunds a request that does not count after the response of Nest', async () => {
    const ask = await serve(adapter(), under({ ...once, count: 'failures' }))
    expect(await statuses(ask, '/', 3)).toEqual([200, 200, 200])
    expect(await statuses(ask, '/fail', 2)).toEqual([500, 429])
  })

  test('Nest handles an error of a function of the options', async () => {
    const key = () => {
      throw new Error('broken')
    }
    expect(await statuses(await serve(adapter(), under({ ...once, key })), '/', 1)).toEqual([500])
  })

  test('limits no route without a decorator if it is not global', async () => {
    const ask = await serve(adapter(), under({ ...once, limit: 0, global: false }))
    const { status, headers } = await ask('/')
    expect([status, headers.has('ratelimit')]).toEqual([200, false])
  })

  test('has its own counts in each application', async () => {
    const metadata = under(once)
    for (const _ of [1, 2]) {
      expect(await statuses(await serve(adapter(), metadata), '/', 2)).toEqual([200, 429])
    }
  })

  test('an application with several registrations does not start', async () => {
    const twice = { ...once, limit: 2 }
    const first = RateLimitModule.forRoot(once)
    const starting = (...imports: ModuleMetadata['imports'] & {}) =>
      codeOf(create(adapter(), { imports, controllers: [Hello] }))

    expect(await starting(first, first)).toBe('started')
    expect(await starting(first, RateLimitModule)).toBe('started')
    for (const other of [
      RateLimitModule.forRoot(once),
      RateLimitModule.forRoot(twice),
      RateLimitModule.forRoot({ ...twice, name: 'other', global: false }),
      RateLimitModule.forRootAsync({ useFactory: () => twice }),
    ]) {
      expect(await starting(first, other)).toBe('SLUICE_OPTIONS_CONFLICT')
    }
  })

  test('an application with the module without its options does not start', async () => {
    const starting = create(adapter(), { imports: [RateLimitModule], controllers: [Hello] })
    expect(await codeOf(starting)).toBe('SLUICE_OPTIONS_INVALID')
  })

  class Settings {
    get limit() {
      return 2
    }
    createRateLimitOptions(): RateLimitOptions {
      return { ...once, limit: this.limit }
    }
  }
  Injectable()(Settings)

  class SettingsModule {}
  Module({ providers: [Settings], exports: [Settings] })(SettingsModule)

  const asyncModules = {
    useFactory: RateLimitModule.forRootAsync({
      imports: [SettingsModule],
      inject: [Settings],
      useFactory: async ({ limit }: Settings) => ({ ...once, limit }),
    }),
    useClass: RateLimitModule.forRootAsync({ useClass: Settings }),
    useExisting: RateLimitModule.forRootAsync({
      imports: [SettingsModule],
      useExisting: Settings,
    }),
  }

  test.each(Object.entries(asyncModules))('accepts its options from %s', async (_way, module) => {
    const ask = await serve(adapter(), { imports: [module], controllers: [Hello] })
    expect(await statuses(ask, '/', 3)).toEqual([200, 200, 429])
  })

  test('accepts options from a provider for decorated routes only', async () => {
    const module = RateLimitModule.forRootAsync({ global: false, useClass: Settings })
    const ask = await serve(adapter(), { imports: [module], controllers: [Hello] })
    expect(await statuses(ask, '/', 3)).toEqual([200, 200, 200])
  })
})

test.each(['no', 'false', 0, null])('refuses %j as "global"', (value) => {
  const global = value as never
  const error = expect.objectContaining({ code: 'SLUICE_OPTION_INVALID' })
  expect(() => RateLimitModule.forRoot({ ...once, global })).toThrow(error)
  expect(() => RateLimitModule.forRootAsync({ global, useFactory: () => once })).toThrow(error)
})

test.each([
  ['forRoot', undefined, 'undefined'],
  ['forRoot', 'fast', 'the string "fast"'],
  ['forRootAsync', undefined, 'undefined'],
  ['forRootAsync', {}, 'an empty object'],
  ['forRootAsync', { limit: 1, window: '1m' }, 'an object with the keys "limit", "window"'],
] as const)('%s refuses %j', (method, options, shown) => {
  expect(() => RateLimitModule[method](options as never)).toThrow(
    expect.objectContaining({
      code: 'SLUICE_OPTIONS_INVALID',
      message: expect.stringContaining(`${method}: the options are ${shown}. Pass an object`),
    }),
  )
})

import { Catch, Controller, Get, Logger, UseGuards, type ExceptionFilter } from '@nestjs/common'
import { Mutation, Query, ResolveField, Resolver } from '@nestjs/graphql'
import { GraphQLError } from 'graphql'
import { afterEach, describe, expect, test, vi } from 'vitest'
import {
  byIp,
  byUser,
  firstOf,
  RateLimit,
  RateLimitDecision,
  RateLimitException,
  RateLimitGuard,
  RateLimitModule,
  SkipRateLimit,
  type Decision,
  type NestCall,
  type RateLimitOptions,
} from '../src/index.js'
import { create, decorate, listen, once } from './apps.js'
import { drivers, queryBy, serveQueries, serving } from './graphql-apps.js'

const twice = { ...once, limit: 2 }
const schema = `
  type Query { one(id: ID): String, two: String, item: Item }
  type Mutation { change: String }
  type Item { name: String }
`

interface On {
  one?: MethodDecorator[]
  two?: MethodDecorator[]
  item?: MethodDecorator[]
  change?: MethodDecorator[]
  name?: MethodDecorator[]
}

/** A resolver of the schema. */
function resolver(above: ClassDecorator[], on: On = {}) {
  class Items {
    one(..._args: unknown[]) {
      return 'one'
    }
    two() {
      return 'two'
    }
    item() {
      return {}
    }
    change() {
      return 'changed'
    }
    name() {
      return 'a name'
    }
  }
  return decorate(Items, [Resolver('Item'), ...above], {
    one: [Query('one'), ...(on.one ?? [])],
    two: [Query('two'), ...(on.two ?? [])],
    item: [Query('item'), ...(on.item ?? [])],
    change: [Mutation('change'), ...(on.change ?? [])],
    name: [ResolveField('name'), ...(on.name ?? [])],
  })
}

const denied = {
  message: 'Too many requests',
  extensions: {
    code: 'RATE_LIMITED',
    retryAfterMs: 60_000,
    'violated-policies': ['Items.one'],
  },
}

afterEach(() => vi.restoreAllMocks())

describe.each(drivers)('%s', (_, adapter, options) => {
  const serve = async (metadata: Parameters<typeof serving>[2]) =>
    serveQueries(adapter(), serving(options, schema, metadata))

  test('a decorator limits its resolver alone, and the other fields keep their results', async () => {
    const query = await serve({ providers: [resolver([], { one: [RateLimit(once)] })] })
    expect(await query('{ one two }')).toMatchObject({
      data: { one: 'one', two: 'two' },
      errors: {},
    })
    const { data, errors, headers } = await query('{ one two }')
    expect(data).toEqual({ one: null, two: 'two' })
    expect(errors).toEqual({ one: denied })
    expect(headers.get('retry-after')).toBe('60')
    expect(headers.get('ratelimit')).toBe('"Items.one";r=0;t=60')
    expect(headers.get('ratelimit-policy')).toBe('"Items.one";q=1;w=60')
    expect(headers.get('content-type')).toMatch(/json/)
  })

  test('each alias counts, and each limiter writes its headers once', async () => {
    const query = await serve({
      providers: [
        resolver([], { one: [RateLimit(twice)], two: [RateLimit({ ...once, limit: 9 })] }),
      ],
    })
    const { data, errors, headers } = await query('{ a: one b: one c: one two }')
    expect(data).toEqual({ a: 'one', b: 'one', c: null, two: 'two' })
    expect(Object.keys(errors)).toEqual(['c'])
    expect(headers.get('ratelimit')).toBe('"Items.one";r=0;t=60, "Items.two";r=8;t=60')
    expect(headers.get('ratelimit-policy')).toBe('"Items.one";q=2;w=60, "Items.two";q=9;w=60')
  })

  test('the limit of the module counts each operation once', async () => {
    const query = await serve({
      imports: [RateLimitModule.forRoot(twice)],
      providers: [resolver([])],
    })
    const first = await query('{ a: one b: one two item { name } }')
    expect(first.errors).toEqual({})
    expect(first.headers.get('ratelimit')).toBe('"default";r=1;t=60')
    expect((await query('mutation { a: change b: change }')).errors).toEqual({})
    const third = await query('{ one two }')
    expect(third.data).toEqual({ one: null, two: null })
    expect(Object.keys(third.errors)).toEqual(['one', 'two'])
    expect(third.errors['two'].extensions['violated-policies']).toEqual(['default'])
    expect(third.headers.get('retry-after')).toBe('60')
  })

  test('a decorator replaces the limit of the module, and SkipRateLimit removes it', async () => {
    const query = await serve({
      imports: [RateLimitModule.forRoot({ ...once, limit: 0 })],
      providers: [
        resolver([], {
          one: [RateLimit({ limit: 1 })],
          two: [SkipRateLimit()],
          item: [SkipRateLimit()],
        }),
      ],
    })
    expect((await query('{ two item { name } }')).errors).toEqual({})
    expect((await query('{ one two }')).errors).toEqual({})
    expect((await query('{ one two }')).data).toEqual({ one: null, two: 'two' })
    expect((await query('mutation { change }')).data).toEqual({ change: null })
  })

  test('a call with an invalid key is an error of the client', async () => {
    const key = ['id', ({ data }: NestCall<unknown, { id: string }>) => data?.id ?? '']
    const query = await serve({
      providers: [
        resolver([], { one: [RateLimit<NestCall<unknown, { id: string }>>({ ...once, key })] }),
      ],
    })
    const { data, errors } = await query('{ one(id: "") two }')
    expect(data).toEqual({ one: null, two: 'two' })
    expect(errors).toEqual({
      one: {
        message: 'The request has no valid key for its rate limit.',
        extensions: { code: 'BAD_REQUEST' },
      },
    })
  })

  test('a decorator at a class limits its resolvers together', async () => {
    const query = await serve({
      providers: [resolver([RateLimit(twice)], { item: [SkipRateLimit()] })],
    })
    expect((await query('{ one two item { name } }')).errors).toEqual({})
    const { errors } = await query('{ two item { name } }')
    expect(errors['two'].extensions['violated-policies']).toEqual(['Items'])
    expect(Object.keys(errors)).toEqual(['two'])
  })

  test('a resolver with the guard and without a decorator has the limit of the module', async () => {
    const query = await serve({
      imports: [RateLimitModule.forRoot({ ...once, global: false })],
      providers: [resolver([], { one: [UseGuards(RateLimitGuard)] })],
    })
    expect((await query('{ one two }')).errors).toEqual({})
    expect((await query('{ one two }')).data).toEqual({ one: null, two: 'two' })
  })

  test('limits field resolvers if Nest runs guards for them', async () => {
    const query = await serveQueries(
      adapter(),
      serving({ ...options, fieldResolverEnhancers: ['guards'] }, schema, {
        providers: [resolver([], { name: [RateLimit(twice)] })],
      }),
    )
    const { data } = await query('{ a: item { name } b: item { name } c: item { name } }')
    expect(data).toEqual({ a: { name: 'a name' }, b: { name: 'a name' }, c: { name: null } })
  })

  test('finds the address and the user as over HTTP, and counts with the routes', async () => {
    class Routes {
      get() {
        return 'a route'
      }
    }
    decorate(Routes, [Controller()], { get: [Get('route')] })
    const key = firstOf<{ headers: Record<string, string | string[] | undefined> }>(
      byUser((request) => request.headers['x-user']?.toString()),
      byIp(),
    )
    const app = await create(
      adapter(1),
      serving(options, schema, {
        imports: [RateLimitModule.forRoot({ ...once, key })],
        providers: [resolver([])],
        controllers: [Routes],
      }),
    )
    const ask = await listen(app)
    const query = queryBy(ask)
    const as = (name: string) => ({ 'x-user': name })
    expect((await query('{ one }', as('ada'))).errors).toEqual({})
    expect((await query('{ one }', as('bob'))).errors).toEqual({})
    expect(Object.keys((await query('{ one }', as('ada'))).errors)).toEqual(['one'])
    expect((await ask('/route', { headers: as('ada') })).status).toBe(429)
    const from = (address: string) => ({ 'x-forwarded-for': address })
    expect((await query('{ one }', from('192.0.2.7'))).errors).toEqual({})
    expect((await query('{ one }', from('192.0.2.8'))).errors).toEqual({})
    expect(Object.keys((await query('{ one }', from('192.0.2.7'))).errors)).toEqual(['one'])
    expect((await ask('/route', { headers: from('192.0.2.7') })).status).toBe(429)
  })

  test('a key function receives the call', async () => {
    const calls: NestCall[] = []
    const key = (call: NestCall) => {
      calls.push(call)
      return `id:${Object.values(Object(call.data)).join()}`
    }
    const query = await serve({ providers: [resolver([], { one: [RateLimit({ ...once, key })] })] })
    const { data } = await query('{ a: one(id: 1) b: one(id: 2) c: one(id: 1) }')
    expect(data).toEqual({ a: 'one', b: 'one', c: null })
    expect(
      calls.map(({ type, request, context }) => [type, request?.method, context.getType()]),
    ).toEqual(Array.from({ length: 3 }, () => ['graphql', 'POST', 'graphql']))
  })

  test('a filter of the application can send another error', async () => {
    class Filter implements ExceptionFilter<RateLimitException> {
      catch({ decision }: RateLimitException) {
        return new GraphQLError(`Wait ${decision?.retryAfterMs} ms.`, { extensions: { own: true } })
      }
    }
    Catch(RateLimitException)(Filter)
    const app = await create(
      adapter(),
      serving(options, schema, { providers: [resolver([], { one: [RateLimit(once)] })] }),
    )
    app.useGlobalFilters(new Filter())
    const query = queryBy(await listen(app))
    await query('{ one }')
    const { errors } = await query('{ one }')
    expect(errors['one'].message).toBe('Wait 60000 ms.')
    expect(errors['one'].extensions['own']).toBe(true)
  })

  test('does not log denials', async () => {
    const app = await create(
      adapter(),
      serving(options, schema, {
        providers: [resolver([], { one: [RateLimit({ ...once, limit: 0 })] })],
      }),
    )
    const logged = vi.fn<(...args: unknown[]) => void>()
    const logger = { log() {}, warn: logged, error: logged, fatal: logged }
    app.useLogger(logger)
    Logger.overrideLogger(logger)
    const query = queryBy(await listen(app))
    expect(Object.keys((await query('{ one }')).errors)).toEqual(['one'])
    expect(logged.mock.calls).toEqual([])
    Logger.overrideLogger(false)
  })

  test('passes the decision on each call to its parameter', async () => {
    class Items {
      one({ remaining }: Decision) {
        return `${remaining}`
      }
    }
    decorate(Items, [Resolver('Item')], { one: [Query('one')] })
    RateLimitDecision()(Items.prototype, 'one', 0)
    const query = await serve({
      imports: [RateLimitModule.forRoot({ ...once, limit: 9 })],
      providers: [Items],
    })
    expect((await query('{ a: one b: one }')).data).toEqual({ a: '8', b: '8' })
    const each = await serve({
      providers: [decorate(Items, [RateLimit({ ...once, limit: 9 })], {})],
    })
    expect((await each('{ a: one b: one }')).data).toEqual({ a: '8', b: '7' })
  })

  test.each<[string, Pick<RateLimitOptions, 'skip' | 'allow' | 'dryRun' | 'onDenied'>]>([
    ['skip', { skip: () => true }],
    ['allow', { allow: ['127.0.0.1'] }],
    ['dryRun', { dryRun: true }],
    ['onDenied', { onDenied: () => true }],
  ])('allows a call by %s', async (_name, own) => {
    const query = await serve({
      providers: [resolver([], { one: [RateLimit({ ...once, limit: 0, ...own })] })],
    })
    const { data, headers } = await query('{ one }')
    expect(data).toEqual({ one: 'one' })
    expect(headers.has('retry-after')).toBe(false)
  })

  test('denies a client in the list "deny"', async () => {
    const query = await serve({
      providers: [resolver([], { one: [RateLimit({ ...once, deny: ['127.0.0.1'] })] })],
    })
    const { data, errors, headers } = await query('{ one two }')
    expect(data).toEqual({ one: null, two: 'two' })
    expect(errors).toEqual({ one: { message: 'Forbidden', extensions: { code: 'FORBIDDEN' } } })
    expect(headers.has('retry-after')).toBe(false)
  })

  test('applies the limits of a list in order', async () => {
    const limits: RateLimitOptions[] = [
      { ...once, limit: 9, name: 'all', key: 'all' },
      { ...twice, name: 'each' },
    ]
    const query = await serve({ providers: [resolver([], { one: [RateLimit(limits)] })] })
    const { data, errors, headers } = await query('{ a: one b: one c: one }')
    expect(data).toEqual({ a: 'one', b: 'one', c: null })
    expect(errors['c'].extensions['violated-policies']).toEqual(['each'])
    expect(headers.get('ratelimit')).toMatch(/^"all";r=\d;t=60, "each";r=0;t=60$/)
  })
})

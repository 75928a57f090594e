import { setImmediate as turn } from 'node:timers/promises'
import {
  UseGuards,
  UseInterceptors,
  type CanActivate,
  type NestInterceptor,
  type Provider,
} from '@nestjs/common'
import { APP_GUARD } from '@nestjs/core'
import { Args, Mutation, Query, ResolveField, Resolver, type Enhancer } from '@nestjs/graphql'
import { of } from 'rxjs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  byIp,
  concurrency,
  fixedWindow,
  RateLimit,
  RateLimitException,
  RateLimitGuard,
  RateLimitModule,
} from '../src/index.js'
import { counted, decorate, once } from './apps.js'
import { drivers, serveQueries, serving } from './graphql-apps.js'

const schema = `
  type Query { work: String, other: String }
  type Mutation { login(password: String): String, noop: String }
`

/** The action of a limit that denies a request. */
const denial = {
  type: 'deny',
  decision: undefined,
  headers: [],
  status: 429,
  body: '',
  violated: [],
} as const

/** Requests without any effect, whose guards do not let them pass. */
class Closed implements CanActivate {
  async canActivate() {
    return false
  }
}

describe.each(drivers)('%s', (_, adapter, options) => {
  const serve = async (metadata: Parameters<typeof serving>[2]) =>
    serveQueries(adapter(), serving(options, schema, metadata))

  /** A resolver with logins that fail without the right password. */
  function logins(on: MethodDecorator[] = []) {
    class Logins {
      work() {
        return 'worked'
      }
      login(password: string) {
        if (password !== 'right') throw new Error('wrong password')
        return 'hello'
      }
      async noop() {
        await turn()
        return 'done'
      }
    }
    decorate(Logins, [Resolver()], {
      work: [Query('work')],
      login: [Mutation('login'), ...on],
      noop: [Mutation('noop')],
    })
    Args('password')(Logins.prototype, 'login', 0)
    return Logins
  }

  test('a decorator settles by the result of its resolver', async () => {
    const { options: limit, used } = counted(fixedWindow({ limit: 5, window: '1m' }))
    const query = await serve({ providers: [logins([RateLimit({ ...limit, count: 'failures' })])] })
    await query('mutation { a: login(password: "right") b: login(password: "right") }')
    await vi.waitFor(() => expect(used()).toBe(0), { interval: 5 })
    await query('mutation { a: login(password: "right") b: login(password: "wrong") }')
    await vi.waitFor(() => expect(used()).toBe(1), { interval: 5 })
  })

  test('a succeeding field does not hide the failing one from the limit of the module', async () => {
    const { options: limit, used } = counted(fixedWindow({ limit: 5, window: '1m' }))
    const query = await serve({
      imports: [RateLimitModule.forRoot({ ...limit, count: 'failures' })],
      providers: [logins()],
    })
    await query('{ a: work b: work }')
    await query('mutation { noop login(password: "right") }')
    await vi.waitFor(() => expect(used()).toBe(0), { interval: 5 })
    for (let i = 1; i <= 3; i++) {
      await query('mutation { a: noop login(password: "wrong") b: noop }')
      await vi.waitFor(() => expect(used()).toBe(i), { interval: 5 })
    }
  })

  test('a denial by a later limit of a list is no failure of the earlier ones, and ends their leases', async () => {
    const rate = counted(fixedWindow({ limit: 5, window: '1m' }))
    const slots = counted(concurrency({ limit: 5, lease: '1m' }))
    const list = [
      { ...rate.options, name: 'counted', count: 'failures' },
      { ...slots.options },
      { ...once, name: 'none', limit: 0, key: 'all' },
    ] as const
    const query = await serve({ providers: [logins([RateLimit(list)])] })
    const { errors } = await query('mutation { login(password: "wrong") }')
    expect(errors['login'].extensions['violated-policies']).toEqual(['none'])
    await vi.waitFor(() => expect([rate.used(), slots.used()]).toEqual([0, 0]), { interval: 5 })
  })

  test('a handler of denials that returns false ends the leases of the earlier limits of a list', async () => {
    const slots = counted(concurrency({ limit: 5, lease: '1m' }))
    const held: number[] = []
    const onDenied = () => held.push(slots.used()) === 0
    const list = [slots.options, { ...once, name: 'none', limit: 0, key: 'all', onDenied }]
    const query = await serve({ providers: [logins([RateLimit(list)])] })
    const { errors } = await query('mutation { login(password: "right") }')
    expect([Object.keys(errors), held]).toEqual([['login'], [1]])
    await vi.waitFor(() => expect(slots.used()).toBe(0), { interval: 5 })
  })

  test.each([
    ['{ work }', 0],
    ['{ work other }', 1],
  ] as const)(
    'in %s, a method that throws the denial of a limit has not failed',
    async (operation, used) => {
      const limit = counted(fixedWindow({ limit: 5, window: '1m' }))
      class Items {
        work() {
          throw new RateLimitException(denial)
        }
        other() {
          throw new Error('failed')
        }
      }
      decorate(Items, [Resolver()], { work: [Query('work')], other: [Query('other')] })
      const query = await serve({
        imports: [RateLimitModule.forRoot({ ...limit.options, count: 'failures' })],
        providers: [Items],
      })
      expect((await query(operation)).errors['work'].message).toBe('Forbidden')
      await vi.waitFor(() => expect(limit.used()).toBe(used), { interval: 5 })
    },
  )

  test('the lease of an operation ends with its last method', async () => {
    const { options: limit, used } = counted(concurrency({ limit: 1, lease: '1m' }))
    const ends: (() => void)[] = []
    class Slow {
      async work() {
        await new Promise<void>((resolve) => ends.push(resolve))
        return 'worked'
      }
      other() {
        throw new Error('failed')
      }
    }
    decorate(Slow, [Resolver()], { work: [Query('work')], other: [Query('other')] })
    const query = await serve({ imports: [RateLimitModule.forRoot(limit)], providers: [Slow] })
    const answer = query('{ other work again: work }')
    await vi.waitUntil(() => ends.length === 2, { interval: 5 })
    expect(used()).toBe(1)
    const { errors, headers } = await query('{ work }')
    expect(errors['work'].extensions['retryAfterMs']).toBe(1000)
    expect(headers.get('retry-after')).toBe('1')
    ends[0]()
    await turn()
    expect(used()).toBe(1)
    ends[1]()
    expect((await answer).data).toEqual({ other: null, work: 'worked', again: 'worked' })
    await vi.waitFor(() => expect(used()).toBe(0), { interval: 5 })
  })

  const cached: NestInterceptor = { intercept: () => of('cached') }

  test.each<[string, MethodDecorator[], ClassDecorator[], Provider[]]>([
    ['UseGuards at the method', [UseGuards(RateLimitGuard)], [], []],
    ['UseGuards at the class', [], [UseGuards(RateLimitGuard)], []],
    ['APP_GUARD', [], [], [{ provide: APP_GUARD, useClass: RateLimitGuard }]],
    ['a cache of the method', [UseGuards(RateLimitGuard), UseInterceptors(cached)], [], []],
    ['a cache of the class', [UseGuards(RateLimitGuard)], [UseInterceptors(cached)], []],
  ])('a method without a decorator is followed: %s', async (_name, on, above, providers) => {
    const { options: limit, used } = counted(fixedWindow({ limit: 5, window: '1m' }))
    class Items {
      work() {
        return 'worked'
      }
    }
    decorate(Items, [Resolver(), ...above], { work: [Query('work'), ...on] })
    const query = await serve({
      imports: [RateLimitModule.forRoot({ ...limit, count: 'failures', global: false })],
      providers: [Items, ...providers],
    })
    expect((await query('{ work }')).errors).toEqual({})
    await vi.waitFor(() => expect(used()).toBe(0), { interval: 5 })
  })

  test('a call that a later guard denies has failed after ten seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { options: limit, used } = counted(fixedWindow({ limit: 5, window: '1m' }))
    class Items {
      work() {
        return 'never'
      }
    }
    const guards = [UseGuards(Closed), RateLimit({ ...limit, count: 'successes' })]
    decorate(Items, [Resolver()], { work: [Query('work'), ...guards] })
    const query = await serve({ providers: [Items] })
    expect(Object.keys((await query('{ work }')).errors)).toEqual(['work'])
    vi.advanceTimersByTime(9999)
    expect(used()).toBe(1)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    await vi.waitFor(() => expect(used()).toBe(0), { interval: 5 })
  })

  test('the lease of a call that a later guard denies ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { options: limit, used } = counted(concurrency({ limit: 1, lease: '5m' }))
    class Items {
      work() {
        return 'never'
      }
    }
    // The decorators of a method apply from the last one up, and so do its guards.
    decorate(Items, [Resolver()], { work: [Query('work'), UseGuards(Closed), RateLimit(limit)] })
    const query = await serve({ providers: [Items] })
    expect(Object.keys((await query('{ work }')).errors)).toEqual(['work'])
    vi.advanceTimersByTime(299_999)
    expect(used()).toBe(1)
    vi.advanceTimersByTime(1)
    vi.useRealTimers()
    await vi.waitFor(() => expect(used()).toBe(0), { interval: 5 })
  })
})

const sequence = `
  type Query { item: Item, items: [Item] }
  type Mutation { change: Item, fail: Item }
  type Item { name: String }
`

describe.each(drivers)('operations: %s', (_, adapter, options) => {
  /** Sends operations one after the other, and expects how many units of the module's limit each one leaves used. */
  async function expectUsed(
    fieldResolverEnhancers: Enhancer[],
    count: 'successes' | 'failures',
    operations: readonly (readonly [operation: string, used: number])[],
  ) {
    const { options: limit, used } = counted(fixedWindow({ limit: 9, window: '1m' }))
    class Items {
      item() {
        return {}
      }
      items() {
        return [{}, {}]
      }
      async change() {
        await turn()
        return {}
      }
      async fail() {
        await turn()
        throw new Error('failed')
      }
      async name() {
        await turn()
        return 'a name'
      }
    }
    decorate(Items, [Resolver('Item')], {
      item: [Query('item')],
      items: [Query('items')],
      change: [Mutation('change')],
      fail: [Mutation('fail')],
      name: [ResolveField('name')],
    })
    const query = await serveQueries(
      adapter(),
      serving({ ...options, fieldResolverEnhancers }, sequence, {
        imports: [RateLimitModule.forRoot({ ...limit, count })],
        providers: [Items],
      }),
    )
    for (const [operation, expected] of operations) {
      const { errors } = await query(operation)
      expect(Object.values(errors).map(({ message }) => message)).not.toContain('Too many requests')
      await vi.waitFor(() => expect(used()).toBe(expected), { interval: 5 })
    }
    // A unit that an operation took or returned twice would still be missing.
    await turn()
    expect(used()).toBe(operations.at(-1)?.[1])
  }

  const operations = [
    'mutation { a: change { name } b: change { name } c: change { name } }',
    'mutation { a: fail { name } b: change { name } }',
    'mutation { a: change { name } b: fail { name } c: fail { name } }',
    '{ items { name } }',
    '{ item { name } items { name } }',
  ]

  test.each<Enhancer[][]>([[[]], [['guards']], [['guards', 'interceptors']]])(
    'the limit of the module settles each operation once, with enhancers %j',
    async (enhancers) => {
      const leaving = (used: readonly number[]) =>
        operations.map((operation, i) => [operation, used[i]] as const)
      await expectUsed(enhancers, 'successes', leaving([1, 1, 1, 2, 3]))
      await expectUsed(enhancers, 'failures', leaving([0, 1, 2, 2, 2]))
    },
  )

  /** Serves a field resolver with these decorators. */
  async function serveField(fieldResolverEnhancers: Enhancer[], on: MethodDecorator[]) {
    const call = vi.fn<() => string>(() => 'a name')
    class Items {
      item() {
        return {}
      }
      name() {
        return call()
      }
    }
    decorate(Items, [Resolver('Item')], {
      item: [Query('item')],
      name: [ResolveField('name'), ...on],
    })
    const query = await serveQueries(
      adapter(),
      serving({ ...options, fieldResolverEnhancers }, sequence, { providers: [Items] }),
    )
    return { call, query }
  }

  test('a field resolver is settled with interceptors, and refused without them', async () => {
    const { options: limit, used } = counted(fixedWindow({ limit: 9, window: '1m' }))
    const on = [RateLimit({ ...limit, count: 'failures' })]
    const followed = await serveField(['guards', 'interceptors'], on)
    expect((await followed.query('{ item { name } }')).errors).toEqual({})
    await vi.waitFor(() => expect(used()).toBe(0), { interval: 5 })
    const refused = await serveField(['guards'], on)
    const { errors } = await refused.query('{ item { name } }')
    expect(errors['item.name'].message).toMatch(/'guards', 'interceptors'/)
    expect([used(), refused.call.mock.calls.length]).toEqual([0, 0])
  })
})

// Mercurius puts the reply into each context, and so the request.
describe.each(drivers.filter(([name]) => name.startsWith('Apollo')))(
  '%s',
  (_, adapter, options) => {
    test('a context without a request is an error and not a free pass', async () => {
      const call = vi.fn<() => string>(() => 'worked')
      class Items {
        work() {
          return call()
        }
      }
      decorate(Items, [Resolver()], { work: [Query('work'), RateLimit({ ...once, key: byIp() })] })
      const query = await serveQueries(
        adapter(),
        // Nest adds the request to a context without one, but not in place of another object.
        serving({ ...options, context: () => ({ req: {}, reply: {} }) }, schema, {
          providers: [Items],
        }),
      )
      const { data, errors } = await query('{ work }')
      expect(data).toEqual({ work: null })
      expect(errors['work'].message).toMatch(/the context of GraphQL contains no request/)
      expect(call).not.toHaveBeenCalled()
    })
  },
)

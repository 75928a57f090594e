import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { Controller, Get, Module, Post, UseGuards } from '@nestjs/common'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  fixedWindow,
  memoryStore,
  RateLimit,
  RateLimitDecision,
  RateLimitGuard,
  RateLimitModule,
  SkipRateLimit,
  type Decision,
  type RateLimitOptions,
} from '../src/index.js'
import { codeOf, create, decorate, once, platforms, serve, statuses } from './apps.js'

const twice = { ...once, limit: 2 }

/** A controller with the routes "one" and "two". */
function pair(
  path: string,
  above: ClassDecorator[],
  { one = [], two = [] }: { one?: MethodDecorator[]; two?: MethodDecorator[] } = {},
) {
  class Pair {
    one() {
      return 'one'
    }
    two() {
      return 'two'
    }
  }
  return decorate(Pair, [Controller(path), ...above], {
    one: [Get('one'), ...one],
    two: [Get('two'), ...two],
  })
}

// Each warning is emitted once per process, so a single test could miss it.
const warnings: unknown[] = []
process.on('warning', (warning) => warnings.push(warning))

describe.each(platforms)('%s', (_, adapter) => {
  test('limits a decorated method, and no other, without the module', async () => {
    const controllers = [pair('', [], { one: [RateLimit(once)] })]
    const ask = await serve(adapter(), { controllers })
    expect(await statuses(ask, '/one', 2)).toEqual([200, 429])
    expect(await statuses(ask, '/two', 2)).toEqual([200, 200])
  })

  test('counts a decorated method separately in each application', async () => {
    const controllers = [pair('', [], { one: [RateLimit(once)] })]
    for (const _ of [1, 2]) {
      expect(await statuses(await serve(adapter(), { controllers }), '/one', 2)).toEqual([200, 429])
    }
  })

  test('counts the routes of a decorated class together', async () => {
    const ask = await serve(adapter(), { controllers: [pair('', [RateLimit(twice)])] })
    expect(await statuses(ask, '/one', 1)).toEqual([200])
    expect(await statuses(ask, '/two', 2)).toEqual([200, 429])
  })

  test('a decorator at a method replaces that of its class', async () => {
    const controllers = [pair('', [RateLimit(once)], { two: [RateLimit(twice)] })]
    const ask = await serve(adapter(), { controllers })
    expect(await statuses(ask, '/one', 2)).toEqual([200, 429])
    expect(await statuses(ask, '/two', 3)).toEqual([200, 200, 429])
  })

  test('a decorator replaces the limit of the module', async () => {
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot(once)],
      controllers: [pair('a', []), pair('b', [RateLimit(twice)])],
    })
    expect(await statuses(ask, '/a/one', 2)).toEqual([200, 429])
    expect(await statuses(ask, '/b/one', 3)).toEqual([200, 200, 429])
  })

  test('a decorator inherits the other options of the module', async () => {
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ ...once, limit: 9, headers: 'legacy', global: false })],
      controllers: [
        pair('', [], { one: [RateLimit({ limit: 3 })], two: [RateLimit({ cost: 4 })] }),
      ],
    })
    const { headers } = await ask('/one')
    expect(headers.get('x-ratelimit-remaining')).toBe('2')
    expect((await ask('/two')).headers.get('x-ratelimit-remaining')).toBe('5')
    expect((await ask('/one')).headers.get('x-ratelimit-remaining')).toBe('1')
  })

  test('counts once if a handler has several guards', async () => {
    const guarded = UseGuards(RateLimitGuard)
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ ...once, limit: 9 })],
      controllers: [
        pair('a', [RateLimit({ limit: 5 }), guarded], { one: [RateLimit({ limit: 7 })] }),
        pair('b', [guarded], { one: [guarded] }),
      ],
    })
    expect((await ask('/a/one')).headers.get('ratelimit')).toBe('"Pair.one";r=6;t=60')
    expect((await ask('/a/two')).headers.get('ratelimit')).toBe('"Pair";r=4;t=60')
    expect((await ask('/b/one')).headers.get('ratelimit')).toBe('"default";r=8;t=60')
  })

  test('skips a method or a class: a method overrides its class, which overrides the module', async () => {
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ ...once, limit: 0 })],
      controllers: [
        pair('a', [], { one: [SkipRateLimit()] }),
        pair('b', [SkipRateLimit()], { two: [RateLimit(once)] }),
        pair('c', [RateLimit(once)], { one: [SkipRateLimit()] }),
      ],
    })
    const limited = ['/a/two', '/b/two', '/c/two']
    const skipped = ['/a/one', '/b/one', '/c/one']
    for (const path of skipped) {
      const { status, headers } = await ask(path)
      expect([path, status, headers.has('ratelimit')]).toEqual([path, 200, false])
    }
    for (const path of limited) {
      expect([path, (await ask(path)).headers.has('ratelimit')]).toEqual([path, true])
    }
  })

  test('checks each of several limits, until one denies', async () => {
    const perUser: RateLimitOptions = { ...once, limit: 3, key: 'all' }
    const ask = await serve(adapter(), {
      controllers: [pair('', [RateLimit([twice, perUser])], { one: [RateLimit([perUser, once])] })],
    })
    expect(await statuses(ask, '/two', 3)).toEqual([200, 200, 429])
    expect(await statuses(ask, '/one', 2)).toEqual([200, 429])
    // The first limit of the method has allowed two requests; the limit of the class has not counted them.
    expect((await ask('/one')).headers.get('ratelimit')).toBe(
      '"Pair.one";r=0;t=60, "Pair.one #2";r=0;t=60',
    )
  })

  test('counts by the option "scope" in a shared store', async () => {
    const store = memoryStore()
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ ...twice, store, name: 'shop', scope: 'route' })],
      controllers: [
        pair('a', []),
        pair('b', [RateLimit({ scope: 'route' })]),
        pair('c', [], {
          one: [RateLimit({ scope: 'controller' })],
          two: [RateLimit({ scope: 'controller' })],
        }),
        pair('d', [RateLimit({ scope: 'global' })]),
        pair('e', [RateLimit({ scope: 'global' })]),
      ],
    })
    const left = async (path: string) =>
      /;r=(\d);/.exec((await ask(path)).headers.get('ratelimit') ?? '')?.[1]
    const pairs: [string, string, boolean][] = [
      ['/a/one', '/a/two', false],
      ['/b/one', '/b/two', false],
      ['/c/one', '/c/two', true],
      ['/d/one', '/e/two', true],
    ]
    for (const [first, second, together] of pairs) {
      expect([first, await left(first)]).toEqual([first, '1'])
      expect([second, await left(second)]).toEqual([second, together ? '0' : '1'])
    }
  })

  test('counts each controller separately with that scope of the module', async () => {
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ ...twice, scope: 'controller' })],
      controllers: [pair('a', []), pair('b', [])],
    })
    expect(await statuses(ask, '/a/one', 1)).toEqual([200])
    expect(await statuses(ask, '/a/two', 2)).toEqual([200, 429])
    expect(await statuses(ask, '/b/one', 3)).toEqual([200, 200, 429])
  })

  test('counts controllers with the same class name separately', async () => {
    const store = memoryStore()
    const one = [RateLimit(once)]
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ global: false, store })],
      controllers: [
        pair('a', [RateLimit(twice)], { one }),
        pair('b', [RateLimit({ ...once, limit: 3 })], { one }),
      ],
    })
    expect(await statuses(ask, '/a/one', 2)).toEqual([200, 429])
    expect(await statuses(ask, '/b/one', 2)).toEqual([200, 429])
    expect(await statuses(ask, '/a/two', 3)).toEqual([200, 200, 429])
    expect(await statuses(ask, '/b/two', 4)).toEqual([200, 200, 200, 429])
  })

  test('names them in the same way in every process', async () => {
    const store = memoryStore()
    const guarded = UseGuards(RateLimitGuard)
    const start = () =>
      serve(adapter(), {
        imports: [RateLimitModule.forRoot({ ...twice, global: false, scope: 'controller', store })],
        controllers: [pair('a', [guarded]), pair('b', [guarded])],
      })
    const first = await start()
    const second = await start()
    // In another order, which must not matter.
    expect(await statuses(first, '/a/one', 2)).toEqual([200, 200])
    expect(await statuses(second, '/b/one', 1)).toEqual([200])
    expect(await statuses(second, '/a/one', 1)).toEqual([429])
  })

  test('numbers controllers with the same class name from the second one', async () => {
    const names: unknown[] = []
    const listen = (event: unknown) => names.push(Reflect.get(Object(event), 'limiter'))
    subscribe('sluice:decision', listen)
    onTestFinished(() => void unsubscribe('sluice:decision', listen))
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ ...twice, scope: 'controller' })],
      controllers: [pair('a', []), pair('b', []), pair('c', [])],
    })
    for (const path of ['/b/one', '/a/one', '/c/one']) await statuses(ask, path, 1)
    expect(names).toEqual(['Pair~2', 'Pair', 'Pair~3'])
  })

  test('names a method by its name in the class, even if another decorator has replaced it', async () => {
    const wrap: MethodDecorator = (_target, _name, descriptor) => {
      const { value } = descriptor
      if (typeof value !== 'function') throw new Error('no method')
      descriptor.value = function wrapped(this: unknown, ...args: unknown[]) {
        return Reflect.apply(value, this, args) as unknown
      } as never
    }
    const controllers = [
      pair('', [], { one: [RateLimit(once), wrap], two: [RateLimit(once), wrap] }),
    ]
    const ask = await serve(adapter(), { controllers })
    expect(await statuses(ask, '/one', 2)).toEqual([200, 429])
    expect(await statuses(ask, '/two', 2)).toEqual([200, 429])
  })

  test('limits an inherited route separately for each controller', async () => {
    class Base {
      list() {
        return []
      }
    }
    decorate(Base, [], { list: [Get(), RateLimit(once)] })
    class Cats extends Base {}
    class Dogs extends Base {}
    Controller('cats')(Cats)
    Controller('dogs')(Dogs)
    const ask = await serve(adapter(), { controllers: [Cats, Dogs] })
    expect(await statuses(ask, '/cats', 2)).toEqual([200, 429])
    expect(await statuses(ask, '/dogs', 2)).toEqual([200, 429])
  })

  test('all modules of an application share one limit', async () => {
    const root = [RateLimitModule.forRoot({ ...twice, global: false })]
    class Cats {}
    class Dogs {}
    const guarded = UseGuards(RateLimitGuard)
    Module({ controllers: [pair('cats', [guarded])] })(Cats)
    Module({ controllers: [pair('dogs', [guarded])] })(Dogs)
    const ask = await serve(adapter(), { imports: [...root, Cats, Dogs] })
    expect(await statuses(ask, '/cats/one', 1)).toEqual([200])
    expect(await statuses(ask, '/dogs/one', 2)).toEqual([200, 429])
  })

  test('makes one limiter for each scope, for any number of routes', async () => {
    const algorithm = vi.fn(fixedWindow)
    await create(adapter(), {
      imports: [RateLimitModule.forRoot({ ...twice, algorithm })],
      controllers: [pair('a', []), pair('b', []), pair('c', [RateLimit({ limit: 3 })])],
    })
    expect(algorithm.mock.calls.map(([{ limit }]) => limit)).toEqual([2, 3])
  })

  test('makes the limiter of a guard without a decorator at its first request', async () => {
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot({ ...once, global: false })],
      controllers: [pair('', [UseGuards(RateLimitGuard)])],
    })
    expect(await statuses(ask, '/one', 2)).toEqual([200, 429])
  })

  test('passes the decision to a decorated parameter', async () => {
    class Orders {
      add(decision?: Decision) {
        return { remaining: decision?.remaining }
      }
      list(decision?: Decision) {
        return { limited: decision !== undefined }
      }
    }
    decorate(Orders, [Controller()], { add: [Post(), RateLimit(twice)], list: [Get()] })
    for (const name of ['add', 'list']) RateLimitDecision()(Orders.prototype, name, 0)
    const ask = await serve(adapter(), { controllers: [Orders] })
    expect((await ask('/', { method: 'POST' })).text).toBe('{"remaining":1}')
    expect((await ask('/')).text).toBe('{"limited":false}')
  })

  test('an application with a wrong option does not start', async () => {
    const wrong = (options: object) =>
      codeOf(
        create(adapter(), {
          controllers: [pair('', [], { two: [RateLimit({ ...once, ...options })] })],
        }),
      )
    expect(await wrong({})).toBe('started')
    expect(await wrong({ limit: -1 })).toBe('SLUICE_OPTION_INVALID')
    expect(await wrong({ ttl: 5 })).toBe('SLUICE_OPTION_RENAMED')
    expect(await wrong({ windows: '1m' })).toBe('SLUICE_OPTION_UNKNOWN')
    expect(await wrong({ window: undefined })).toBe('SLUICE_OPTION_MISSING')
    expect(await wrong({ scope: 'class' })).toBe('SLUICE_OPTION_INVALID')
  })

  test('an application whose module has no limit does not start if a route needs it', async () => {
    const starting = (above: ClassDecorator[], global: boolean) =>
      codeOf(
        create(adapter(), {
          imports: [RateLimitModule.forRoot({ global })],
          controllers: [pair('', above)],
        }),
      )
    expect(await starting([], true)).toBe('SLUICE_OPTION_MISSING')
    expect(await starting([RateLimit(once)], true)).toBe('started')
    expect(await starting([], false)).toBe('started')
  })

  test('an application with two limits of one name and different policies does not start', async () => {
    const controllers = [
      pair('a', [RateLimit({ ...once, name: 'same' })]),
      pair('b', [RateLimit({ ...twice, name: 'same' })]),
    ]
    expect(await codeOf(create(adapter(), { controllers }))).toBe('SLUICE_NAME_TAKEN')
  })

  test('an application with a guard without a limit does not start', async () => {
    const controllers = [pair('', [UseGuards(RateLimitGuard)])]
    expect(await codeOf(create(adapter(), { controllers }))).toBe('SLUICE_OPTION_MISSING')
  })
})

test.each([
  ['an empty list', [], 'an empty list'],
  ['a list with undefined', [once, undefined], 'a list'],
  ['undefined', undefined, 'undefined'],
  ['a class, as @RateLimit without a call passes it', class {}, 'a function'],
])('refuses %s, which would remove the limit or is not one', (_, options, shown) => {
  expect(() => Reflect.apply(RateLimit, undefined, [options])).toThrow(
    expect.objectContaining({
      code: 'SLUICE_OPTIONS_INVALID',
      message: `RateLimit: the options are ${shown}. Pass an object such as { limit: 5, window: '1m' }, or a list of these. For no limit, use @SkipRateLimit().`,
    }),
  )
})

test('none of these tests causes a warning', () => {
  expect(warnings).toEqual([])
})

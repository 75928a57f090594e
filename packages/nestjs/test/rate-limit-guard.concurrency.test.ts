import {
  BadRequestException,
  Controller,
  Get,
  Param,
  UseInterceptors,
  type NestInterceptor,
  type PipeTransform,
} from '@nestjs/common'
import { INTERCEPTORS_METADATA } from '@nestjs/common/constants.js'
import type { ServerResponse } from 'node:http'
import { mergeMap, NEVER, of, timeout } from 'rxjs'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  memoryStore,
  RateLimit,
  RateLimitModule,
  type RateLimitOptions,
} from '../src/index.js'
import { create, decorate, listen, platforms, serve } from './apps.js'

const policy = concurrency({ limit: 1, lease: '1m' })
const rate = fixedWindow({ limit: 100, window: '1m' })

/** The options of a limiter, and how many of its units are held. */
function counted() {
  const store = memoryStore()
  const limiter = createLimiter({ name: 'app', policies: policy, store })
  const options: RateLimitOptions = {
    name: 'app',
    policies: policy,
    store,
    key: 'all',
    scope: 'global',
  }
  return { options, held: () => limiter.status('all').policies['default'].used }
}

const delays: (() => void)[] = []

/** Waits after the method until the test ends it. */
const delaying: NestInterceptor = {
  intercept: (_context, next) =>
    next
      .handle()
      .pipe(
        mergeMap(
          async (value: unknown) => new Promise((resolve) => delays.push(() => resolve(value))),
        ),
      ),
}

const timingOut: NestInterceptor = {
  intercept: (_context, next) => next.handle().pipe(timeout(20)),
}

/** A controller whose method waits until the test ends it. */
function pendingController() {
  const ends: ((error?: Error) => void)[] = []
  class Slow {
    async get() {
      await new Promise<void>((resolve, reject) =>
        ends.push((error) => (error === undefined ? resolve() : reject(error))),
      )
      return 'nobody reads this'
    }
  }
  return { ends, Slow: decorate(Slow, [Controller()], { get: [Get()] }) }
}

describe.each(platforms)('%s', (_, adapter) => {
  test.each([undefined, new Error('failed')])(
    'a method is done when its promise settles, even if the client has disconnected: %s',
    async (error) => {
      const { options, held } = counted()
      const { ends, Slow } = pendingController()
      const app = await create(adapter(), {
        imports: [RateLimitModule.forRoot(options)],
        controllers: [Slow],
      })
      const ask = await listen(app)
      // An aborted connection stays open and would delay the end of the test by seconds.
      onTestFinished(() => app.getHttpServer().closeAllConnections())
      const closed = vi.fn<() => void>()
      app.getHttpServer().on('request', (_request: unknown, response: ServerResponse) => {
        response.once('close', closed)
      })
      const leaving = new AbortController()
      const gone = ask('/', { signal: leaving.signal })
      await vi.waitUntil(() => ends.length === 1, { interval: 5 })
      leaving.abort()
      await expect(gone).rejects.toThrow()
      await vi.waitUntil(() => closed.mock.calls.length === 1, { interval: 5 })
      expect(held()).toBe(1)
      ends[0](error)
      await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
    },
  )

  test('a unit is released after any response of Nest', async () => {
    const { options, held } = counted()
    const refuse: PipeTransform = {
      transform() {
        throw new BadRequestException()
      },
    }
    class Items {
      observed() {
        return of('observed')
      }
      refused(_id: string) {
        return 'never'
      }
      broken() {
        throw new Error('broken')
      }
    }
    decorate(Items, [Controller()], {
      observed: [Get('observed')],
      refused: [Get('refused/:id')],
      broken: [Get('broken')],
    })
    Param('id', refuse)(Items.prototype, 'refused', 0)
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot(options)],
      controllers: [Items],
    })
    for (const [path, status] of [
      ['/observed', 200],
      ['/refused/1', 400],
      ['/broken', 500],
      ['/observed', 200],
    ] as const) {
      expect((await ask(path)).status).toBe(status)
      await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
    }
  })

  test.each<[string, Parameters<typeof decorate>[1]]>([
    ['of the method', []],
    ['of the class', [UseInterceptors(delaying)]],
  ])('a method is done after the interceptors %s', async (_where, above) => {
    const { options, held } = counted()
    class Items {
      get() {
        return 'an item'
      }
    }
    const method = above.length === 0 ? [UseInterceptors(delaying)] : []
    decorate(Items, [Controller(), ...above], { get: [Get(), ...method] })
    const app = await create(adapter(), {
      imports: [RateLimitModule.forRoot(options)],
      controllers: [Items],
    })
    const ask = await listen(app)
    onTestFinished(() => app.getHttpServer().closeAllConnections())
    const leaving = new AbortController()
    const gone = ask('/', { signal: leaving.signal })
    await vi.waitUntil(() => delays.length === 1, { interval: 5 })
    leaving.abort()
    await expect(gone).rejects.toThrow()
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(held()).toBe(1)
    delays.splice(0).forEach((end) => end())
    await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
  })

  test('a method is done when its promise settles, even if an interceptor has responded earlier', async () => {
    const { options, held } = counted()
    const { ends, Slow } = pendingController()
    UseInterceptors(timingOut)(Slow)
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot(options)],
      controllers: [Slow],
    })
    expect((await ask('/')).status).toBe(500)
    expect((await ask('/')).status).toBe(429)
    expect(held()).toBe(1)
    ends[0]()
    await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
  })

  test('a query builder that a method returns runs its query once', async () => {
    const { options, held } = counted()
    const query = vi.fn<() => string>(() => 'rows')
    class Items {
      get() {
        return { then: (resolve: (rows: string) => void) => resolve(query()) }
      }
    }
    decorate(Items, [Controller()], { get: [Get()] })
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot(options)],
      controllers: [Items],
    })
    expect((await ask('/')).text).toBe('rows')
    await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
    expect(query).toHaveBeenCalledTimes(1)
  })

  test('an Observable is done when an interceptor unsubscribes from it', async () => {
    const { options, held } = counted()
    class Items {
      get() {
        return NEVER
      }
    }
    decorate(Items, [Controller(), UseInterceptors(timingOut)], { get: [Get()] })
    const ask = await serve(adapter(), {
      imports: [RateLimitModule.forRoot(options)],
      controllers: [Items],
    })
    expect((await ask('/')).status).toBe(500)
    await vi.waitFor(() => expect(held()).toBe(0), { interval: 5 })
  })

  test.each<[string, RateLimitOptions, number]>([
    ['a rate', { policies: rate }, 0],
    ['concurrency', { policies: policy }, 1],
    ['concurrency among others', { policies: { rate, policy } }, 1],
    ['policies of a function', { policies: () => rate }, 1],
    ['concurrency that is released on close', { policies: policy, releaseOn: 'close' }, 0],
  ])('only methods that may hold a lease have an interceptor: %s', async (_, options, count) => {
    class Items {
      get() {
        return 'an item'
      }
    }
    decorate(Items, [Controller()], { get: [Get(), RateLimit(options)] })
    for (let i = 0; i < 2; i++) await create(adapter(), { controllers: [Items] }).then(listen)
    const interceptors: unknown[] =
      Reflect.getMetadata(INTERCEPTORS_METADATA, Items.prototype.get) ?? []
    expect(interceptors.length).toBe(count)
  })
})

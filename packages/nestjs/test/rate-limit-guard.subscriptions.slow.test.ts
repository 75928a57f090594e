import { Mutation, Query, ResolveField, Resolver, Subscription } from '@nestjs/graphql'
import type { ModuleMetadata } from '@nestjs/common'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  byConnection,
  fixedWindow,
  RateLimit,
  RateLimitModule,
  SkipRateLimit,
  type NestCall,
  type RateLimitOptions,
} from '../src/index.js'
import { counted, decorate, once } from './apps.js'
import { serveSubscriptions, subscriptionDrivers } from './subscription-apps.js'

const schema = `
  type Query { one: String }
  type Mutation { change: Item }
  type Subscription { ticks: String }
  type Item { id: String, slow: String }
`

async function* ticking() {
  for (const tick of ['1', '2', '3']) yield { ticks: tick }
}

/** A resolver whose subscription ticks three times. */
function clock(above: ClassDecorator[], on: MethodDecorator[] = []) {
  class Clock {
    one() {
      return 'one'
    }
    ticks() {
      return ticking()
    }
  }
  return decorate(Clock, [Resolver(), ...above], {
    one: [Query('one')],
    ticks: [Subscription('ticks'), ...on],
  })
}

type Subscribe = (query: string) => Promise<{ data: unknown[]; codes: unknown[] }>

describe.each(subscriptionDrivers)('subscriptions: %s', (name, adapter, driver) => {
  const [library] = name.split(',')

  /** Returns a function that opens a connection. */
  async function serve(metadata: ModuleMetadata): Promise<() => Subscribe> {
    const connect = await serveSubscriptions([name, adapter, driver], schema, metadata)
    return () => {
      const subscribe = connect()
      return async (query) => {
        const { data, errors } = await subscribe(query)
        return { data, codes: errors.map(({ extensions }) => extensions?.['code']) }
      }
    }
  }

  test('a decorator counts a subscription once, and finds the request of its upgrade', async () => {
    const calls: NestCall[] = []
    const onDecision: RateLimitOptions<NestCall>['onDecision'] = (call) => void calls.push(call)
    const connect = await serve({
      providers: [clock([], [RateLimit({ ...once, limit: 2, onDecision })])],
    })
    const [subscribe, other] = [connect(), connect()]
    const ticks = ['1', '2', '3'].map((tick) => ({ ticks: tick }))
    expect(await subscribe('subscription { ticks }')).toEqual({ data: ticks, codes: [] })
    expect(await other('subscription { ticks }')).toEqual({ data: ticks, codes: [] })
    expect(await subscribe('subscription { ticks }')).toEqual({ data: [], codes: ['RATE_LIMITED'] })
    expect(calls.map(({ request }) => request?.headers.upgrade)).toEqual([
      'websocket',
      'websocket',
      'websocket',
    ])
  })

  test('the limit of the module counts each operation of a connection', async () => {
    const connect = await serve({
      imports: [RateLimitModule.forRoot({ ...once, limit: 2 })],
      providers: [clock([])],
    })
    const subscribe = connect()
    expect((await subscribe('subscription { ticks }')).codes).toEqual([])
    expect((await subscribe('{ a: one b: one }')).codes).toEqual([])
    expect((await subscribe('subscription { ticks }')).codes).toEqual(['RATE_LIMITED'])
    expect((await subscribe('{ one }')).codes).toEqual(['RATE_LIMITED'])
  })

  test('settles a mutation once, unless none of its methods runs for a while', async () => {
    const { options, used } = counted(fixedWindow({ limit: 9, window: '1m' }))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    class Items {
      async change() {
        await vi.advanceTimersByTimeAsync(120)
        return {}
      }
      /** Nest runs no guards and no interceptors for a field. */
      async slow() {
        await vi.advanceTimersByTimeAsync(200)
        return 'slow'
      }
    }
    decorate(Items, [Resolver('Item')], {
      change: [Mutation('change')],
      slow: [ResolveField('slow')],
    })
    const connect = await serve({
      imports: [RateLimitModule.forRoot({ ...options, count: 'successes' })],
      providers: [Items],
    })
    const subscribe = connect()
    await subscribe('mutation { a: change { id } b: change { id } c: change { id } }')
    await vi.advanceTimersByTimeAsync(200)
    expect(used()).toBe(1)
    await subscribe('mutation { a: change { slow } b: change { id } }')
    await vi.advanceTimersByTimeAsync(200)
    expect(used()).toBe(3)
  })

  if (library === 'Mercurius' || name.endsWith('Express')) {
    test('finds the address by the proxy setting of the platform', async () => {
      const connect = await serveSubscriptions(
        [name, adapter, driver],
        schema,
        { providers: [clock([], [RateLimit(once)])] },
        { trust: 1 },
      )
      const codes = async (address: string) => {
        const { errors } = await connect({ 'x-forwarded-for': address })('subscription { ticks }')
        return errors.map(({ extensions }) => extensions?.['code'])
      }
      expect(await codes('192.0.2.1')).toEqual([])
      expect(await codes('192.0.2.2')).toEqual([])
      expect(await codes('192.0.2.1, 192.0.2.2')).toEqual(['RATE_LIMITED'])
    })
  }

  test('SkipRateLimit removes the limit of the module', async () => {
    const connect = await serve({
      imports: [RateLimitModule.forRoot({ ...once, limit: 0 })],
      providers: [clock([], [SkipRateLimit()])],
    })
    const subscribe = connect()
    expect((await subscribe('subscription { ticks }')).data.length).toBe(3)
    expect((await subscribe('{ one }')).codes).toEqual(['RATE_LIMITED'])
  })

  if (library === 'Apollo') {
    test('byConnection counts each connection', async () => {
      const connect = await serve({
        providers: [clock([], [RateLimit({ ...once, key: byConnection() })])],
      })
      const [subscribe, other] = [connect(), connect()]
      expect((await subscribe('subscription { ticks }')).codes).toEqual([])
      expect((await subscribe('subscription { ticks }')).codes).toEqual(['RATE_LIMITED'])
      expect((await other('subscription { ticks }')).codes).toEqual([])
    })
  }
})

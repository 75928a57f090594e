import { Query, Resolver, Subscription } from '@nestjs/graphql'
import type { ModuleMetadata } from '@nestjs/common'
import { describe, expect, test } from 'vitest'
import {
  byConnection,
  RateLimit,
  RateLimitModule,
  SkipRateLimit,
  type NestCall,
  type RateLimitOptions,
} from '../src/index.js'
import { decorate, once } from './apps.js'
import { serveSubscriptions, subscriptionDrivers } from './subscription-apps.js'

const schema = 'type Query { one: String } type Subscription { ticks: String }'

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

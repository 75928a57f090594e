import { Query, Resolver, Subscription } from '@nestjs/graphql'
import type { ModuleMetadata } from '@nestjs/common'
import { createClient } from 'graphql-ws'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  byConnection,
  RateLimit,
  RateLimitModule,
  SkipRateLimit,
  type NestCall,
  type RateLimitOptions,
} from '../src/index.js'
import { create, decorate, once } from './apps.js'
import { drivers, serving } from './graphql-apps.js'

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

interface Outcome {
  data: unknown[]
  codes: unknown[]
}

type Subscribe = (query: string) => Promise<Outcome>

const protocols: Record<string, object> = {
  Apollo: { subscriptions: { 'graphql-ws': true } },
  Mercurius: { subscription: { fullWsTransport: true } },
}

// Mercurius 14 sends an error as a string, for which a client of the protocol closes the connection.
const served = drivers.filter(([name]) => name !== 'Mercurius, NestJS 10 on Fastify')

describe.each(served)('subscriptions: %s', (name, adapter, driver) => {
  const [library] = name.split(',')
  const { context: _context, ...own } = driver

  /** Returns a function that opens a connection. */
  async function serve(metadata: ModuleMetadata): Promise<() => Subscribe> {
    const app = await create(
      adapter(),
      serving({ ...own, ...protocols[library] }, schema, metadata),
    )
    await app.listen(0, '127.0.0.1')
    const url = `${(await app.getUrl()).replace('http', 'ws')}/graphql`
    return () => {
      const client = createClient({ url, webSocketImpl: WebSocket, lazy: false, retryAttempts: 0 })
      onTestFinished(() => void client.dispose())
      return async (query) => {
        const data: unknown[] = []
        const codes: unknown[] = []
        await new Promise<void>((resolve) => {
          client.subscribe(
            { query },
            {
              next(result) {
                if (result.data !== null && result.data !== undefined) data.push(result.data)
                codes.push(...codesOf(result.errors ?? []))
              },
              error(error) {
                codes.push(...codesOf(Array.isArray(error) ? error : [error]))
                resolve()
              },
              complete: resolve,
            },
          )
        })
        return { data, codes }
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

function codesOf(errors: readonly { extensions?: Record<string, unknown> }[]): unknown[] {
  return errors.map(({ extensions }) => extensions?.['code'])
}

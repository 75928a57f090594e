import {
  Catch,
  UseFilters,
  type ArgumentsHost,
  type ExceptionFilter,
  type WsExceptionFilter,
} from '@nestjs/common'
import { Query, Resolver, Subscription } from '@nestjs/graphql'
import { SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets'
import { GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { RateLimit, RateLimitException } from '../src/index.js'
import { decorate, once } from './apps.js'
import { sockets } from './gateway-apps.js'
import { serveSubscriptions, subscriptionDrivers } from './subscription-apps.js'

/** One call in ten seconds, which no other test has: a filter receives the numbers of this limit. */
const limit = RateLimit({ ...once, window: '10s' })

const report = (policy: string): object => ({
  code: 'RATE_LIMITED',
  retryAfterMs: 10_000,
  'violated-policies': [policy],
})

describe.each(sockets)('filters of a gateway on %s', (platform, serve, exceptions) => {
  /** A gateway that answers the event "one", which is limited, and "two". */
  function gateway(filters: ClassDecorator[]) {
    class Chat {
      one() {
        return { event: 'one', data: 'ok' }
      }
      two() {
        return { event: 'two', data: 'ok' }
      }
    }
    return decorate(Chat, [WebSocketGateway(), ...filters], {
      one: [SubscribeMessage('one'), limit],
      two: [SubscribeMessage('two')],
    })
  }

  test('the client receives the code, the wait and the policies, and keeps its connection', async () => {
    const client = await (await serve({ providers: [gateway(exceptions)] }))()
    client.send('one')
    await client.received(1)
    client.send('one')
    await client.received(2)
    client.send('two')
    expect(await client.received(3)).toEqual([
      ['one', 'ok'],
      ['exception', { status: 429, ...report('Chat.one') }],
      ['two', 'ok'],
    ])
  })

  test('a filter of the application receives the exception with its numbers, and answers', async () => {
    const caught: unknown[] = []
    class Filter implements WsExceptionFilter<WsException> {
      catch(exception: WsException, host: ArgumentsHost) {
        caught.push(exception.getError())
        const data = { wait: Reflect.get(Object(exception.getError()), 'retryAfterMs') }
        const client = host.switchToWs().getClient<{
          emit(event: string, data: unknown): void
          send(text: string): void
        }>()
        if (platform === 'ws') client.send(JSON.stringify({ event: 'slower', data }))
        else client.emit('slower', data)
      }
    }
    Catch(WsException)(Filter)
    const client = await (await serve({ providers: [gateway([UseFilters(new Filter())])] }))()
    client.send('one')
    await client.received(1)
    client.send('one')
    expect(await client.received(2)).toEqual([
      ['one', 'ok'],
      ['slower', { wait: 10_000 }],
    ])
    expect(caught).toEqual([{ status: 429, ...report('Chat.one') }])
  })

  if (platform === 'ws') {
    test("Nest's own filter sends nothing to a client of ws, whose connection stays open", async () => {
      const client = await (await serve({ providers: [gateway([])] }))()
      client.send('one')
      await client.received(1)
      client.send('one')
      // By the second answer, an exception would have arrived.
      for (const count of [2, 3]) {
        client.send('two')
        await client.received(count)
      }
      expect(await client.received(3)).toEqual([
        ['one', 'ok'],
        ['two', 'ok'],
        ['two', 'ok'],
      ])
    })
  }
})

describe.each(subscriptionDrivers)('filters of a subscription: %s', (...driver) => {
  const schema = 'type Query { one: String } type Subscription { ticks: String }'

  async function* ticking() {
    yield { ticks: '1' }
  }

  function clock() {
    class Clock {
      one() {
        return 'one'
      }
      ticks() {
        return ticking()
      }
    }
    return decorate(Clock, [Resolver()], {
      one: [Query('one')],
      ticks: [Subscription('ticks'), limit],
    })
  }

  test('the client receives the code, the wait and the policies, and keeps its connection', async () => {
    const subscribe = (await serveSubscriptions(driver, schema, { providers: [clock()] }))()
    expect(await subscribe('subscription { ticks }')).toEqual({
      data: [{ ticks: '1' }],
      errors: [],
    })
    expect(await subscribe('subscription { ticks }')).toEqual({
      data: [],
      errors: [{ message: 'Too many requests', extensions: report('Clock.ticks') }],
    })
    expect(await subscribe('{ one }')).toEqual({ data: [{ one: 'one' }], errors: [] })
  })

  test('a filter of the application receives the exception with its numbers, and answers', async () => {
    const caught: unknown[] = []
    class Filter implements ExceptionFilter<RateLimitException> {
      catch({ decision, extensions }: RateLimitException) {
        caught.push([extensions, decision?.allowed, decision?.retryAfterMs, decision?.remaining])
        return new GraphQLError(`Wait ${decision?.retryAfterMs} ms.`, { extensions: { own: true } })
      }
    }
    Catch(RateLimitException)(Filter)
    const providers = [clock()]
    const connect = await serveSubscriptions(
      driver,
      schema,
      { providers },
      { filters: [new Filter()] },
    )
    const subscribe = connect()
    await subscribe('subscription { ticks }')
    expect(await subscribe('subscription { ticks }')).toMatchObject({
      data: [],
      errors: [{ message: 'Wait 10000 ms.', extensions: { own: true } }],
    })
    expect(caught).toEqual([[report('Clock.ticks'), false, 10_000, 0]])
  })
})

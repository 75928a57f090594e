import { Logger, UseGuards, type Type } from '@nestjs/common'
import { MessageBody, SubscribeMessage, WebSocketGateway } from '@nestjs/websockets'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  byConnection,
  byHeader,
  byIp,
  byRoute,
  byUser,
  concurrency,
  firstOf,
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
import { counted, decorate, once } from './apps.js'
import { sockets } from './gateway-apps.js'

const twice = { ...once, limit: 2 }

const denied = (policy: string) => [
  'exception',
  {
    status: 429,
    code: 'RATE_LIMITED',
    retryAfterMs: 60_000,
    'violated-policies': [policy],
  },
]

describe.each(sockets)('a gateway on %s', (platform, serve, exceptions) => {
  /** A gateway that answers the events "one" and "two". */
  function gateway(
    above: ClassDecorator[],
    { one = [], two = [] }: { one?: MethodDecorator[]; two?: MethodDecorator[] } = {},
  ) {
    class Chat {
      one(..._args: unknown[]): unknown {
        return { event: 'one', data: 'ok' }
      }
      two(): unknown {
        return { event: 'two', data: 'ok' }
      }
    }
    return decorate(Chat, [WebSocketGateway(), ...exceptions, ...above], {
      one: [SubscribeMessage('one'), ...one],
      two: [SubscribeMessage('two'), ...two],
    })
  }

  const connecting = async (gateway: Type) => serve({ providers: [gateway] })

  test('a decorator limits its messages alone, by the address', async () => {
    const connect = await connecting(gateway([], { one: [RateLimit(once)] }))
    const [client, other] = [await connect(), await connect()]
    client.send('one')
    expect(await client.received(1)).toEqual([['one', 'ok']])
    client.send('two')
    expect((await client.received(2))[1]).toEqual(['two', 'ok'])
    other.send('one')
    expect(await other.received(1)).toEqual([denied('Chat.one')])
  })

  test('many messages of a client wait for their methods without a warning of Node', async () => {
    const warned: string[] = []
    const note = ({ name }: Error) => void warned.push(name)
    process.on('warning', note)
    onTestFinished(() => void process.off('warning', note))
    const ends: (() => void)[] = []
    class Chat {
      async one() {
        await new Promise<void>((resolve) => ends.push(resolve))
        return { event: 'one', data: 'ok' }
      }
    }
    const limit = RateLimit({ policies: concurrency({ limit: 20, lease: '1m' }) })
    decorate(Chat, [WebSocketGateway()], { one: [SubscribeMessage('one'), limit] })
    const client = await (await connecting(Chat))()
    for (let n = 0; n < 15; n++) client.send('one')
    await vi.waitFor(() => expect(ends).toHaveLength(15))
    for (const end of ends) end()
    await client.received(15)
    expect(warned).toEqual([])
  })

  test('a message without its key is an error of the client', async () => {
    const key = byUser(() => null)
    const client = await (await connecting(gateway([], { one: [RateLimit({ ...once, key })] })))()
    client.send('one')
    const content = { status: 400, code: 'BAD_REQUEST', message: 'The request has no user.' }
    expect(await client.received(1)).toEqual([['exception', content]])
  })

  test('a decorator at a class limits its messages together, except those that SkipRateLimit names', async () => {
    const connect = await connecting(gateway([RateLimit(once)], { two: [SkipRateLimit()] }))
    const client = await connect()
    for (const event of ['one', 'two', 'one', 'two']) client.send(event)
    const answers = await client.received(4)
    expect(answers.filter(([event]) => event === 'exception')).toEqual([denied('Chat')])
    expect(answers.filter(([event]) => event === 'two').length).toBe(2)
  })

  test('the guard of the module does not reach it, and a decorator inherits its options', async () => {
    const connect = await serve({
      imports: [RateLimitModule.forRoot({ ...once, limit: 0 })],
      providers: [gateway([], { one: [RateLimit({ limit: 1 })] })],
    })
    const client = await connect()
    client.send('two')
    client.send('one')
    await client.received(2)
    client.send('one')
    expect((await client.received(3))[2]).toEqual(denied('Chat.one'))
  })

  test('a method with the guard and without a decorator has the limit of the module', async () => {
    const connect = await serve({
      imports: [RateLimitModule.forRoot({ ...once, global: false })],
      providers: [gateway([], { one: [UseGuards(RateLimitGuard)] })],
    })
    const client = await connect()
    client.send('one')
    await client.received(1)
    client.send('one')
    expect((await client.received(2))[1]).toEqual(denied('default'))
  })

  test('byConnection counts each connection', async () => {
    const limit = RateLimit({ ...once, key: [byConnection(), byRoute()] })
    const connect = await connecting(gateway([limit]))
    const [client, other] = [await connect(), await connect()]
    client.send('one')
    client.send('two')
    await client.received(2)
    client.send('one')
    expect((await client.received(3))[2]).toEqual(denied('Chat'))
    other.send('one')
    expect(await other.received(1)).toEqual([['one', 'ok']])
  })

  test('a key function receives the socket and the data', async () => {
    const calls: NestCall[] = []
    const limit = RateLimit({
      ...once,
      key: byUser((call: NestCall<unknown, { user: string }>) => {
        calls.push(call)
        return call.data?.user
      }),
    })
    const connect = await connecting(gateway([], { one: [limit] }))
    const client = await connect()
    for (const user of ['ada', 'bob', 'ada']) client.send('one', { user })
    const answers = await client.received(3)
    expect(answers.filter(([event]) => event === 'exception')).toEqual([denied('Chat.one')])
    expect(calls.map(({ type, data }) => [type, data])).toEqual(
      ['ada', 'bob', 'ada'].map((user) => ['ws', { user }]),
    )
    expect(
      calls.every((call) => call.client === calls[0].client && call.client !== undefined),
    ).toBe(true)
  })

  test('a forged header changes nothing', async () => {
    const connect = await connecting(gateway([], { one: [RateLimit(once)] }))
    for (const [i, answer] of [['one', 'ok'], denied('Chat.one')].entries()) {
      const client = await connect({ 'x-forwarded-for': `192.0.2.${i}` })
      client.send('one')
      expect(await client.received(1)).toEqual([answer])
    }
  })

  test('denies a client in the list "deny", and allows one in "allow"', async () => {
    const never = { ...once, limit: 0 }
    const connect = await connecting(
      gateway([], {
        one: [RateLimit({ ...never, deny: ['127.0.0.1'] })],
        two: [RateLimit({ ...never, allow: ['127.0.0.1'] })],
      }),
    )
    const client = await connect()
    client.send('one')
    expect(await client.received(1)).toEqual([['exception', { status: 403, code: 'FORBIDDEN' }]])
    client.send('two')
    expect((await client.received(2))[1]).toEqual(['two', 'ok'])
  })

  test.each<[string, Pick<RateLimitOptions, 'skip' | 'dryRun' | 'onDenied'>]>([
    ['skip', { skip: () => true }],
    ['dryRun', { dryRun: true }],
    ['onDenied', { onDenied: () => true }],
  ])('allows a message by %s', async (_name, own) => {
    const connect = await connecting(
      gateway([], { one: [RateLimit({ ...once, limit: 0, ...own })] }),
    )
    const client = await connect()
    client.send('one')
    expect(await client.received(1)).toEqual([['one', 'ok']])
  })

  test.each([
    ['RateLimit', RateLimit({ name: 'counted' })],
    ['UseGuards', UseGuards(RateLimitGuard)],
  ])('refunds a message whose method succeeds, with count: "failures" and %s', async (_, on) => {
    const { options, used } = counted(fixedWindow({ limit: 5, window: '1m' }))
    class Logins {
      login(fails: boolean) {
        if (fails) throw new Error('wrong password')
        return { event: 'login', data: used() }
      }
    }
    decorate(Logins, [WebSocketGateway(), ...exceptions], {
      login: [SubscribeMessage('login'), on],
    })
    MessageBody()(Logins.prototype, 'login', 0)
    const module = RateLimitModule.forRoot({ ...options, count: 'failures', global: false })
    const client = await (await serve({ imports: [module], providers: [Logins] }))()
    client.send('login', false)
    expect(await client.received(1)).toEqual([['login', 1]])
    await vi.waitFor(() => expect(used()).toBe(0))
    client.send('login', true)
    client.send('login', false)
    expect((await client.received(platform === 'ws' ? 2 : 3)).at(-1)).toEqual(['login', 2])
    await vi.waitFor(() => expect(used()).toBe(1))
  })

  test('a lease ends with its method', async () => {
    const { options, used } = counted(concurrency({ limit: 1, lease: '1m' }))
    const ends: ((error?: Error) => void)[] = []
    class Slow {
      async work() {
        await new Promise<void>((resolve, reject) =>
          ends.push((error) => (error === undefined ? resolve() : reject(error))),
        )
        return { event: 'work', data: 'done' }
      }
    }
    decorate(Slow, [WebSocketGateway(), ...exceptions], {
      work: [SubscribeMessage('work'), RateLimit(options)],
    })
    const connect = await connecting(Slow)
    const client = await connect()
    for (const error of [undefined, new Error('failed')]) {
      ends.length = 0
      client.send('work')
      await vi.waitUntil(() => ends.length === 1)
      expect(used()).toBe(1)
      const other = await connect()
      other.send('work')
      expect(await other.received(1)).toMatchObject([['exception', { retryAfterMs: 1000 }]])
      ends[0](error)
      await vi.waitFor(() => expect(used()).toBe(0))
    }
  })

  test('does not log denials', async () => {
    const logged = vi.fn<(...args: unknown[]) => void>()
    const logger = { log() {}, warn: logged, error: logged, fatal: logged }
    const limited = gateway([], { one: [RateLimit({ ...once, limit: 0 })] })
    const connect = await connecting(limited)
    Logger.overrideLogger(logger)
    const client = await connect()
    client.send('one')
    expect(await client.received(1)).toEqual([
      ['exception', expect.objectContaining({ status: 429 })],
    ])
    Logger.overrideLogger(false)
    expect(logged.mock.calls).toEqual([])
  })

  test.each([{ some: 'data' }, 'text'])('passes the decision to a parameter: %j', async (data) => {
    class Chat {
      one({ remaining }: Decision) {
        return { event: 'one', data: remaining }
      }
    }
    decorate(Chat, [WebSocketGateway()], {
      one: [SubscribeMessage('one'), RateLimit({ ...twice, limit: 9 })],
    })
    RateLimitDecision()(Chat.prototype, 'one', 0)
    const client = await (await connecting(Chat))()
    client.send('one', data)
    expect(await client.received(1)).toEqual([['one', 8]])
  })

  if (platform === 'socket.io') {
    test('byHeader finds the headers of the handshake', async () => {
      const key = firstOf(byHeader('x-api-key'), byIp())
      const connect = await connecting(gateway([], { one: [RateLimit({ ...once, key })] }))
      for (const [name, answer] of [
        ['a', ['one', 'ok']],
        ['b', ['one', 'ok']],
        ['a', denied('Chat.one')],
      ] as const) {
        const client = await connect({ 'x-api-key': name })
        client.send('one')
        expect(await client.received(1)).toEqual([answer])
      }
    })
  }
})

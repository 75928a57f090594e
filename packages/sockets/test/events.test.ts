import { setImmediate as turn } from 'node:timers/promises'
import type { Socket } from 'socket.io'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyQueue,
  limitEvents,
  type Limiter,
  type Policy,
  type SocketEvent,
} from '../src/index.js'
import { outcomeOf, startIo, warnings } from './servers.js'
import { createGate, slowly } from './slow-limiter.js'

const three = fixedWindow({ limit: 3, window: '1m' })
const denied = { error: { code: 'RATE_LIMITED', retryAfterMs: 60_000 } }

function limiterOf(policies: Policy = three): Limiter {
  return createLimiter({ name: 'events', policies, clock: () => 0 })
}

/** A server whose sockets note their events and acknowledge them. */
async function serve(...limits: Parameters<typeof limitEvents<Socket>>) {
  const events: unknown[] = []
  const errors: unknown[] = []
  const server = await startIo((io) => {
    io.use(limitEvents<Socket>(...limits))
    io.on('connection', (socket) => {
      socket.on('error', (error) => errors.push(Reflect.get(error, 'data')))
      socket.on('add', (value: unknown, acknowledge?: (text: string) => void) => {
        events.push(value)
        acknowledge?.(`added ${String(value)}`)
      })
    })
  })
  const connected = async (options?: Parameters<typeof server.connect>[0]) => {
    const client = server.connect(options)
    expect(await outcomeOf(client)).toBeUndefined()
    return client
  }
  return { ...server, events, errors, connected }
}

describe('limitEvents', () => {
  test('denies the event that would exceed the limit of its connection, in its acknowledgement', async () => {
    const { connected, events } = await serve(limiterOf())
    const client = await connected()
    const answers = await Promise.all([1, 2, 3, 4].map((n) => client.emitWithAck('add', n)))
    expect(answers).toEqual(['added 1', 'added 2', 'added 3', denied])
    expect(events).toEqual([1, 2, 3])
    const other = await connected()
    expect(await other.emitWithAck('add', 5)).toBe('added 5')
  })

  test("emits the socket's error for a denied event without an acknowledgement", async () => {
    const { connected, events, errors } = await serve(limiterOf())
    const client = await connected()
    for (const n of [1, 2, 3, 4, 5]) client.emit('add', n)
    await vi.waitFor(() => expect(errors).toHaveLength(2))
    expect(errors[0]).toEqual(denied.error)
    expect(events).toEqual([1, 2, 3])
    expect(client.connected).toBe(true)
  })

  test('keeps the order of events whose decisions come in another order', async () => {
    const gates = Array.from({ length: 5 }, createGate)
    const limiter = slowly(limiterOf(fixedWindow({ limit: 4, window: '1m' })), gates)
    const { connected, events } = await serve(limiter)
    const client = await connected()
    const answers = [1, 2, 3, 4, 5].map((n) => client.emitWithAck('add', n))
    await vi.waitFor(() => expect(limiter.calls()).toBe(5))
    for (const i of [3, 1, 4, 2, 0]) {
      expect(events).toEqual([])
      gates[i].open()
      await turn()
    }
    expect((await Promise.all(answers)).at(-1)).toEqual(denied)
    expect(events).toEqual([1, 2, 3, 4])
  })

  test('keeps the order if the decision of a later event is known at once', async () => {
    const { opened, open } = createGate()
    const asked: unknown[] = []
    const { connected, events } = await serve(limiterOf(), {
      key: ({ args }) => (asked.push(args[0]), args[0] === 1 ? opened.then(() => 'slow') : 'fast'),
    })
    const client = await connected()
    const answers = [1, 2].map((n) => client.emitWithAck('add', n))
    await vi.waitFor(() => expect(asked).toEqual([1, 2]))
    await turn()
    expect(events).toEqual([])
    open()
    await Promise.all(answers)
    expect(events).toEqual([1, 2])
  })

  test('denies events beyond 256 that wait for a decision', async () => {
    const decided = createGate()
    const limiter = slowly(limiterOf(fixedWindow({ limit: 1000, window: '1m' })), [decided])
    const { connected, events } = await serve(limiter)
    const client = await connected()
    const answers = Array.from({ length: 300 }, async (_, n) => client.emitWithAck('add', n))
    const over = { error: { code: 'RATE_LIMITED', retryAfterMs: 1000 } }
    expect(await Promise.all(answers.slice(256))).toEqual(Array.from({ length: 44 }, () => over))
    expect(events).toEqual([])
    decided.open()
    await Promise.all(answers)
    expect(events).toEqual(Array.from({ length: 256 }, (_, n) => n))
    expect(limiter.calls()).toBe(256)
  })

  test('drops the events of a socket that disconnects while their decisions are due', async () => {
    const decided = createGate()
    const limiter = slowly(limiterOf(), [decided])
    const { connected, events, sockets } = await serve(limiter)
    const client = await connected()
    client.emit('add', 1)
    await vi.waitFor(() => expect(limiter.calls()).toBe(1))
    client.disconnect()
    await vi.waitFor(() => expect(sockets[0].connected).toBe(false))
    decided.open()
    await turn()
    expect(events).toEqual([])
  })

  test('takes keys and costs from the event', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 10, window: '1m' }))
    const { connected } = await serve(limiter, {
      key: ({ socket, name }) => ['of', socket.handshake.address, name],
      cost: ({ args }) => String(args[0]).length,
    })
    const client = await connected()
    expect(await client.emitWithAck('add', 'a'.repeat(8))).toBe('added aaaaaaaa')
    expect(await client.emitWithAck('add', 'bbb')).toEqual(denied)
    const { policies } = await limiter.status(['of', '127.0.0.1', 'add'])
    expect(policies['default'].used).toBe(8)
  })

  test('never takes all arguments of an event as a key, nor a list of the handshake', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warned.mockRestore())
    const keys = [
      ({ args }: SocketEvent<Socket>) => args as string[],
      ({ socket }: SocketEvent<Socket>) => socket.handshake.auth['names'] as string[],
    ]
    for (const key of keys) {
      const { connected, events } = await serve(limiterOf(), { key })
      const client = await connected({ auth: { names: ['ann', '1'] } })
      const failed = { error: { code: 'RATE_LIMIT_FAILED', retryAfterMs: null } }
      expect(await client.emitWithAck('add', 'x')).toEqual(failed)
      expect(events).toEqual([])
    }
  })

  test('never takes a list that the client sent as a key, and reports it', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const { connected, events } = await serve(limiterOf(), {
      key: ({ args }) => args[0] as string[],
    })
    const client = await connected()
    const failed = { error: { code: 'RATE_LIMIT_FAILED', retryAfterMs: null } }
    expect(await client.emitWithAck('add', ['x'])).toEqual(failed)
    expect(await client.emitWithAck('add', ['y'])).toEqual(failed)
    expect(events).toEqual([])
    expect(warned).toHaveBeenCalledTimes(1)
    expect(warned.mock.calls[0][0]).toMatchObject({ code: 'SLUICE_KEY_INVALID' })
    warned.mockRestore()
  })

  test('denies an event if a function of the options, the limiter or the handler of denials fails', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const fail = () => {
      throw new Error('broken')
    }
    const closed = { ...limiterOf(), consume: async () => Promise.reject(new Error('closed')) }
    const none = limiterOf(fixedWindow({ limit: 0, window: '1m' }))
    const servers = [
      await serve(limiterOf(), { key: fail }),
      await serve(limiterOf(), { cost: fail }),
      await serve(limiterOf(), { cost: () => undefined as never }),
      await serve(closed),
      await serve(none, { onDenied: fail }),
      await serve(none, { onDenied: async () => fail() }),
    ]
    for (const { connected, events } of servers) {
      const client = await connected()
      expect(await client.emitWithAck('add', 1)).toEqual({
        error: { code: 'RATE_LIMIT_FAILED', retryAfterMs: null },
      })
      expect(events).toEqual([])
      expect(client.connected).toBe(true)
    }
    expect(warned).toHaveBeenCalledTimes(servers.length)
    warned.mockRestore()
  })

  test('hands a denied event to the application, which drops it or lets it pass', async () => {
    const { connected, events } = await serve(limiterOf(fixedWindow({ limit: 0, window: '1m' })), {
      onDenied({ args, acknowledge }, next, { deniedBy }) {
        if (args[0] === 'vital') return next()
        return acknowledge?.(`denied by ${deniedBy.join()}`)
      },
    })
    const client = await connected()
    expect(await client.emitWithAck('add', 'vital')).toBe('added vital')
    expect(await client.emitWithAck('add', 'other')).toBe('denied by default')
    expect(events).toEqual(['vital'])
  })

  test('holds the units of many events with one listener, until their socket disconnects', async () => {
    const warned = warnings()
    const limiter = limiterOf(concurrency({ limit: 20, lease: '1m' }))
    const due: (() => void)[] = []
    const server = await startIo((io) => {
      io.use(limitEvents(limiter, { key: 'all' }))
      io.on('connection', (socket) => socket.on('work', (done) => void due.push(done)))
    })
    const held = async () => (await limiter.status('all')).policies['default'].used
    const client = server.connect()
    await outcomeOf(client)
    for (let n = 0; n < 15; n++) void client.emitWithAck('work').catch(() => {})
    await vi.waitFor(() => expect(due).toHaveLength(15))
    due[0]()
    expect([await held(), warned]).toEqual([14, []])
    client.disconnect()
    await vi.waitFor(async () => expect(await held()).toBe(0))
  })

  test('holds a unit of concurrency until an event is acknowledged, or its socket disconnects', async () => {
    const limiter = limiterOf(concurrency({ limit: 1, lease: '1m' }))
    const due: (() => void)[] = []
    const told: number[] = []
    const server = await startIo((io) => {
      io.use(limitEvents(limiter, { key: 'all' }))
      io.on('connection', (socket) => socket.on('work', (done) => void due.push(done)))
      io.on('connection', (socket) => socket.on('tell', async () => void told.push(await held())))
    })
    const held = async () => (await limiter.status('all')).policies['default'].used
    const client = server.connect()
    await outcomeOf(client)
    const first = client.emitWithAck('work')
    await vi.waitFor(() => expect(due).toHaveLength(1))
    expect(await client.emitWithAck('work')).toMatchObject({ error: { retryAfterMs: 1000 } })
    due[0]()
    await first
    expect(await held()).toBe(0)
    void client.emitWithAck('work').catch(() => {})
    await vi.waitFor(() => expect(due).toHaveLength(2))
    expect(await held()).toBe(1)
    client.disconnect()
    await vi.waitFor(async () => expect(await held()).toBe(0))
    const other = server.connect()
    await outcomeOf(other)
    other.emit('tell')
    await vi.waitFor(() => expect(told).toEqual([1]))
    await vi.waitFor(async () => expect(await held()).toBe(0))
  })

  test('delays events that a leaky queue asks to delay, and ends the delays of a socket that disconnects', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const policies = leakyQueue({ leak: 1, every: '20s', maxDelay: '1h' })
    const limiter = createLimiter({ name: 'events', policies, clock: () => 0 })
    const { connected, events, sockets } = await serve(limiter, { key: 'all' })
    const delayMs = async () => (await limiter.peek('all')).delayMs
    const client = await connected()
    const [first, second] = [1, 2].map((n) => client.emitWithAck('add', n))
    await first
    expect(await delayMs()).toBe(40_000)
    await vi.advanceTimersByTimeAsync(19_999)
    expect(events).toEqual([1])
    await vi.advanceTimersByTimeAsync(1)
    await second
    for (let n = 3; n < 60; n++) client.emit('add', n)
    await vi.waitFor(async () => expect(await delayMs()).toBe(59 * 20_000))
    client.disconnect()
    await vi.waitFor(() => expect(sockets[0].connected).toBe(false))
    // Each delayed event is refunded, and a queue returns the time of its last one.
    await vi.waitFor(async () => expect(await delayMs()).toBe(58 * 20_000))
    expect(events).toEqual([1, 2])
  })

  test('sends no further denials to a client that does not read them', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 0, window: '1m' }))
    const { connected, errors, sockets } = await serve(limiter)
    const client = await connected()
    const { conn } = sockets[0]
    Reflect.set(conn.transport, 'writable', false)
    for (let n = 0; n < 6000; n++) client.emit('add', n, () => {})
    client.emit('add', 'last')
    const unsent = () => (Reflect.get(conn, 'writeBuffer') as unknown[]).length
    await vi.waitFor(() => expect(errors).toHaveLength(1))
    expect(unsent()).toBe(4096)
  })

  test('is refused while recovered connections skip middlewares', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    for (const skipMiddlewares of [true, false]) {
      const server = await startIo((io) => io.use(limitEvents(limiterOf())), {
        connectionStateRecovery: { skipMiddlewares },
      })
      expect(await outcomeOf(server.connect())).toEqual(
        skipMiddlewares ? { code: 'RATE_LIMIT_FAILED', retryAfterMs: null } : undefined,
      )
    }
    expect(warned.mock.calls.map(([error]) => Reflect.get(Object(error), 'code'))).toEqual([
      'SLUICE_OPTIONS_CONFLICT',
    ])
    warned.mockRestore()
  })
})

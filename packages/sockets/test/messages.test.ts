import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import {
  byHeader,
  byIp,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  limitMessages,
  type Limiter,
  type Policy,
} from '../src/index.js'
import { startWs, textOf } from './servers.js'
import { createGate, slowly } from './slow-limiter.js'

const three = fixedWindow({ limit: 3, window: '1m' })
const denied = { error: 'RATE_LIMITED', retryAfterMs: 60_000 }

function limiterOf(policies: Policy = three): Limiter {
  return createLimiter({ name: 'messages', policies, clock: () => 0 })
}

type Options = Partial<Parameters<typeof limitMessages<WebSocket>>[2]>

/** A server that notes each message and echoes it. */
async function serve(limiter: Limiter, options: Options = {}) {
  const messages: string[] = []
  const accepted: WebSocket[] = []
  const server = await startWs((sockets) => {
    sockets.on('connection', (socket, request) => {
      accepted.push(socket)
      limitMessages(socket, limiter, {
        request,
        onMessage(data) {
          messages.push(textOf(data))
          socket.send(`echo: ${textOf(data)}`)
        },
        ...options,
      })
    })
  })
  async function connected(headers: Record<string, string> = {}) {
    const client = server.connect({ headers })
    const seen: unknown[] = []
    client.on('message', (data) => {
      const text = textOf(data)
      seen.push(text.startsWith('{') ? JSON.parse(text) : text)
    })
    const closed = once(client, 'close').then(([code, reason]) => `${code} ${reason}`)
    await once(client, 'open')
    return { client, seen, closed }
  }
  return { messages, accepted, connected }
}

describe('limitMessages', () => {
  test('tells a denied client to wait, and closes the socket at the third denial', async () => {
    const { connected, messages, accepted } = await serve(limiterOf())
    const { client, seen, closed } = await connected()
    for (let n = 1; n <= 9; n++) client.send(`${n}`)
    expect(await closed).toBe('1008 rate limited')
    expect(seen).toEqual(['echo: 1', 'echo: 2', 'echo: 3', denied, denied])
    expect(messages).toEqual(['1', '2', '3'])
    expect(accepted[0].listenerCount('message')).toBe(0)
    const other = await connected()
    other.client.send('a')
    await vi.waitFor(() => expect(other.seen).toEqual(['echo: a']))
  })

  test('asks the limiter no more after the socket is closed', async () => {
    let calls = 0
    const limiter = limiterOf(fixedWindow({ limit: 0, window: '1m' }))
    const consume: Limiter['consume'] = async (...call) => (calls++, turn(limiter.consume(...call)))
    const { connected } = await serve({ ...limiter, consume })
    const { client, closed } = await connected()
    for (let n = 0; n < 3; n++) client.send('x')
    await closed
    const before = calls
    for (let n = 0; n < 20; n++) client.send('x')
    await sleep(20)
    expect(calls).toBe(before)
  })

  test('counts denials from the start when the quota would have been full again', async () => {
    let now = 0
    const monotonic = vi.spyOn(performance, 'now').mockImplementation(() => now)
    onTestFinished(() => monotonic.mockRestore())
    const policies = gcra({ limit: 10, window: '1s', burst: 1 })
    const limiter = createLimiter({ name: 'messages', policies, clock: () => now })
    const { connected } = await serve(limiter)
    const { client, seen } = await connected()
    for (let round = 1; round <= 3; round++) {
      for (let n = 0; n < 3; n++) client.send(`${round}`)
      await vi.waitFor(() => expect(seen).toHaveLength(3 * round))
      now += 1000
    }
    await sleep(20)
    expect(client.readyState).toBe(client.OPEN)
    expect(seen).toHaveLength(9)
    expect(seen.filter((one) => typeof one === 'string')).toHaveLength(3)
  })

  test('keeps the order of messages whose decisions come in another order', async () => {
    const gates = Array.from({ length: 5 }, createGate)
    const limiter = slowly(limiterOf(fixedWindow({ limit: 4, window: '1m' })), gates)
    const { connected, messages } = await serve(limiter)
    const { client, seen } = await connected()
    for (let n = 1; n <= 5; n++) client.send(`${n}`)
    await vi.waitFor(() => expect(limiter.calls()).toBe(5))
    for (const i of [3, 1, 4, 2, 0]) {
      expect(messages).toEqual([])
      gates[i].open()
      await turn()
    }
    await vi.waitFor(() => expect(seen).toHaveLength(5))
    expect(seen).toEqual(['echo: 1', 'echo: 2', 'echo: 3', 'echo: 4', denied])
  })

  test('stops reading while many messages wait, and denies those beyond 256 with one answer', async () => {
    const decided = createGate()
    const limiter = slowly(limiterOf(fixedWindow({ limit: 10_000, window: '1m' })), [decided])
    const { connected, messages, accepted } = await serve(limiter)
    const { client, seen } = await connected()
    // One write, so that the server reads all of them at once.
    const { _socket: socket } = client as unknown as { _socket: Socket }
    socket.cork()
    for (let n = 0; n < 1000; n++) client.send('x')
    socket.uncork()
    // Longer than one read.
    client.send('last '.repeat(50_000))
    await vi.waitFor(() => expect(seen).toHaveLength(1))
    expect(seen).toEqual([{ error: 'RATE_LIMITED', retryAfterMs: 1000 }])
    expect(accepted[0].isPaused).toBe(true)
    decided.open()
    await vi.waitFor(() => expect(messages.at(-1)).toMatch(/^last/))
    expect(messages).toHaveLength(257)
    expect(limiter.calls()).toBe(257)
    await vi.waitFor(() => expect(seen).toHaveLength(258))
    expect(seen.filter((one) => typeof one === 'object')).toHaveLength(1)
    expect(accepted[0].isPaused).toBe(false)
    expect(client.readyState).toBe(client.OPEN)
  })

  test.each(['nodebuffer', 'arraybuffer', 'fragments', 'blob'])(
    'stops reading while a megabyte of messages waits: %s',
    async (form) => {
      const decided = createGate()
      const limiter = slowly(limiterOf(fixedWindow({ limit: 100, window: '1m' })), [decided])
      const { connected, messages, accepted } = await serve(limiter)
      const { client } = await connected()
      Reflect.set(accepted[0], 'binaryType', form)
      client.send(Buffer.alloc(2 ** 20, 'a'))
      await vi.waitFor(() => expect(accepted[0].isPaused).toBe(true))
      client.send('b')
      decided.open()
      await vi.waitFor(() => expect(messages).toHaveLength(2))
      expect(messages[1]).toBe('b')
      expect(accepted[0].isPaused).toBe(false)
    },
  )

  test('does not resume a socket that the application has paused', async () => {
    const decided = createGate()
    const limiter = slowly(limiterOf(fixedWindow({ limit: 1000, window: '1m' })), [decided])
    const { connected, accepted, messages } = await serve(limiter)
    const { client } = await connected()
    accepted[0].once('message', () => accepted[0].pause())
    for (let n = 0; n < 200; n++) client.send('x')
    await vi.waitFor(() => expect(accepted[0].isPaused).toBe(true))
    decided.open()
    await vi.waitFor(() => expect(messages.length).toBe(limiter.calls()))
    await turn()
    expect(accepted[0].isPaused).toBe(true)
  })

  test('uses the address of the socket without a request, and reads headers only from a request', async () => {
    const address = limiterOf()
    const first = await serve(address, { key: byIp(), request: undefined as never })
    const { client, seen } = await first.connected()
    client.send('a')
    await vi.waitFor(() => expect(seen).toEqual(['echo: a']))
    expect((await address.status('ip:127.0.0.1')).policies['default'].used).toBe(1)

    const keyed = limiterOf(fixedWindow({ limit: 1, window: '1m' }))
    const second = await serve(keyed, { key: byHeader('x-key') })
    const ada = await second.connected({ 'x-key': 'ada' })
    const bob = await second.connected({ 'x-key': 'bob' })
    ada.client.send('a')
    bob.client.send('b')
    await vi.waitFor(() => expect([...ada.seen, ...bob.seen]).toEqual(['echo: a', 'echo: b']))
    ada.client.send('c')
    await vi.waitFor(() => expect(ada.seen[1]).toEqual(denied))
  })

  test('takes no address from an object that a client could have sent in place of a request', async () => {
    const limiter = limiterOf()
    const request = { headers: {}, socket: { remoteAddress: '6.6.6.6' } }
    const { connected } = await serve(limiter, { key: byIp(), request })
    const { client, seen } = await connected()
    client.send('a')
    await vi.waitFor(() => expect(seen).toEqual(['echo: a']))
    expect((await limiter.status('ip:6.6.6.6')).policies['default'].used).toBe(0)
    expect((await limiter.status('ip:127.0.0.1')).policies['default'].used).toBe(1)
  })

  test('takes the cost from the bytes of a message', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 100, window: '1m' }))
    const { connected } = await serve(limiter, {
      cost: ({ data }) => Buffer.from(textOf(data)).length,
    })
    const { client, seen } = await connected()
    client.send('a'.repeat(90))
    client.send('b'.repeat(11))
    client.send('c'.repeat(10))
    await vi.waitFor(() => expect(seen).toHaveLength(3))
    expect(seen[1]).toEqual(denied)
    expect(seen[2]).toBe(`echo: ${'c'.repeat(10)}`)
  })

  test('holds a unit of concurrency until the handler is done, also if it throws', async () => {
    const limiter = limiterOf(concurrency({ limit: 1, lease: '1m' }))
    const ends: (() => void)[] = []
    const { connected } = await serve(limiter, {
      key: 'all',
      onMessage: async () => new Promise<void>((resolve) => void ends.push(resolve)),
    })
    const held = async () => (await limiter.status('all')).policies['default'].used
    const { client, seen } = await connected()
    client.send('a')
    client.send('b')
    await vi.waitFor(() => expect(seen).toEqual([{ ...denied, retryAfterMs: 1000 }]))
    expect(await held()).toBe(1)
    ends[0]()
    await vi.waitFor(async () => expect(await held()).toBe(0))
  })

  test('releases the lease of a message whose socket was closed before its decision', async () => {
    const decided = createGate()
    const limiter = slowly(limiterOf(concurrency({ limit: 1, lease: '1m' })), [decided])
    const { accepted, connected, messages } = await serve(limiter, { key: 'all' })
    const { client } = await connected()
    client.send('a')
    await vi.waitFor(() => expect(limiter.calls()).toBe(1))
    client.terminate()
    await vi.waitFor(() => expect(accepted[0].readyState).toBe(client.CLOSED))
    expect((await limiter.status('all')).policies['default'].used).toBe(1)
    decided.open()
    await turn()
    expect(messages).toEqual([])
    expect((await limiter.status('all')).policies['default'].used).toBe(0)
  })

  test('hands a denied message to the application', async () => {
    const { connected } = await serve(limiterOf(fixedWindow({ limit: 0, window: '1m' })), {
      onDenied: ({ socket, data }, { limit }) =>
        socket.send(`${textOf(data)}: ${limit} are too many`),
    })
    const { client, seen } = await connected()
    for (let n = 0; n < 5; n++) client.send(`${n}`)
    await vi.waitFor(() => expect(seen).toHaveLength(5))
    expect(seen[4]).toBe('4: 0 are too many')
  })

  test('denies if the limiter fails, and never closes the socket for it', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const failing = { ...limiterOf(), consume: async () => Promise.reject(new Error('closed')) }
    const { connected, messages } = await serve(failing)
    const { client, seen } = await connected()
    for (let n = 0; n < 5; n++) client.send('x')
    await vi.waitFor(() => expect(seen).toHaveLength(5))
    expect(seen[4]).toEqual({ error: 'RATE_LIMIT_FAILED', retryAfterMs: null })
    expect(messages).toEqual([])
    expect(client.readyState).toBe(client.OPEN)
    expect(warned).toHaveBeenCalledTimes(1)
    warned.mockRestore()
  })
})

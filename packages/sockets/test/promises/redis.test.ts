import { once } from 'node:events'
import { startRedis, useRedis } from '@sluice/test-kit/redis'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import type { WebSocket } from 'ws'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  limitConnections,
  limitEvents,
  limitMessages,
  limitUpgrades,
  redisStore,
} from '../../src/index.js'
import { outcomeOf, responseTo, startIo, startWs, textOf } from '../servers.js'

const redis = useRedis()

const policies = fixedWindow({ limit: 100, window: '1m' })

describe('over Redis', () => {
  test('several servers count together, and hold units of one limit', async () => {
    const limiters = [0, 1].map(() => {
      const store = redisStore(redis.client(), { timeout: '10s' })
      return {
        connections: createLimiter({
          name: 'open',
          policies: concurrency({ limit: 3, lease: '1m' }),
          store,
        }),
        events: createLimiter({ name: 'events', policies, store }),
      }
    })
    const servers = await Promise.all(
      limiters.map(async ({ connections, events }) =>
        startIo((io) => {
          io.use(limitConnections(connections))
          io.use(limitEvents(events, { key: 'all' }))
          io.on('connection', (socket) => socket.on('add', (done) => done('added')))
        }),
      ),
    )
    const clients = [0, 1, 0, 1].map((n) => servers[n].connect())
    const outcomes = await Promise.all(clients.map(outcomeOf))
    expect(outcomes.filter((outcome) => outcome === undefined)).toHaveLength(3)
    const connected = clients.filter((client) => client.connected)
    const answers = await Promise.all(
      connected.flatMap((client) =>
        Array.from({ length: 50 }, async () => client.emitWithAck('add')),
      ),
    )
    expect(answers.filter((answer) => answer === 'added')).toHaveLength(100)
    for (const client of connected) client.disconnect()
    await vi.waitFor(async () => {
      const { policies: counts } = await limiters[0].connections.status('ip:127.0.0.1')
      expect(counts['default'].used).toBe(0)
    })
  })

  test('events and messages keep their order', async () => {
    const store = redisStore(redis.client(), { timeout: '10s' })
    const limiter = createLimiter({
      name: 'order',
      policies: fixedWindow({ limit: 500, window: '1m' }),
      store,
    })
    const numbers = Array.from({ length: 250 }, (_, n) => n)
    const events: unknown[] = []
    const io = await startIo((server) => {
      server.use(limitEvents(limiter))
      server.on('connection', (socket) => socket.on('add', (n) => void events.push(n)))
    })
    const client = io.connect()
    await outcomeOf(client)
    for (const n of numbers) client.emit('add', n)
    await vi.waitFor(() => expect(events).toHaveLength(numbers.length))
    expect(events).toEqual(numbers)

    const messages: number[] = []
    const ws = await startWs((sockets) =>
      sockets.on('connection', (socket) =>
        limitMessages(socket, limiter, {
          onMessage: (data) => void messages.push(Number(textOf(data))),
        }),
      ),
    )
    const sender = ws.connect()
    await once(sender, 'open')
    for (const n of numbers) sender.send(`${n}`)
    await vi.waitFor(() => expect(messages).toHaveLength(numbers.length))
    expect(messages).toEqual(numbers)
  })

  test.each(['local', 'allow', 'deny'] as const)(
    'onStoreError: %s decides while Redis is killed, no socket is closed for it, and Redis counts when it has returned',
    async (onStoreError) => {
      const first = await startRedis()
      const { port } = first
      const client = first.client({ retryStrategy: () => 50, maxRetriesPerRequest: 0 })
      const limiter = createLimiter({
        name: 'killed',
        policies: fixedWindow({ limit: 2, window: '1m' }),
        store: redisStore(client, { timeout: '10s' }),
        onStoreError,
      })
      const seen: string[] = []
      const closes: number[] = []
      const server = await startWs((sockets, http) => {
        limitUpgrades(http, limiter, { key: 'upgrades' })
        sockets.on('connection', (socket: WebSocket) => {
          socket.on('close', (code) => closes.push(code))
          limitMessages(socket, limiter, {
            key: 'messages',
            onMessage: (data) => void seen.push(`allowed ${textOf(data)}`),
            onDenied: ({ data }, { source }) => void seen.push(`denied ${textOf(data)} ${source}`),
          })
        })
      })
      const sender = server.connect()
      await once(sender, 'open')
      sender.send('before')
      await vi.waitFor(() => expect(seen).toEqual(['allowed before']))
      process.kill(first.pid, 'SIGKILL')
      await vi.waitFor(() => expect(client.status).not.toBe('ready'))

      for (const n of [1, 2, 3]) sender.send(`${n}`)
      await vi.waitFor(() => expect(seen).toHaveLength(4))
      const expected = {
        local: ['allowed 1', 'allowed 2', 'denied 3 fallback'],
        allow: ['allowed 1', 'allowed 2', 'allowed 3'],
        deny: ['denied 1 closed', 'denied 2 closed', 'denied 3 closed'],
      }
      expect(seen.slice(1)).toEqual(expected[onStoreError])
      expect((await responseTo(server.connect())).status).toBe(onStoreError === 'deny' ? 429 : 101)

      const second = await startRedis({ port })
      await vi.waitFor(async () => expect((await limiter.peek('messages')).source).toBe('store'), {
        timeout: 5000,
      })
      seen.length = 0
      for (const n of [1, 2, 3]) sender.send(`${n}`)
      await vi.waitFor(() => expect(seen).toHaveLength(3))
      expect(seen).toEqual(['allowed 1', 'allowed 2', 'denied 3 store'])
      expect(closes).toEqual([])
      client.disconnect()
      await Promise.all([first.stop(), second.stop()])
    },
  )

  test('a flood while Redis hangs is denied beyond 256 waiting messages, and the socket stays open', async () => {
    const stopped = await startRedis()
    onTestFinished(async () => stopped.stop())
    const client = stopped.client()
    await client.ping()
    const limiter = createLimiter({
      name: 'hangs',
      policies: fixedWindow({ limit: 10_000, window: '1m' }),
      store: redisStore(client, { timeout: '1m' }),
    })
    let allowed = 0
    const server = await startIo((io) => {
      io.use(limitEvents(limiter))
      io.on('connection', (socket) =>
        socket.on('add', (done) => {
          allowed++
          done('added')
        }),
      )
    })
    const flooding = server.connect()
    await outcomeOf(flooding)
    process.kill(stopped.pid, 'SIGSTOP')
    const answers = Array.from({ length: 1000 }, async () => flooding.emitWithAck('add'))
    expect(await Promise.all(answers.slice(256))).not.toContain('added')
    expect(allowed).toBe(0)
    process.kill(stopped.pid, 'SIGCONT')
    await Promise.all(answers)
    expect(allowed).toBe(256)
    expect(flooding.connected).toBe(true)
  })
})

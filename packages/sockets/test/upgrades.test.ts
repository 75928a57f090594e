import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import {
  byUser,
  concurrency,
  createLimiter,
  fixedWindow,
  limitUpgrades,
  type Limiter,
  type Policy,
  type UpgradeOptions,
  type UpgradeRequest,
} from '../src/index.js'
import { listening, outcomeOf, responseTo, startIo, startWs, textOf } from './servers.js'
import { createGate, slowly } from './slow-limiter.js'

const two = fixedWindow({ limit: 2, window: '89500ms' })
const key = 'ip:127.0.0.1'

function limiterOf(policies: Policy = two): Limiter {
  return createLimiter({ name: 'upgrades', policies, clock: () => 0 })
}

async function serve(limiter: Limiter, options?: UpgradeOptions) {
  const connections: Socket[] = []
  const server = await startWs((_sockets, http) => {
    http.on('connection', (socket) => void connections.push(socket))
    limitUpgrades(http, limiter, options)
  })
  return { ...server, connections }
}

async function held(limiter: Limiter): Promise<number> {
  return (await limiter.status(key)).policies['default'].used
}

const upgrade =
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n'

const accepted = { status: 101, retryAfter: undefined }
const denied = { status: 429, retryAfter: '90' }

describe('limitUpgrades', () => {
  test('answers 429 with Retry-After before the upgrade that would exceed the limit', async () => {
    const { connect: open, sockets } = await serve(limiterOf())
    const seen = []
    for (let n = 0; n < 4; n++) seen.push(await responseTo(open()))
    expect(seen).toEqual([accepted, accepted, denied, denied])
    expect(sockets.clients.size).toBe(2)
  })

  test('limits a server that a WebSocketServer has made itself, and one without a server', async () => {
    const own = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    await once(own, 'listening')
    limitUpgrades(own, limiterOf())
    const none = new WebSocketServer({ noServer: true })
    limitUpgrades(none, limiterOf())
    const http = createServer()
    http.on('upgrade', (request, socket, head) =>
      none.handleUpgrade(request, socket, head, (client) => client.send('hello')),
    )
    const ports = [Reflect.get(Object(own.address()), 'port'), await listening(http)]
    for (const port of ports) {
      const clients = [0, 1, 2].map(() => new WebSocket(`ws://127.0.0.1:${port}`))
      for (const client of clients) client.on('error', () => {})
      const seen = await Promise.all(clients.map(responseTo))
      expect(seen.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([101, 101, 429])
      for (const client of clients) client.terminate()
    }
    own.close()
  })

  test('limits listeners of upgrades that are added later, and socket.io', async () => {
    const server = await startIo(() => {})
    limitUpgrades(server.http, limiterOf())
    expect(await outcomeOf(server.connect())).toBeUndefined()
    expect(await outcomeOf(server.connect())).toBeUndefined()
    expect(await outcomeOf(server.connect())).toBeInstanceOf(Error)
    expect(server.sockets).toHaveLength(2)
  })

  test('passes other events on', async () => {
    const http = createServer((_request, response) => response.end('plain'))
    limitUpgrades(http, limiterOf(fixedWindow({ limit: 0, window: '1m' })))
    const port = await listening(http)
    const response = await fetch(`http://127.0.0.1:${port}`)
    expect(await response.text()).toBe('plain')
  })

  test('holds a unit of concurrency until the connection is closed', async () => {
    const limiter = limiterOf(concurrency({ limit: 1, lease: '1m' }))
    const { connect: open } = await serve(limiter)
    const first = open()
    expect(await responseTo(first)).toEqual(accepted)
    expect(await responseTo(open())).toEqual({ status: 429, retryAfter: '1' })
    first.terminate()
    await vi.waitFor(async () => expect(await held(limiter)).toBe(0))
    expect(await responseTo(open())).toEqual(accepted)
  })

  test('releases the unit of a client that disconnects before its decision, and never upgrades it', async () => {
    const decided = createGate()
    const limiter = slowly(limiterOf(concurrency({ limit: 1, lease: '1m' })), [decided])
    const { connections, port, sockets } = await serve(limiter)
    const socket = connect(port, '127.0.0.1')
    socket.write(upgrade)
    await vi.waitFor(() => expect(limiter.calls()).toBe(1))
    socket.resetAndDestroy()
    await vi.waitFor(() => expect(connections[0].destroyed).toBe(true))
    expect(await held(limiter)).toBe(1)
    decided.open()
    await vi.waitFor(async () => expect(await held(limiter)).toBe(0))
    expect(sockets.clients.size).toBe(0)
    expect(await responseTo(new WebSocket(`ws://127.0.0.1:${port}`))).toEqual(accepted)
  })

  test('keeps what a client sends before the decision', async () => {
    const decided = createGate()
    const limiter = slowly(limiterOf(), [decided])
    const { port, sockets } = await serve(limiter)
    const received = new Promise((resolve) => {
      sockets.on('connection', (client) => client.on('message', (data) => resolve(textOf(data))))
    })
    const socket = connect(port, '127.0.0.1')
    // A masked frame with the text "hi".
    socket.write(
      Buffer.concat([Buffer.from(upgrade), Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0x68, 0x69])]),
    )
    await vi.waitFor(() => expect(limiter.calls()).toBe(1))
    decided.open()
    expect(await received).toBe('hi')
    socket.destroy()
  })

  test('closes the connection of a denied client that keeps its half open', async () => {
    const http = createServer().on('upgrade', () => {})
    limitUpgrades(http, limiterOf(fixedWindow({ limit: 0, window: '1m' })))
    const closed = once(http, 'connection').then(async ([socket]) => once(socket, 'close'))
    const port = await listening(http)
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    socket.write(upgrade)
    await once(socket, 'end')
    expect(text).toMatch(/^HTTP\/1\.1 429 Too Many Requests\r\nRetry-After: \d+\r\n/)
    await closed
    socket.destroy()
  })

  test('reads no header that the options do not name, and takes the address of a proxy', async () => {
    const headers = (n: number) => ({
      headers: { 'X-Forwarded-For': `198.51.100.${n}, 203.0.113.9` },
    })
    for (const options of [{}, { address: { proxies: 1 } }]) {
      const { connect: open } = await serve(limiterOf(), options)
      const seen = []
      for (let n = 1; n <= 3; n++) seen.push(await responseTo(open(headers(n))))
      expect(seen).toEqual([accepted, accepted, denied])
    }
    const limiter = limiterOf()
    const { connect: open } = await serve(limiter, { address: { proxies: 2 } })
    await responseTo(open(headers(1)))
    expect((await limiter.status('ip:198.51.100.1')).policies['default'].used).toBe(1)
  })

  test('hands a denied upgrade to the application', async () => {
    const { connect: open } = await serve(limiterOf(fixedWindow({ limit: 0, window: '1m' })), {
      onDenied: (_request, socket) => socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n'),
    })
    expect(await responseTo(open())).toMatchObject({ status: 503 })
  })

  test('never takes a list of the query as a key', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warned.mockRestore())
    const key = ({ url = '' }: UpgradeRequest) =>
      new URL(url, 'ws://host').searchParams.getAll('name')
    const { port } = await serve(limiterOf(), { key })
    const open = (query: string) => new WebSocket(`ws://127.0.0.1:${port}/?${query}`)
    const refused = open('name=ann&x&name=1')
    refused.on('error', () => {})
    expect(await responseTo(refused)).toMatchObject({ status: 400 })
    const own = await serve(limiterOf(), { key: () => ['own', 1] })
    expect(await responseTo(own.connect())).toEqual(accepted)
  })

  test('answers 500 if the limit fails, 400 if the client caused it, and never upgrades', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    const failing = { ...limiterOf(), consume: async () => Promise.reject(new Error('closed')) }
    const broken = await serve(failing)
    expect(await responseTo(broken.connect())).toMatchObject({ status: 500 })
    const noUser = await serve(limiterOf(), { key: byUser(() => undefined) })
    expect(await responseTo(noUser.connect())).toMatchObject({ status: 400 })
    expect(broken.sockets.clients.size + noUser.sockets.clients.size).toBe(0)
    expect(warned).toHaveBeenCalledTimes(2)
    warned.mockRestore()
  })
})

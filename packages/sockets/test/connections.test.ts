import type { Socket } from 'socket.io'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  byIp,
  byUser,
  concurrency,
  createLimiter,
  fixedWindow,
  leakyQueue,
  limitConnections,
  type Limiter,
  type Policy,
} from '../src/index.js'
import { outcomeOf, startIo, warnings } from './servers.js'

const two = fixedWindow({ limit: 2, window: '1m' })
const oneOpen = concurrency({ limit: 1, lease: '1m' })

function limiterOf(policies: Policy = two): Limiter {
  return createLimiter({ name: 'connections', policies, clock: () => 0 })
}

const key = 'ip:127.0.0.1'

/** The units that a key holds. */
async function held(limiter: Limiter, of = key): Promise<number> {
  return (await limiter.status(of)).policies['default'].used
}

/** A limiter whose leases take 300 ms, and its time, which passes in steps as timers see it. */
function leasing() {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let now = 0
  const policies = concurrency({ limit: 1, lease: '300ms' })
  return {
    limiter: createLimiter({ name: 'connections', policies, clock: () => now }),
    async pass(ms: number) {
      for (const end = now + ms; now < end;) {
        now += 50
        await vi.advanceTimersByTimeAsync(50)
      }
    },
  }
}

describe('limitConnections', () => {
  test('denies the connection that would exceed the limit of its address, with the wait', async () => {
    const server = await startIo((io) => io.use(limitConnections(limiterOf())))
    const seen = []
    for (let i = 0; i < 3; i++) seen.push(await outcomeOf(server.connect()))
    expect(seen).toEqual([undefined, undefined, { code: 'RATE_LIMITED', retryAfterMs: 60_000 }])
    expect(server.sockets).toHaveLength(2)
  })

  test('limits connections by long polling as well', async () => {
    const server = await startIo((io) =>
      io.use(limitConnections(limiterOf(fixedWindow({ limit: 1, window: '1m' })))),
    )
    const transports = ['polling']
    expect(await outcomeOf(server.connect({ transports }))).toBeUndefined()
    expect(await outcomeOf(server.connect({ transports }))).toEqual({
      code: 'RATE_LIMITED',
      retryAfterMs: 60_000,
    })
  })

  test('holds a unit of concurrency until the socket is disconnected', async () => {
    const limiter = limiterOf(oneOpen)
    const server = await startIo((io) => io.use(limitConnections(limiter)))
    const first = server.connect()
    expect(await outcomeOf(first)).toBeUndefined()
    expect(await outcomeOf(server.connect())).toEqual({ code: 'RATE_LIMITED', retryAfterMs: 1000 })
    first.disconnect()
    await vi.waitFor(async () => expect(await held(limiter)).toBe(0))
    expect(await outcomeOf(server.connect())).toBeUndefined()
    expect(await held(limiter)).toBe(1)
  })

  test('holds no unit for a connection of an exempt key', async () => {
    const limiter = limiterOf(oneOpen)
    await limiter.exempt(key, '1h')
    const server = await startIo((io) => io.use(limitConnections(limiter)))
    const clients = [server.connect(), server.connect()]
    for (const client of clients) expect(await outcomeOf(client)).toBeUndefined()
    expect(await held(limiter)).toBe(0)
    await limiter.unexempt(key)
    expect(await outcomeOf(server.connect())).toBeUndefined()
    for (const client of clients) client.disconnect()
    await vi.waitFor(() => expect(server.io.sockets.sockets.size).toBe(1))
    expect(await held(limiter)).toBe(1)
  })

  test('holds the units of many namespaces with one listener, until their connection closes', async () => {
    const warned = warnings()
    const limiter = limiterOf(concurrency({ limit: 20, lease: '1m' }))
    const server = await startIo((io) => io.of(/^\/room/).use(limitConnections(limiter)))
    const first = server.connect({}, '/room')
    expect(await outcomeOf(first)).toBeUndefined()
    for (let n = 1; n < 15; n++) {
      expect(await outcomeOf(first.io.socket(`/room${n}`))).toBeUndefined()
    }
    expect([await held(limiter), warned]).toEqual([15, []])
    first.io.engine.close()
    await vi.waitFor(async () => expect(await held(limiter)).toBe(0))
  })

  test('releases the unit of a client that leaves one of its namespaces, and its listeners', async () => {
    const limiter = limiterOf(oneOpen)
    const server = await startIo((io) => io.use(limitConnections(limiter)))
    server.io.of('/open')
    const open = server.connect({}, '/open')
    expect(await outcomeOf(open)).toBeUndefined()
    const listeners: number[] = []
    for (let round = 0; round < 3; round++) {
      const client = open.io.socket('/').connect()
      expect(await outcomeOf(client)).toBeUndefined()
      expect(await held(limiter)).toBe(1)
      client.disconnect()
      await vi.waitFor(async () => expect(await held(limiter)).toBe(0))
      listeners.push(server.sockets[0].conn.listenerCount('close'))
    }
    expect(open.connected).toBe(true)
    expect(new Set(listeners).size).toBe(1)
  })

  test('releases the unit of a client that disconnects while a later middleware runs', async () => {
    const limiter = limiterOf(oneOpen)
    const continues: (() => void)[] = []
    const server = await startIo((io) =>
      io.use(limitConnections(limiter)).use((_socket, next) => void continues.push(next)),
    )
    const client = server.connect()
    await vi.waitFor(() => expect(continues).toHaveLength(1))
    expect(await held(limiter)).toBe(1)
    client.disconnect()
    await vi.waitFor(async () => expect(await held(limiter)).toBe(0))
    continues[0]()
  })

  test('lets the lease of a connection expire that a later middleware denies', async () => {
    const { limiter, pass } = leasing()
    const server = await startIo((io) =>
      io.use(limitConnections(limiter)).use((_socket, next) => next(new Error('no'))),
    )
    server.io.of('/open')
    const open = server.connect({}, '/open')
    expect(await outcomeOf(open)).toBeUndefined()
    await outcomeOf(open.io.socket('/'))
    expect(await held(limiter)).toBe(1)
    await pass(500)
    expect(await held(limiter)).toBe(0)
    // The connection below the namespaces is open.
    expect(open.connected).toBe(true)
  })

  test('renews the lease of an open connection', async () => {
    const { limiter, pass } = leasing()
    const server = await startIo((io) => io.use(limitConnections(limiter)))
    await outcomeOf(server.connect())
    await pass(700)
    expect(await held(limiter)).toBe(1)
  })

  test('reads no header that the options do not name', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 1, window: '1m' }))
    const server = await startIo((io) => io.use(limitConnections(limiter)))
    const forged = (n: number) => ({ extraHeaders: { 'X-Forwarded-For': `203.0.113.${n}` } })
    expect(await outcomeOf(server.connect(forged(1)))).toBeUndefined()
    expect(await outcomeOf(server.connect(forged(2)))).toMatchObject({ code: 'RATE_LIMITED' })
  })

  test('counts by the address that the last proxy saw, and IPv6 by its network', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 1, window: '1m' }))
    const server = await startIo((io) =>
      io.use(limitConnections(limiter, { address: { proxies: 1 } })),
    )
    const from = (list: string) =>
      outcomeOf(server.connect({ extraHeaders: { 'X-Forwarded-For': list } }))
    expect(await from('203.0.113.1, 2001:db8::1')).toBeUndefined()
    expect(await from('203.0.113.2, 2001:db8::2')).toMatchObject({ code: 'RATE_LIMITED' })
    expect(await from('203.0.113.2, 2001:db8:1::2')).toBeUndefined()
    expect(await held(limiter, 'ip:2001:db8::/64')).toBe(1)
  })

  test('takes the address from a named header or a function', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 1, window: '1m' }))
    const server = await startIo((io) => {
      io.of('/named').use(limitConnections(limiter, { address: { header: 'CF-Connecting-IP' } }))
      io.of('/function').use(limitConnections(limiter, { address: () => '203.0.113.8' }))
    })
    const extraHeaders = { 'CF-Connecting-IP': '203.0.113.7' }
    expect(await outcomeOf(server.connect({ extraHeaders }, '/named'))).toBeUndefined()
    expect(await outcomeOf(server.connect({ extraHeaders }, '/function'))).toBeUndefined()
    expect([await held(limiter, 'ip:203.0.113.7'), await held(limiter, 'ip:203.0.113.8')]).toEqual([
      1, 1,
    ])
  })

  test('never takes a list that the client sent as a key', async () => {
    const warned = vi.spyOn(process, 'emitWarning').mockReturnValue()
    onTestFinished(() => warned.mockRestore())
    const key = ({ handshake }: Socket) => handshake.auth['names']
    const server = await startIo((io) => io.use(limitConnections<Socket>(limiterOf(), { key })))
    const failed = { code: 'RATE_LIMIT_FAILED', retryAfterMs: null }
    expect(await outcomeOf(server.connect({ auth: { names: ['ann', '1'] } }))).toEqual(failed)
    expect(await outcomeOf(server.connect({ auth: { names: 'ann' } }))).toBeUndefined()
  })

  test('takes keys for each policy, and a cost', async () => {
    const limiter = createLimiter({
      name: 'connections',
      policies: { user: two, address: fixedWindow({ limit: 10, window: '1m' }) },
    })
    const server = await startIo((io) =>
      io.use(
        limitConnections<Socket>(limiter, {
          key: { user: byUser((socket) => socket.handshake.auth['user']), address: byIp() },
          cost: { address: 5 },
        }),
      ),
    )
    const as = (user: string) => outcomeOf(server.connect({ auth: { user } }))
    expect(await as('ada')).toBeUndefined()
    expect(await as('bob')).toBeUndefined()
    expect(await as('cyd')).toMatchObject({ code: 'RATE_LIMITED' })
    const { policies } = await limiter.status({ user: ['user', 'ada'], address: key })
    expect([policies['user'].used, policies['address'].used]).toEqual([1, 10])
  })

  test('hands a denied connection to the application, which allows or denies it', async () => {
    const server = await startIo((io) =>
      io.use(
        limitConnections(limiterOf(fixedWindow({ limit: 0, window: '1m' })), {
          onDenied(socket, next, { retryAfterMs }) {
            const isGuest = socket.handshake.auth['guest'] === true
            next(isGuest ? undefined : new Error(`not now: ${retryAfterMs}`))
            next(new Error('a second call changes nothing'))
          },
        }),
      ),
    )
    const guest = server.connect({ auth: { guest: true } })
    expect(await outcomeOf(guest)).toBeUndefined()
    const late: unknown[] = []
    guest.on('connect_error', (error) => late.push(error))
    await guest
      .timeout(50)
      .emitWithAck('none')
      .catch(() => {})
    expect([late, server.io.sockets.sockets.size]).toEqual([[], 1])
    expect(await outcomeOf(server.connect())).toMatchObject({ message: 'not now: null' })
  })

  test('delays a connection that a leaky queue asks to delay', async () => {
    const policies = leakyQueue({ leak: 1, every: '300ms', maxDelay: '1s' })
    const limiter = limiterOf(policies)
    const server = await startIo((io) => io.use(limitConnections(limiter)))
    await outcomeOf(server.connect())
    const began = performance.now()
    await outcomeOf(server.connect())
    expect(performance.now() - began).toBeGreaterThan(298)
  })
})

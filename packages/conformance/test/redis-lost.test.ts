import { randomUUID } from 'node:crypto'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createLimiter,
  fixedWindow,
  redisStore,
  type Limiter,
  type SupportedClient,
} from '@sluice/core'
import { startRedis, useCluster, useRedis } from '@sluice/conformance/redis'
import type { Cluster, Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { Redis as Valkey } from 'iovalkey'
import { describe, expect, onTestFinished, test } from 'vitest'

// A connection is lost after Redis has run a script and before its reply arrived. These clients resend commands that got no reply.

const server = useRedis()
const cluster = useCluster()

const policies = fixedWindow({ limit: 1000, window: '1h' })

interface Setup {
  /** Decides through the connection that is lost. */
  readonly limiter: Limiter
  /** Resolves when the resent commands have been answered, and Redis decides again. */
  settle(): Promise<void>
  used(): Promise<number>
  /** Runs this, and closes the connection after Redis has executed it and before the reply is read. */
  lose<T>(act: () => T, used: number): Promise<T>
}

function setupOf(client: Redis | Redis5 | Valkey | Cluster, other: SupportedClient): Setup {
  const options = { name: randomUUID(), policies, onStoreError: 'deny' } as const
  const limiter = createLimiter({ ...options, store: redisStore(client, { timeout: '2s' }) })
  const witness = createLimiter({ ...options, store: redisStore(other, { timeout: '10s' }) })
  const used = async () => (await witness.status('key')).policies['default'].used
  return {
    limiter,
    async settle() {
      await client.ping()
      // The ping of a Cluster may be answered by another node than that of the key.
      while ((await limiter.peek('key')).source !== 'store') await delay(2)
    },
    used,
    async lose(act, expected) {
      const streams = streamsOf(client)
      for (const stream of streams) stream.pause()
      const result = act()
      while ((await used()) !== expected) await delay(2)
      for (const stream of streams) stream.destroy()
      return result
    },
  }
}

function streamsOf(client: Redis | Redis5 | Valkey | Cluster): Socket[] {
  const connections = client.isCluster && 'nodes' in client ? client.nodes() : [client]
  return connections.flatMap((connection) => {
    const stream: unknown = Reflect.get(connection, 'stream')
    return stream instanceof Socket ? [stream] : []
  })
}

/** The client whose connection is lost, and another one. */
type Pair = readonly [Redis | Redis5 | Valkey | Cluster, SupportedClient]

const clients: Readonly<Record<string, () => Pair>> = {
  ioredis: () => [server.client({ retryStrategy: () => 5 }), server.client()],
  'ioredis 5'() {
    const redis = new Redis5({ host: '127.0.0.1', port: server.port, retryStrategy: () => 5 })
    redis.on('error', () => {})
    onTestFinished(() => redis.disconnect())
    return [redis, server.client()]
  },
  iovalkey() {
    const valkey = new Valkey({ host: '127.0.0.1', port: server.port, retryStrategy: () => 5 })
    valkey.on('error', () => {})
    onTestFinished(() => valkey.disconnect())
    return [valkey, server.client()]
  },
  'ioredis Cluster': () => [cluster.client(), cluster.client()],
}

describe.each(Object.entries(clients))('%s: a lost answer', (_, open) => {
  test('is counted once: 20 requests, 20 units', async () => {
    const { limiter, lose, settle, used } = setupOf(...open())
    await limiter.consume('key')
    const asked = await lose(
      () => Promise.all(Array.from({ length: 20 }, () => limiter.consume('key'))),
      21,
    )
    expect(asked.map(({ source }) => source)).toEqual(Array(20).fill('closed'))
    await settle()
    expect(await used()).toBe(21)
    expect((await limiter.consume('key')).source).toBe('store')
    expect(await used()).toBe(22)
  })

  test('of a refund does not refund twice', async () => {
    const { limiter, lose, settle, used } = setupOf(...open())
    await limiter.consume('key', { cost: 5 })
    const decision = await limiter.consume('key', { cost: 2 })
    // From here on, Redis has the script for refunds.
    await limiter.unblock('key')
    expect(await lose(() => limiter.refund(decision), 5)).toBe(false)
    await settle()
    expect(await used()).toBe(5)
  })
})

test('a call that is known to be lost fails at once, however long the client takes to reconnect', async () => {
  const client = server.client({ retryStrategy: () => 20_000 })
  const { limiter, lose } = setupOf(client, server.client())
  await limiter.consume('key')
  const begins = performance.now()
  expect((await lose(() => limiter.consume('key'), 2)).source).toBe('closed')
  expect(performance.now() - begins).toBeLessThan(10_000)
})

test('a call that waits for the client to reconnect is sent once, and decided', async () => {
  const client = server.client({ retryStrategy: () => 100 })
  const { limiter, used } = setupOf(client, server.client())
  await limiter.consume('key')
  for (const stream of streamsOf(client)) stream.destroy()
  while (client.status === 'ready') await delay(1)
  const decisions = await Promise.all([limiter.consume('key'), limiter.consume('key')])
  expect(decisions.map(({ source }) => source)).toEqual(['store', 'store'])
  expect(await used()).toBe(3)
})

test('a call that waits for the first connection is decided, although earlier attempts to connect fail', async () => {
  const { port, stop } = await startRedis()
  await stop()
  const client = new Redis5({ host: '127.0.0.1', port, retryStrategy: () => 20 })
  const refusals: unknown[] = []
  client.on('error', (error) => refusals.push(error))
  onTestFinished(() => client.disconnect())
  const store = redisStore(client, { timeout: '10s' })
  const limiter = createLimiter({ name: 'waits', policies, store, onStoreError: 'deny' })
  const decision = limiter.consume('key')
  while (refusals.length < 2) await delay(5)
  const again = await startRedis({ port })
  onTestFinished(() => again.stop())
  expect((await decision).source).toBe('store')
})

test('a client that drops commands without a reply loses nothing but those replies', async () => {
  const client = server.client({ retryStrategy: () => 5, autoResendUnfulfilledCommands: false })
  const { limiter, lose, used } = setupOf(client, server.client())
  await limiter.consume('key')
  expect((await lose(() => limiter.consume('key'), 2)).source).toBe('closed')
  const pings = [await limiter.ping(), await limiter.ping()]
  expect(pings).toEqual([true, true])
  expect((await limiter.consume('key')).source).toBe('store')
  expect(await used()).toBe(3)
})

test('a client with automatic pipelines decides in the same way', async () => {
  const client = server.client({ retryStrategy: () => 5, enableAutoPipelining: true })
  const { limiter, used } = setupOf(client, server.client())
  const decisions = await Promise.all([limiter.consume('key'), client.ping(), limiter.peek('key')])
  expect(decisions[0].source).toBe('store')
  expect(await used()).toBe(1)
})

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
import { startRedis, useCluster, useRedis } from '@sluice/test-kit/redis'
import type { Cluster, Redis } from 'ioredis'
import { Redis as Redis5 } from 'ioredis5'
import { Redis as Valkey } from 'iovalkey'
import { expect, onTestFinished, test } from 'vitest'

// A connection is lost after Redis has run a script and before its reply arrived. These clients send commands that got no reply again.

const server = useRedis()
const cluster = useCluster()

const policies = fixedWindow({ limit: 1000, window: '1h' })

interface Setup {
  /** Decides through the connection that is lost. */
  readonly limiter: Limiter
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

test.each(Object.entries(clients))(
  '%s: requests that the client sends again are counted by both calls, and decided by the second',
  async (_, open) => {
    const { limiter, lose, used } = setupOf(...open())
    await limiter.consume('key')
    const asked = await lose(
      () => Promise.all(Array.from({ length: 20 }, () => limiter.consume('key'))),
      21,
    )
    expect(asked.map(({ source }) => source)).toEqual(Array(20).fill('store'))
    // A Cluster client sends them again in any order.
    const remaining = asked.map((decision) => decision.remaining).toSorted((a, b) => b - a)
    expect(remaining).toEqual(Array.from({ length: 20 }, (_, i) => 978 - i))
    expect(await used()).toBe(41)
  },
)

test('a refund that the client sends again returns its units a second time', async () => {
  const { limiter, lose, used } = setupOf(...clients['ioredis']())
  await limiter.consume('key', { cost: 5 })
  const decision = await limiter.consume('key', { cost: 2 })
  // From here on, Redis has the script for refunds.
  await limiter.unblock('key')
  expect(await lose(() => limiter.refund(decision), 5)).toBe(true)
  expect(await used()).toBe(3)
  expect(await limiter.refund(decision)).toBe(false)
})

test('a lost call fails at its deadline, however long the client takes to reconnect', async () => {
  const client = server.client({ retryStrategy: () => 20_000 })
  const { limiter, lose } = setupOf(client, server.client())
  await limiter.consume('key')
  expect((await lose(() => limiter.consume('key'), 2)).source).toBe('closed')
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

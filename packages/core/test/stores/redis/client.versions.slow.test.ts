import { randomUUID } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  redisStore,
  slidingLog,
  slidingWindow,
  type AsyncStore,
  type Decision,
  type Limiter,
  type LimiterOptions,
  type Policies,
  type SupportedClient,
} from '@sluice/core'
import { useCluster, useRedis } from '@sluice/test-kit/redis'
import { Cluster, Redis } from 'ioredis'
import { Cluster as Cluster5, Redis as Redis5 } from 'ioredis5'
import { Redis as Valkey } from 'iovalkey'
import { createClient, createCluster } from 'redis'
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4'
import { createClient as createClient5, createCluster as createCluster5 } from 'redis5'
import { describe, expect, onTestFinished, test } from 'vitest'

// Every supported version of every client, with its default settings.

const server = useRedis()
const cluster = useCluster()

const host = '127.0.0.1'
const url = (): string => `redis://${host}:${server.port}`
const nodes = (): { host: string; port: number }[] =>
  cluster.nodes.map(({ port }) => ({ host, port }))
const rootNodes = (): { url: string }[] =>
  cluster.nodes.map(({ port }) => ({ url: `redis://${host}:${port}` }))

const clients: Readonly<Record<string, () => SupportedClient | Promise<SupportedClient>>> = {
  'ioredis 6': () => opened(new Redis(server.port, host)),
  'ioredis 6 Cluster': () => opened(new Cluster(nodes())),
  'ioredis 5': () => opened(new Redis5(server.port, host)),
  'ioredis 5 Cluster': () => opened(new Cluster5(nodes())),
  'iovalkey 0.4': () => opened(new Valkey(server.port, host)),
  'node-redis 6': async () => connected(createClient({ url: url() })),
  'node-redis 6 cluster': async () => connected(createCluster({ rootNodes: rootNodes() })),
  'node-redis 5': async () => connected(createClient5({ url: url() })),
  'node-redis 5 cluster': async () => connected(createCluster5({ rootNodes: rootNodes() })),
  'node-redis 4': async () => connected(createClient4({ url: url() })),
  'node-redis 4 cluster': async () => connected(createCluster4({ rootNodes: rootNodes() })),
}

const reference = 'ioredis 6'

describe.each(Object.entries(clients))('%s', (_name, open) => {
  test('200 parallel requests in batches: 50 allowed at a limit of 50', async () => {
    const limiter = limiterOver(await open(), slidingWindow({ limit: 50, window: '1h' }))
    const decisions = await Promise.all(
      Array.from({ length: 200 }, async () => limiter.consume('key')),
    )
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(50)
    expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']))
  })

  test('each method returns the same as with any other client', async () => {
    expect(await resultsOver(await open())).toEqual(await resultsOver(await clients[reference]()))
  })

  test('any number of stores listens once to each event', async () => {
    const client = await open()
    const emitter = client as unknown as EventEmitter
    const listeners = (): unknown =>
      emitter.eventNames().map((event) => [event, emitter.listenerCount(event)])
    redisStore(client)
    const before = listeners()
    for (let i = 0; i < 20; i++) redisStore(client)
    expect(listeners()).toEqual(before)
  })

  test('a script that Redis has forgotten is sent again', async () => {
    const client = await open()
    const limiter = limiterOver(client, fixedWindow({ limit: 5, window: '1h' }))
    const before = await limiter.consume('key')
    for (const admin of [server.connection, ...cluster.admins]) await admin.script('FLUSH')
    const after = await limiter.consume('key')
    expect([before, after].map(({ source, remaining }) => [source, remaining])).toEqual([
      ['store', 4],
      ['store', 3],
    ])
  })

  test('after a lost connection Redis decides again', async () => {
    const policy = fixedWindow({ limit: 1000, window: '1h' })
    const limiter = limiterOver(await open(), policy, { onStoreError: 'allow' })
    expect((await limiter.consume('key')).source).toBe('store')
    for (const admin of [server.connection, ...cluster.admins]) {
      await admin.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
    }
    await expect
      .poll(async () => (await limiter.consume('key')).source, { timeout: 20_000 })
      .toBe('store')
  })
})

/** The results of all methods over policies of each kind of state: short rows, a block, an exemption, a log and leases. */
async function resultsOver(client: SupportedClient): Promise<unknown> {
  const now = Date.UTC(2030, 0, 1)
  const policies = {
    window: fixedWindow({ limit: 9, window: '1h', block: { for: '1m', on: 'exceeded' } }),
    sliding: slidingWindow({ limit: 20, window: '1h' }),
    pace: gcra({ limit: 30, window: '1d' }),
    log: slidingLog({ limit: 40, window: '1d' }),
    slots: concurrency({ limit: 10, lease: '1m' }),
  }
  const limiter = limiterOver(client, policies, { clock: () => now })
  const first = await limiter.consume('key', { cost: 2 })
  return [
    numbersOf(first),
    (await limiter.consumeMany([{ key: 'key' }, { key: 'other', cost: 3 }])).map(numbersOf),
    (await limiter.peekMany([{ key: 'key' }, { key: 'new' }])).map(numbersOf),
    await first.lease?.renew(),
    await first.lease?.release(),
    await limiter.refund(first),
    await limiter.refund('other', 1),
    await limiter.penalize('other', 4),
    numbersOf(await limiter.consume('other', { cost: 9 })),
    await limiter.block('key', '5s'),
    await limiter.reset('key'),
    await limiter.unblock('key'),
    await limiter.exempt('key', '5s'),
    numbersOf(await limiter.consume('key', { cost: 50 })),
    await limiter.status('key'),
    await limiter.unexempt('key'),
    await limiter.reset('key'),
    await limiter.status('key'),
    await limiter.status('other'),
    await limiter.ping(),
  ]
}

/** The decision without the id of its lease, which is random. */
function numbersOf({ lease, ...numbers }: Decision): unknown {
  return [numbers, lease?.token]
}

/** A limiter with counters of its own. By default, only Redis can allow a request. */
function limiterOver(
  client: SupportedClient,
  policies: Policies,
  options: Pick<LimiterOptions<AsyncStore>, 'clock' | 'onStoreError'> = { onStoreError: 'deny' },
): Limiter<AsyncStore> {
  const store = redisStore(client, { timeout: '10s' })
  return createLimiter({ name: randomUUID(), policies, store, ...options })
}

interface Ioredis {
  on(event: 'error', listener: () => void): unknown
  disconnect(): void
}

function opened<C extends Ioredis>(client: C): C {
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  return client
}

interface NodeRedis {
  on(event: 'error', listener: () => void): unknown
  connect(): Promise<unknown>
  disconnect?(): Promise<unknown>
  destroy?(): unknown
}

async function connected<C extends NodeRedis>(client: C): Promise<C> {
  client.on('error', () => {})
  await client.connect()
  onTestFinished(async () => {
    await (client.destroy === undefined ? client.disconnect?.() : client.destroy())
  })
  return client
}

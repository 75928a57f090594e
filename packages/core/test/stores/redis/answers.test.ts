import { randomUUID } from 'node:crypto'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  redisStore,
  slidingLog,
  type Decision,
  type Limiter,
  type RedisClient,
  type SupportedClient,
} from '@sluice/core'
import { useCluster, useRedis } from '@sluice/test-kit/redis'
import { Cluster, Redis } from 'ioredis'
import { Redis as Valkey } from 'iovalkey'
import { createClient, createCluster, RESP_TYPES } from 'redis'
import { describe, expect, onTestFinished, test } from 'vitest'

// A client may be configured to return numbers as strings, and strings as buffers. The script's reply is read in each form.

const asText = { [RESP_TYPES.NUMBER]: String, [RESP_TYPES.BLOB_STRING]: Buffer } as const

const server = useRedis()
const cluster = useCluster()

interface Setup {
  readonly name: string
  /** A connected client, which is closed at the end of the test. */
  readonly connect: () => Promise<SupportedClient>
}

const setups: readonly Setup[] = [
  {
    name: 'ioredis, stringNumbers',
    connect: async () =>
      ended(new Redis(server.port, { stringNumbers: true }), (client) => client.disconnect()),
  },
  {
    name: 'ioredis, stringNumbers, RESP2',
    connect: async () =>
      ended(new Redis(server.port, { stringNumbers: true, protocol: 2 }), (client) =>
        client.disconnect(),
      ),
  },
  {
    name: 'ioredis, stringNumbers, replies of RESP3',
    connect: async () =>
      ended(new Redis(server.port, { stringNumbers: true, replyMapping: 'resp3' }), (client) =>
        client.disconnect(),
      ),
  },
  {
    name: 'ioredis Cluster, stringNumbers',
    connect: async () =>
      ended(new Cluster(nodes(), { redisOptions: { stringNumbers: true } }), (client) =>
        client.disconnect(),
      ),
  },
  {
    name: 'iovalkey, stringNumbers',
    connect: async () =>
      ended(new Valkey(server.port, '127.0.0.1', { stringNumbers: true }), (client) =>
        client.disconnect(),
      ),
  },
  ...([2, 3] as const).map((RESP): Setup => ({
    name: `node-redis, RESP${RESP}, numbers as strings and strings as buffers`,
    async connect() {
      const socket = { port: server.port }
      const client = createClient({ socket, RESP, commandOptions: { typeMapping: asText } })
      await client.connect()
      return ended(client, () => client.destroy())
    },
  })),
  {
    name: 'node-redis, withTypeMapping',
    async connect() {
      const client = createClient({ socket: { port: server.port } })
      await client.connect()
      ended(client, () => client.destroy())
      return client.withTypeMapping(asText)
    },
  },
  {
    name: 'node-redis cluster, numbers as strings and strings as buffers',
    async connect() {
      const client = createCluster({
        rootNodes: nodes().map((socket) => ({ socket })),
        commandOptions: { typeMapping: asText },
      })
      await client.connect()
      return ended(client, () => client.destroy())
    },
  },
  {
    name: 'a client of one’s own, numbers as bigints',
    async connect() {
      const client = server.client()
      const read = (reply: unknown): unknown =>
        Array.isArray(reply)
          ? reply.map((item) => (typeof item === 'number' ? BigInt(item) : item))
          : reply
      return {
        isCluster: false,
        evalSha: async (digest, keys, args) =>
          read(await client.evalsha(digest, keys.length, ...keys, ...args)),
        eval: async (script, keys, args) =>
          read(await client.eval(script, keys.length, ...keys, ...args)),
      } satisfies RedisClient
    },
  },
]

describe.each(setups)('$name', ({ connect }) => {
  test('Redis decides, and allows exactly the limit', async () => {
    const limiter = limiterOn(await connect(), 50)
    const decisions = await Promise.all(
      Array.from({ length: 200 }, async () => limiter.consume('key')),
    )
    expect(decisions.map(({ allowed }) => allowed)).toEqual([
      ...Array(50).fill(true),
      ...Array(150).fill(false),
    ])
    expect(new Set(decisions.map(({ source }) => source))).toEqual(new Set(['store']))
    expect(await limiter.ping()).toBe(true)
  })

  test('each number equals that of a client with default settings', async () => {
    const client = await connect()
    const plain = 'slots' in client ? cluster.client() : server.client()
    expect(await saidBy(client)).toEqual(await saidBy(plain))
  })

  test('an error of one request fails that request, with the message of Redis', async () => {
    const limiter = limiterOn(await connect(), 50)
    for (const admin of [server.client(), cluster.client()]) {
      await admin.lpush(`sluice:${limiter.name}:1{taken}`, 'a list')
    }
    const [before, taken, after] = await Promise.allSettled(
      ['before', 'taken', 'after'].map(async (key) => limiter.penalize(key, 1)),
    )
    expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled'])
    expect(taken).toMatchObject({
      status: 'rejected',
      reason: { code: 'SLUICE_STORE_FAILED', message: expect.stringContaining('WRONGTYPE') },
    })
  })
})

const everyKind = {
  window: fixedWindow({ limit: 5, window: '1h', block: { for: '1m' } }),
  day: calendarWindow({ limit: 7, period: 'day', timeZone: 'UTC' }),
  log: slidingLog({ limit: 8, window: '1h' }),
  pace: gcra({ limit: 9, window: '1h' }),
  slots: concurrency({ limit: 3, lease: '1m' }),
}

/** The decisions of a limiter with this client: with a block, bodies, a lease, and many keys in one call. */
async function saidBy(client: SupportedClient): Promise<unknown> {
  const time = Date.UTC(2026, 0, 1)
  const store = redisStore(client, { timeout: '10s' })
  const clock = (): number => time
  const limiter = createLimiter({ name: randomUUID(), policies: everyKind, store, clock })
  const first = await limiter.consume('key', { cost: 2 })
  const [second, third] = await limiter.consumeMany([{ key: 'other', cost: 5 }, { key: 'key' }])
  const isReleased = await first.lease?.release()
  const status = await limiter.status('key')
  const token = first.lease?.token
  return [numbersOf(first), token, numbersOf(second), numbersOf(third), isReleased, status]
}

function numbersOf({ lease: _lease, ...said }: Decision): unknown {
  return said
}

function limiterOn(client: SupportedClient, limit: number): Limiter<ReturnType<typeof redisStore>> {
  return createLimiter({
    name: randomUUID(),
    policies: fixedWindow({ limit, window: '1h' }),
    store: redisStore(client, { timeout: '10s' }),
    onStoreError: 'deny',
  })
}

function nodes(): { host: string; port: number }[] {
  return cluster.nodes.map(({ port }) => ({ host: '127.0.0.1', port }))
}

function ended<C>(client: C, end: (client: C) => void): C {
  onTestFinished(() => end(client))
  return client
}

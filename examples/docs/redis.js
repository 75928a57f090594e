// Every client and every kind of server. It takes a Redis (REDIS_URL), Sentinels of a master named "counts" (SENTINEL_URL) and a Cluster
// (CLUSTER_URL), and leaves out those without a URL.
import assert from 'node:assert/strict'
import { createLimiter, slidingWindow } from '@sluice/core'
// #region ioredis
// #region node-redis
// #region iovalkey
import { redisStore } from '@sluice/core'
// #endregion
// #endregion
// #region sentinel
import { Redis } from 'ioredis'
// #endregion
// #endregion
// #region node-redis
import { createClient } from 'redis'
// #endregion
// #region iovalkey
import { Redis as Valkey } from 'iovalkey'
// #endregion
// #region sentinel-node-redis
import { createSentinel } from 'redis'
// #endregion
// #region cluster
import { Cluster } from 'ioredis'
// #endregion
// #region cluster-node-redis
import { createCluster } from 'redis'
// #endregion

// #region ioredis
// #region node-redis
// #region iovalkey
const url = process.env.REDIS_URL ?? 'redis://localhost'
// #endregion
// #endregion
// #endregion

const { REDIS_URL, SENTINEL_URL, CLUSTER_URL } = process.env

let clients = 0

/** Limiters of the same name and store count together. */
async function counts(client) {
  const store = redisStore(client, { prefix: `docs${process.pid}`, timeout: '10s' })
  const policies = slidingWindow({ limit: 100, window: '1m' })
  const name = `client ${++clients}`
  const decisions = []
  for (const key of ['ada', 'ada', 'bob']) {
    decisions.push(await createLimiter({ name, policies, store }).consume(key))
  }
  assert.deepEqual(
    decisions.map(({ remaining, source }) => [remaining, source]),
    [
      [99, 'store'],
      [98, 'store'],
      [99, 'store'],
    ],
  )
}

async function withIoredis() {
  // #region ioredis
  const redis = new Redis(url, { retryStrategy: (times) => Math.min(times * 50, 500) })
  redis.on('error', (error) => console.error(`Redis: ${error.message}`))

  const store = redisStore(redis)
  // #endregion
  await counts(redis)
  redis.disconnect()
  return store
}

async function withNodeRedis() {
  // #region node-redis
  const redis = createClient({
    url,
    socket: { reconnectStrategy: (retries) => Math.min(retries * 50, 500) },
  })
  redis.on('error', (error) => console.error(`Redis: ${error.message}`))
  await redis.connect()

  const store = redisStore(redis)
  // #endregion
  await counts(redis)
  redis.destroy()
  return store
}

async function withIovalkey() {
  // #region iovalkey
  const valkey = new Valkey(url, { retryStrategy: (times) => Math.min(times * 50, 500) })
  valkey.on('error', (error) => console.error(`Valkey: ${error.message}`))

  const store = redisStore(valkey)
  // #endregion
  await counts(valkey)
  valkey.disconnect()
  return store
}

async function withSentinels({ hostname: host, port: text }) {
  const port = Number(text)
  // #region sentinel
  const redis = new Redis({
    sentinels: [{ host, port }], // all Sentinels
    name: 'counts', // the name of the master
    retryStrategy: (times) => Math.min(times * 50, 500),
  })
  redis.on('error', (error) => console.error(`Redis: ${error.message}`))
  // #endregion
  await counts(redis)
  redis.disconnect()
  // #region sentinel-node-redis
  const sentinel = createSentinel({ name: 'counts', sentinelRootNodes: [{ host, port }] })
  await sentinel.connect()
  // #endregion
  await counts(sentinel)
  await sentinel.close()
}

async function withCluster({ hostname: host, port: text }) {
  const port = Number(text)
  // #region cluster
  const cluster = new Cluster([{ host, port }]) // some of the nodes; the client finds the others
  cluster.on('error', (error) => console.error(`Redis: ${error.message}`))
  // #endregion
  await counts(cluster)
  cluster.disconnect()
  // #region cluster-node-redis
  const nodes = createCluster({ rootNodes: [{ url: `redis://${host}:${port}` }] })
  await nodes.connect()
  // #endregion
  await counts(nodes)
  await nodes.close()
}

if (REDIS_URL !== undefined) {
  for (const use of [withIoredis, withNodeRedis, withIovalkey]) await use()
}
if (SENTINEL_URL !== undefined) await withSentinels(new URL(SENTINEL_URL))
if (CLUSTER_URL !== undefined) await withCluster(new URL(CLUSTER_URL))

// Every client and every kind of server. It takes a Redis (REDIS_URL), Sentinels of a master named "counts" (SENTINEL_URL) and a Cluster
// (CLUSTER_URL), and leaves out those without a URL.
import assert from 'node:assert/strict'
import { createLimiter, slidingWindow } from '@sluice/core'
// #region ioredis
// #region node-redis
// #region iovalkey
// #region sentinel
// #region sentinel-node-redis
// #region cluster
// #region cluster-node-redis
import { redisStore } from '@sluice/core'
// #endregion
// #endregion
// #endregion
// #endregion
// #endregion
// #endregion
// #endregion
// #region ioredis
// #region sentinel
import { Redis } from 'ioredis'
// #endregion
// #endregion
// #region cluster
import { Cluster } from 'ioredis'
// #endregion
// #region iovalkey
import { Redis as Valkey } from 'iovalkey'
// #endregion
// #region node-redis
import { createClient } from 'redis'
// #endregion
// #region sentinel-node-redis
import { createSentinel } from 'redis'
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
  const redis = new Redis(url, {
    retryStrategy: (times) => Math.min(times * 50, 500),
    socketTimeout: 2000,
  })
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
    pingInterval: 1000,
    socket: {
      reconnectStrategy: (retries) => Math.min(retries * 50, 500),
      socketTimeout: 2000,
    },
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

async function withSentinels() {
  // #region sentinel
  // #region sentinel-node-redis
  const url = process.env.SENTINEL_URL ?? 'redis://localhost:26379'
  const { hostname: host, port } = new URL(url)

  // #endregion
  const redis = new Redis({
    sentinels: [{ host, port: Number(port) }], // all Sentinels
    name: 'counts', // the name of the master
    retryStrategy: (times) => Math.min(times * 50, 500),
  })
  redis.on('error', (error) => console.error(`Redis: ${error.message}`))

  const store = redisStore(redis)
  // #endregion
  await counts(redis)
  redis.disconnect()
  return [store, await withNodeRedisSentinels(host, port)]
}

async function withNodeRedisSentinels(host, port) {
  // #region sentinel-node-redis
  const sentinel = createSentinel({
    name: 'counts', // the name of the master
    sentinelRootNodes: [{ host, port: Number(port) }], // all Sentinels
  })
  sentinel.on('error', (error) => console.error(`Redis: ${error.message}`))
  await sentinel.connect()

  const store = redisStore(sentinel)
  // #endregion
  await counts(sentinel)
  await sentinel.close()
  return store
}

async function withCluster() {
  // #region cluster
  // #region cluster-node-redis
  const url = process.env.CLUSTER_URL ?? 'redis://localhost:7000'

  // #endregion
  const cluster = new Cluster([url]) // some of the nodes; the client finds the others
  cluster.on('error', (error) => console.error(`Redis: ${error.message}`))

  const store = redisStore(cluster)
  // #endregion
  await counts(cluster)
  cluster.disconnect()
  return [store, await withNodeRedisCluster(url)]
}

async function withNodeRedisCluster(url) {
  // #region cluster-node-redis
  const cluster = createCluster({ rootNodes: [{ url }] })
  cluster.on('error', (error) => console.error(`Redis: ${error.message}`))
  await cluster.connect()

  const store = redisStore(cluster)
  // #endregion
  await counts(cluster)
  await cluster.close()
  return store
}

if (REDIS_URL !== undefined) {
  for (const use of [withIoredis, withNodeRedis, withIovalkey]) await use()
}
if (SENTINEL_URL !== undefined) await withSentinels()
if (CLUSTER_URL !== undefined) await withCluster()

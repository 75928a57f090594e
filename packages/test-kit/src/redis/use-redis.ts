import type { Cluster, Redis } from 'ioredis'
import { afterAll, beforeAll } from 'vitest'
import { startRestServer, type RestServer } from './rest-server.js'
import { startCluster, type ClusterSettings, type RedisCluster } from './cluster.js'
import { startRedis, type ClientOptions, type RedisServer, type RedisSettings } from './server.js'

/** The Redis of a test file. It runs while the tests and their hooks run. */
export interface TestRedis extends Omit<RedisServer, 'stop'> {
  /** One connection that all tests of the file share. */
  readonly connection: Redis
}

/** The Redis Cluster of a test file. It runs while the tests and their hooks run. */
export type TestCluster = Omit<RedisCluster, 'stop'>

/**
 * Starts a Redis before the tests of a file, or of the `describe` that calls it, and stops the server after them.
 *
 * @example
 * const redis = useRedis()
 * test('Redis answers', async () => {
 *   expect(await redis.connection.ping()).toBe('PONG')
 * })
 */
export function useRedis(settings?: RedisSettings): TestRedis {
  const redis = use(async () => {
    const server = await startRedis(settings)
    const connection = server.client()
    await connection.ping()
    return { ...server, connection }
  })
  return {
    get port() {
      return redis().port
    },
    get pid() {
      return redis().pid
    },
    get connection() {
      return redis().connection
    },
    client: (options?: ClientOptions) => redis().client(options),
  }
}

/** The same for a Redis Cluster. */
export function useCluster(settings?: ClusterSettings): TestCluster {
  const cluster = use(async () => startCluster(settings))
  return {
    get nodes() {
      return cluster().nodes
    },
    get admins() {
      return cluster().admins
    },
    client: (): Cluster => cluster().client(),
  }
}

/** The same for a REST service in front of a Redis. */
export function useRest(redis: TestRedis): () => RestServer {
  return use(async () => startRestServer(redis.connection))
}

function use<S extends { stop(): Promise<void> }>(start: () => Promise<S>): () => S {
  let started: S | undefined
  beforeAll(async () => {
    started = await start()
  })
  afterAll(async () => started?.stop())
  return () => {
    if (started === undefined) throw new Error('Redis runs only in tests and in their hooks')
    return started
  }
}

import { setTimeout as delay } from 'node:timers/promises'
import { redisStore, type SupportedClient } from '@sluice/core'
import { Cluster, Redis } from 'ioredis'
import { Redis as Valkey } from 'iovalkey'
import { createClient, createCluster, createSentinel } from 'redis'
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4'
import type { OwnedClient } from './owned-client.js'
import { ofPool } from './pool.js'

export type ClientKind =
  | 'ioredis'
  | 'ioredis Sentinel'
  | 'ioredis Cluster'
  | 'iovalkey'
  | 'node-redis 4'
  | 'node-redis 4 cluster'
  | 'node-redis 6'
  | 'node-redis 6 sentinel'
  | 'node-redis 6 cluster'
  | 'pg'

export interface ClientSpec {
  readonly kind: ClientKind
  /** The ports of the server, of the nodes of the Cluster, or of the Sentinels. */
  readonly ports: readonly number[]
  readonly password?: string
}

/** The time between two attempts of a client to connect. Only the client can reconnect, so this is a part of the recovery time. */
const retryMs = 100

const host = '127.0.0.1'
const retryStrategy = (): number => retryMs

/** Makes a client with the defaults of its library, except for the time between two attempts to connect. */
export function makeClient(spec: ClientSpec): OwnedClient {
  const { kind, ports, password } = spec
  const [port = 0] = ports
  const nodes = ports.map((each) => ({ host, port: each }))
  const auth = password === undefined ? {} : { password }
  const io = {
    host,
    port,
    ...auth,
    retryStrategy,
    // While the server loads its file, ioredis asks for the remaining seconds and waits for at least one.
    maxLoadingRetryTime: retryMs,
    // The setting that its documentation recommends if another master can take over the address.
    reconnectOnError: (error: Error) => error.message.startsWith('READONLY'),
    lazyConnect: true,
  }
  const socket = { reconnectStrategy: retryMs }
  switch (kind) {
    case 'ioredis':
      return ofIoredis(new Redis(io))
    case 'iovalkey':
      return ofIoredis(new Valkey(io))
    case 'ioredis Sentinel': {
      const watched = { sentinels: nodes, name: 'counts', sentinelRetryStrategy: retryStrategy }
      return ofIoredis(new Redis({ ...watched, retryStrategy, lazyConnect: true }))
    }
    case 'ioredis Cluster': {
      const settings = { clusterRetryStrategy: retryStrategy, slotsRefreshTimeout: 500 }
      return ofIoredis(new Cluster(nodes, { ...settings, lazyConnect: true }))
    }
    case 'node-redis 4':
      return ofNodeRedis(createClient4({ ...auth, socket: { host, port, ...socket } }))
    case 'node-redis 6':
      return ofNodeRedis(createClient({ ...auth, socket: { host, port, ...socket } }))
    case 'node-redis 6 sentinel':
      return ofNodeRedis(
        createSentinel({
          name: 'counts',
          sentinelRootNodes: nodes,
          nodeClientOptions: { socket },
          sentinelClientOptions: { socket },
        }),
      )
    case 'node-redis 4 cluster':
      return ofNodeRedis(createCluster4({ rootNodes: rootNodes(nodes), defaults: { socket } }))
    case 'node-redis 6 cluster':
      return ofNodeRedis(
        createCluster({
          rootNodes: rootNodes(nodes),
          defaults: { socket },
          // The time after which it looks for the new master. The default is five seconds.
          topologyRefreshOnReconnectionAttemptStrategy: 2 * retryMs,
        }),
      )
    case 'pg':
      return ofPool(host, port)
    default:
      return kind satisfies never
  }
}

function rootNodes<N>(nodes: readonly N[]): { socket: N }[] {
  return nodes.map((node) => ({ socket: node }))
}

function ofIoredis(client: Redis | Cluster | Valkey): OwnedClient {
  return {
    store: (timeout) => redisStore(client, { timeout }),
    async connect() {
      // After a failed first attempt, the client retries.
      await client.connect().catch(() => {})
      while (client.status !== 'ready') await delay(5)
    },
    close: () => client.quit(),
  }
}

interface Connectable {
  connect(): Promise<unknown>
  quit?(): Promise<unknown>
  close?(): Promise<unknown>
}

function ofNodeRedis(client: SupportedClient & Connectable): OwnedClient {
  return {
    store: (timeout) => redisStore(client, { timeout }),
    async connect() {
      // A cluster and a sentinel client give up if no root node is available. A single client does not.
      for (;;) {
        try {
          await client.connect()
          return
        } catch {
          await delay(retryMs)
        }
      }
    },
    close: () => client.close?.() ?? client.quit?.() ?? Promise.resolve(),
  }
}

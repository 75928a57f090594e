import { setTimeout as delay } from 'node:timers/promises'
import type { SupportedClient } from '@sluice/core'
import { Cluster, Redis } from 'ioredis'
import { Redis as Valkey } from 'iovalkey'
import { createClient, createCluster, createSentinel } from 'redis'
import { createClient as createClient4, createCluster as createCluster4 } from 'redis4'

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

export interface ClientSpec {
  readonly kind: ClientKind
  /** Of the server, of the nodes of the Cluster, or of the Sentinels. */
  readonly ports: readonly number[]
  readonly password?: string
}

/** What the owner of a client does with it, and nobody else. */
export interface OwnedClient {
  readonly client: SupportedClient
  /** Resolves when it is connected, however long that takes. */
  connect(): Promise<unknown>
  close(): Promise<unknown>
}

/** As often a client tries to connect anew: only the client can, so this is a part of the time that it takes to be back. */
const retryMs = 100

const host = '127.0.0.1'
const retryStrategy = (): number => retryMs

/** Makes a client with the defaults of its library, but for how often it tries to connect. */
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
    // While the server reads its file, ioredis asks for the seconds left, and waits one at the least.
    maxLoadingRetryTime: retryMs,
    // What its manual says for an address behind which the master changes.
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
          // It looks for the one that has taken over after so long; by default after five seconds.
          topologyRefreshOnReconnectionAttemptStrategy: 2 * retryMs,
        }),
      )
    default:
      return kind satisfies never
  }
}

function rootNodes<N>(nodes: readonly N[]): { socket: N }[] {
  return nodes.map((node) => ({ socket: node }))
}

function ofIoredis(client: Redis | Cluster | Valkey): OwnedClient {
  return {
    client,
    async connect() {
      // It goes on trying by itself after a first attempt that failed.
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
    client,
    async connect() {
      // A cluster and a sentinel give up where no root node is there; a client alone does not.
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

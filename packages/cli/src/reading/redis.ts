import { Cluster, Redis } from 'ioredis'

/** A connection of a command to Redis. */
export type RedisConnection = Redis | Cluster

export interface ConnectionOptions {
  /** Whether the URL is that of a node of a Redis Cluster. */
  readonly cluster?: boolean | undefined
}

/** The longest time that a command waits for a connection or for one reply. */
export const timeoutMs = 5000

/**
 * Connects to Redis. A failure is reported at once, without retries.
 *
 * @throws Error with the URL without its secrets
 */
export async function connectRedis(
  url: string,
  { cluster = false }: ConnectionOptions = {},
): Promise<RedisConnection> {
  if (!isRedisUrl(url)) {
    throw new Error(
      `${shownUrl(url)} is not the URL of a Redis server, such as redis://localhost:6379`,
    )
  }
  const redis = cluster ? clusterOf(url) : new Redis(url, once)
  let reason: unknown
  redis.on('error', (error: unknown) => {
    reason = error
  })
  try {
    await redis.connect()
    await redis.ping()
    return redis
  } catch (error) {
    redis.disconnect()
    // The error of the command says only that the connection is closed.
    throw new Error(`no connection to ${shownUrl(url)}: ${messageOf(reason ?? error)}`, {
      cause: error,
    })
  }
}

function isRedisUrl(url: string): boolean {
  return /^rediss?:\/\//.test(url) && URL.canParse(url)
}

/** The error of a Cluster says only that it failed, and has the error of the last node. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!('lastNodeError' in error && error.lastNodeError instanceof Error)) return error.message
  const { message } = error.lastNodeError
  return message === 'Connection is closed.' ? 'no node accepts a connection' : message
}

const once = {
  lazyConnect: true,
  connectTimeout: timeoutMs,
  commandTimeout: timeoutMs,
  maxRetriesPerRequest: 0,
  retryStrategy: () => null,
  enableOfflineQueue: false,
}

/** The other nodes of the Cluster need the password and the certificates of the URL too. */
function clusterOf(url: string): Cluster {
  const { host, port, username, password, tls } = new Redis(url, once).options
  const { lazyConnect: _lazy, retryStrategy: _retry, ...each } = once
  return new Cluster([{ host, port }], {
    lazyConnect: true,
    enableOfflineQueue: false,
    slotsRefreshTimeout: timeoutMs,
    clusterRetryStrategy: () => null,
    redisOptions: {
      ...each,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(tls === undefined ? {} : { tls }),
    },
    // A certificate is valid for the name of a node, not for its address.
    ...(tls === undefined ? {} : { dnsLookup: (name, found) => found(null, name) }),
  })
}

/** A URL without its user, password and query, which may contain secrets. */
export function shownUrl(url: string): string {
  return url.replace(/[?#].*$/s, '').replace(/^(.*?\/\/)?.*@/s, '$1')
}

/**
 * The seam to a Redis client: the two commands that a store needs. The client connects, reconnects and routes; a store never opens
 * or closes a connection.
 */
export interface RedisClient {
  /** EVALSHA. Rejects with the server's error, whose message begins with its code, such as `NOSCRIPT`. */
  evalSha(digest: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** EVAL. */
  eval(script: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** Whether the keys are spread over the slots of a Redis Cluster. */
  readonly isCluster: boolean
}

/**
 * What Sluice uses of an ioredis client, single, Sentinel or Cluster. It is described by its shape, so that the types of this package
 * need no other package's.
 */
export interface IoredisClient {
  evalsha(digest: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
  eval(script: string, keyCount: number, ...keysAndArgs: string[]): Promise<unknown>
  readonly isCluster: boolean
}

export function clientOf(client: IoredisClient | RedisClient): RedisClient {
  return 'evalSha' in client ? client : fromIoredis(client)
}

function fromIoredis(client: IoredisClient): RedisClient {
  return {
    evalSha: (digest, keys, args) => client.evalsha(digest, keys.length, ...keys, ...args),
    eval: (script, keys, args) => client.eval(script, keys.length, ...keys, ...args),
    isCluster: client.isCluster,
  }
}

import type { RedisClient } from '@sluice/core'
import type { RedisConnection } from './redis.js'

/** A place of the keys of an application in Redis. */
export interface RedisPlace {
  /** The client of the application adds it to the name of each key: `keyPrefix` of ioredis. */
  readonly keyPrefix: string
  /** The `prefix` of `redisStore`. */
  readonly prefix: string
}

const usualPrefix = 'sluice'

/**
 * The places that a prefix can mean, the likelier first. In `shop:sluice`, `shop:` can be the prefix of the client, whose text is not escaped in Redis; or all of it is
 * that of `redisStore`. In a text without a character that `redisStore` escapes, both are the same.
 */
export function placesOf(prefix: string = usualPrefix): readonly RedisPlace[] {
  const whole = { keyPrefix: '', prefix }
  const [keyPrefix] = /^.*[%:{}]/s.exec(prefix) ?? []
  if (keyPrefix === undefined) return [whole]
  return [{ keyPrefix, prefix: prefix.slice(keyPrefix.length) || usualPrefix }, whole]
}

/** The client for the store of a place. */
export function clientAt(connection: RedisConnection, { keyPrefix }: RedisPlace): RedisClient {
  const named = (keys: readonly string[]): readonly string[] => keys.map((key) => keyPrefix + key)
  return {
    evalSha: async (digest, keys, args) =>
      connection.evalsha(digest, keys.length, ...named(keys), ...args),
    eval: async (script, keys, args) =>
      connection.eval(script, keys.length, ...named(keys), ...args),
    isCluster: connection.isCluster,
  }
}

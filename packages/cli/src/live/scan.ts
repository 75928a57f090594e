import { setTimeout as delay } from 'node:timers/promises'
import { keyOfRedisKey, redisKeyStart } from '@sluice/core/internal'
import type { RedisConnection } from '../reading/redis.js'
import type { RedisPlace } from '../reading/redis-place.js'

/** A search reads at most this many keys of Redis in a second, those of other applications included, so that other clients do not wait for it. */
const keysPerSecond = 2000
const keysPerStep = 100
const stepMs = (1000 * keysPerStep) / keysPerSecond

/** A key of a limiter, as it is counted. */
export interface FoundKey {
  readonly limiter: string
  readonly text: string
}

/** A step of a scan. */
export interface ScanStep {
  readonly found: readonly FoundKey[]
  /** About how many keys of Redis have been read so far, and how many there are. */
  readonly read: number
  readonly total: number
}

/** Lists the counted keys of limiters in any of these places: a paced `SCAN`, on a Cluster of each master. Redis can return a key twice; it is listed once. */
export async function* scanKeys(
  redis: RedisConnection,
  places: readonly RedisPlace[],
  limiters: readonly string[],
): AsyncGenerator<ScanStep> {
  const sought = places.flatMap((place) => limiters.map((limiter) => ({ ...place, limiter })))
  // One scan reads the keys of all limiters.
  const pattern = sought.length === 1 ? patternOf(sought[0]) : '*'
  const listed = new Set<string>()
  const nodes = 'nodes' in redis ? redis.nodes('master') : [redis]
  const sizes = await Promise.all(nodes.map(async (node) => node.dbsize()))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  let read = 0
  for (const node of nodes) {
    let cursor = '0'
    do {
      const startedAt = performance.now()
      const [next, names] = await node.scan(cursor, 'MATCH', pattern, 'COUNT', keysPerStep)
      cursor = next
      read = Math.min(total, read + keysPerStep)
      yield { found: names.flatMap(foundIn), read, total }
      if (cursor !== '0') await delay(Math.max(0, startedAt + stepMs - performance.now()))
    } while (cursor !== '0')
  }

  function foundIn(name: string): readonly FoundKey[] {
    if (listed.has(name)) return []
    return sought.flatMap(({ keyPrefix, prefix, limiter }) => {
      if (!name.startsWith(keyPrefix)) return []
      const text = keyOfRedisKey(prefix, limiter, name.slice(keyPrefix.length))
      if (text === undefined) return []
      listed.add(name)
      return [{ limiter, text }]
    })
  }
}

/** A pattern of SCAN for the keys of a limiter. Logs and leases have names of their own, without the brace at the end. */
function patternOf({
  keyPrefix,
  prefix,
  limiter,
}: RedisPlace & { readonly limiter: string }): string {
  const start = keyPrefix + redisKeyStart(prefix, limiter)
  return `${start.replace(/[\\*?[\]]/g, '\\$&')}*}`
}

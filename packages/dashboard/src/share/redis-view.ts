import type { SupportedClient } from '@sluice/core'
import {
  checked,
  isList,
  isText,
  optional,
  readOptions,
  redisKeys,
  redisScripts,
} from '@sluice/core/internal'
import { createSearch } from './search.js'
import type { DashboardShare, Snapshot, Snapshots } from './share.js'

/** Options of `redisView`. */
export interface RedisViewOptions {
  /**
   * The prefix of every Redis key. It must be that of `redisStore`, so that the search finds the keys of its limiters.
   *
   * @default 'sluice'
   */
  readonly prefix?: string | undefined
}

/** How long the snapshot of a process is read after it was written. */
const livesMs = 15_000

/** The longest that a client over HTTP waits. */
const callMs = 10_000

/** The most processes that are read. */
const mostProcesses = 100

/** The most keys that were cleared, of all processes. */
const mostCleared = 500

/**
 * Shows the data of all processes together, through the Redis that holds the counts. Each process writes one key every five seconds; while a page is open, its
 * process reads those that are new. It takes the clients of `redisStore`, and never opens or closes a connection.
 *
 * @example
 * import { createDashboard, redisView } from '@sluice/dashboard'
 * import { Redis } from 'ioredis'
 *
 * const redis = new Redis('redis://localhost')
 * redis.on('error', (error) => console.error(`Redis: ${error.message}`))
 * const dashboard = createDashboard({ limiters: {}, authorize: () => 'read', share: redisView(redis) })
 * @throws SluiceError if the client is not supported, or an option is unknown or out of range
 */
export function redisView(client: SupportedClient, options: RedisViewOptions = {}): DashboardShare {
  const scripts = redisScripts(client, 'redisView')
  const { prefix } = readOptions('redisView', options, {
    prefix: optional(checked('a non-empty string', isText), 'sluice'),
  })
  // No limiter has an empty name, so no key of a limiter has this beginning. All keys are in one slot of a Cluster.
  const index = `${prefix.replaceAll('{', '%7B')}::{view}`
  const keyOf = (process: string): string => `${index}:${process}`
  const search = createSearch(client, prefix)

  async function run(script: string, keys: readonly string[], args: readonly string[]) {
    // A client over HTTP would wait for ever.
    return scripts.run(script, keys, args, AbortSignal.timeout(callMs))
  }

  return {
    prefix,
    async write(process, snapshot, cleared) {
      const keys = [index, keyOf(process), `${index}:cleared`]
      const args = [process, snapshot, `${livesMs}`, `${mostCleared}`, ...cleared]
      return textsOf(await run(writeScript, keys, args))
    },
    async read(known: Snapshots = new Map()) {
      const args = [`${livesMs}`, `${mostProcesses}`]
      const reply = listOf(await run(listScript, [index, `${index}:cleared`], args))
      const listed = writingsOf(textsOf(reply[0]))
      const unread = listed.filter(({ id, at }) => known.get(id)?.writtenAt !== at)
      const keys = unread.map(({ id }) => keyOf(id))
      const texts = keys.length === 0 ? [] : textsOf(await run(readScript, keys, []))
      const read = new Map(unread.map(({ id, at }, i) => [id, { text: texts[i], writtenAt: at }]))
      const snapshots = new Map(
        listed.flatMap(({ id }): [string, Snapshot][] => {
          const snapshot = read.get(id) ?? known.get(id)
          return snapshot !== undefined && isText(snapshot.text) ? [[id, snapshot]] : []
        }),
      )
      return { snapshots, cleared: textsOf(reply[1]) }
    },
    async remove(process) {
      await run(removeScript, [index, keyOf(process)], [process])
    },
    async has(limiter, key) {
      return Number(await run(existsScript, [redisKeys(prefix, limiter)(key)], [])) === 1
    },
    search,
  }
}

/** A process, and when Redis received its last snapshot. */
interface Written {
  readonly id: string
  readonly at: string
}

/** Reads the answer of `listScript`. */
function writingsOf(listed: readonly string[]): readonly Written[] {
  return listed.flatMap((id, i) => (i % 2 === 0 ? [{ id, at: listed[i + 1] }] : []))
}

// A script takes one call, and the time of the server.
const now = `local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`

/** Removes some members of a sorted set. */
const removeAll = `local function removeAll(key, ...)
  for _, gone in ipairs(redis.call('ZRANGE', key, ...)) do redis.call('ZREM', key, gone) end
end`

/**
 * KEYS: the index, the snapshot, the cleared keys. ARGV: the process, the snapshot, the life of a snapshot, the most cleared keys, cleared keys. Returns the cleared
 * keys of all processes.
 */
const writeScript = `${now}
${removeAll}
redis.call('SET', KEYS[2], ARGV[2], 'PX', ARGV[3])
removeAll(KEYS[1], '-inf', now - ARGV[3], 'BYSCORE', 'LIMIT', 0, 100)
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
for i = 5, #ARGV do redis.call('ZADD', KEYS[3], 'NX', now, ARGV[i]) end
removeAll(KEYS[3], '-inf', now - ARGV[3], 'BYSCORE', 'LIMIT', 0, 100)
removeAll(KEYS[3], 0, -1 - ARGV[4])
redis.call('PEXPIRE', KEYS[3], ARGV[3])
return redis.call('ZRANGE', KEYS[3], now - ARGV[3], '+inf', 'BYSCORE')`

/**
 * KEYS: the index, the cleared keys. ARGV: the life of a snapshot, the most processes. Returns the processes, the last one that wrote first, and when each of
 * them wrote; and the cleared keys.
 */
const listScript = `${now}
return {
  redis.call('ZRANGE', KEYS[1], '+inf', now - ARGV[1], 'BYSCORE', 'REV', 'LIMIT', 0, ARGV[2], 'WITHSCORES'),
  redis.call('ZRANGE', KEYS[2], now - ARGV[1], '+inf', 'BYSCORE'),
}`

/** KEYS: the snapshots. Returns them. */
const readScript = `local snapshots = {}
for i, key in ipairs(KEYS) do snapshots[i] = redis.call('GET', key) or '' end
return snapshots`

/** KEYS: the index, the snapshot. ARGV: the process. */
const removeScript = `redis.call('DEL', KEYS[2])
redis.call('ZREM', KEYS[1], ARGV[1])
return 1`

/** KEYS: the counts of a key. Returns 1 if they are there. */
const existsScript = `return redis.call('EXISTS', KEYS[1])`

function textsOf(reply: unknown): readonly string[] {
  return listOf(reply).map(String)
}

function listOf(reply: unknown): readonly unknown[] {
  if (isList(reply)) return reply
  throw new TypeError('the client answered a script with another type than a list')
}

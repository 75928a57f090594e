import type { SupportedClient } from '@sluice/core'
import {
  isList,
  keyOfRedisKey,
  redisKeyStart,
  redisScripts,
  type RedisScripts,
} from '@sluice/core/internal'
import { refusal } from '../refusal.js'
import { keyPrefixOf, mastersOf } from './masters.js'
import { Pace } from './pace.js'
import type { FoundKeys } from './share.js'

/** The most names of a second, of all searches of this process together. */
const namesPerSecond = 2000

/** The names of one SCAN: it takes Redis about a tenth of a millisecond. */
const namesPerScan = 250

/** The scans of one request, which then takes about a second. */
const scansPerRequest = 8

/** A request that would wait longer is refused. */
const longestWaitMs = 2000

/** Searches the keys of a limiter with SCAN, on a Cluster at one master after the other. */
export function createSearch(
  client: SupportedClient,
  prefix: string,
): (limiter: string, cursor: string | undefined) => Promise<FoundKeys> {
  const pace = new Pace(namesPerSecond)
  const scripts = new WeakMap<SupportedClient, RedisScripts>()

  function scriptsOf(node: SupportedClient): RedisScripts {
    const known = scripts.get(node) ?? redisScripts(node, 'redisView')
    scripts.set(node, known)
    return known
  }

  return async function search(limiter, cursor) {
    let [at, next] = positionOf(cursor)
    if (pace.waitMs > longestWaitMs) throw refusal('SLUICE_SEARCH_BUSY')
    const masters = await mastersOf(client)
    const keys = new Set<string>()
    for (let scan = 0; scan < scansPerRequest && at < masters.length; scan++) {
      await pace.take(namesPerScan)
      const node = masters[at]
      const clientPrefix = keyPrefixOf(node)
      const pattern = `${escapeGlob(clientPrefix + redisKeyStart(prefix, limiter))}*}`
      const reply = await scriptsOf(node).run(scanScript, [], [next, pattern, `${namesPerScan}`])
      const [following, names] = scanReply(reply)
      for (const name of names) {
        const key = keyOfRedisKey(prefix, limiter, name.slice(clientPrefix.length))
        if (key !== undefined) keys.add(key)
      }
      next = following
      if (next === '0') at++
    }
    return { keys: [...keys], cursor: at < masters.length ? `${at}:${next}` : undefined }
  }
}

const scanScript = `return redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])`

/** The master and the cursor of its SCAN. */
function positionOf(cursor: string | undefined): [number, string] {
  if (cursor === undefined) return [0, '0']
  const [, at, next] = /^(\d{1,4}):(\d{1,20})$/.exec(cursor) ?? []
  if (at === undefined || next === undefined) {
    throw refusal('SLUICE_VIEW_REQUEST_INVALID', 'the cursor of the answer before')
  }
  return [Number(at), next]
}

function scanReply(reply: unknown): readonly [string, readonly string[]] {
  const [cursor, names] = isList(reply) ? reply : []
  if (isList(names) && (typeof cursor === 'string' || typeof cursor === 'number')) {
    return [`${cursor}`, names.map(String)]
  }
  throw new TypeError('the client answered SCAN with another reply')
}

function escapeGlob(text: string): string {
  return text.replace(/[*?[\]\\]/g, String.raw`\$&`)
}

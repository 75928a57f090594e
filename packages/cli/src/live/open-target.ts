import { redisStore, type Store } from '@sluice/core'
import { nearestWord } from '@sluice/core/internal'
import { compileRules, parseRules, readRulesFile, type RuleSet } from '@sluice/rules'
import { readLimitersFile, type ExportedLimiter } from '../reading/limiters-file.js'
import { clientAt, placesOf, type RedisPlace } from '../reading/redis-place.js'
import { connectRedis, timeoutMs, type RedisConnection } from '../reading/redis.js'
import type { KeyOptions } from '../reading/target-options.js'
import {
  limiterOfOptions,
  limiterOfRules,
  ownPolicies,
  type KnownLimiter,
} from './known-limiter.js'
import { limiterTarget } from './limiter-target.js'
import { pageClient } from './page-client.js'
import { pageTarget } from './page-target.js'
import { scanKeys } from './scan.js'
import type { Target } from './target.js'

/**
 * Opens the counts that the options name, and checks that they can be read.
 *
 * @throws Error if a file, Redis or the page cannot be read
 */
export async function openTarget(options: KeyOptions): Promise<Target> {
  const { url, header = [], redis, limiters, rules, policy = [], variant = [], cluster } = options
  if (url !== undefined) return pageTarget(pageClient({ url, headers: Object.fromEntries(header) }))
  if (limiters === undefined && rules === undefined) {
    throw new Error('the policies must be known to read the counts: state --limiters or --rules')
  }
  if (rules !== undefined && redis === undefined) {
    throw new Error('--rules needs --redis: a document names no store')
  }
  const exported = limiters === undefined ? [] : await readLimitersFile(limiters)
  const set = rules === undefined ? undefined : await readRules(rules)
  const connection = redis === undefined ? undefined : await connectRedis(redis, { cluster })
  const places = placesOf(options.prefix)
  try {
    return limiterTarget({
      limiters: known(
        connection === undefined ? [] : places.map((place) => storeAt(connection, place)),
      ),
      policies: policy,
      scan: connection && ((names) => scanKeys(connection, places, names)),
      close: () => disconnect(connection),
    })
  } catch (error) {
    disconnect(connection)
    throw error
  }

  function known(stores: readonly Store[]): ReadonlyMap<string, readonly KnownLimiter[]> {
    const named = exported.filter(({ name }) => name === options.limiter)
    // Another limiter may not be readable, and need not be.
    const needed = named.length > 0 ? named : exported
    const found = new Map(needed.map((one) => [one.name, ofExport(one, stores)]))
    if (set === undefined) return found
    if (found.has(set.name)) throw new Error(`two limiters have the name "${set.name}"`)
    return found.set(
      set.name,
      stores.map((store) => limiterOfRules(set, store, variant)),
    )
  }
}

async function readRules(file: string): Promise<RuleSet> {
  try {
    return await compileRules(parseRules(await readRulesFile(file)))
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error))
    throw new Error(`${file} cannot be used: ${message}`, { cause: error })
  }
}

function storeAt(connection: RedisConnection, place: RedisPlace): Store {
  const { prefix } = place
  return redisStore(clientAt(connection, place), { prefix, timeout: timeoutMs })
}

function ofExport(exported: ExportedLimiter, stores: readonly Store[]): readonly KnownLimiter[] {
  if ('limiter' in exported) return [ownPolicies(exported.limiter)]
  if (stores.length > 0) return stores.map((store) => limiterOfOptions(exported.options, store))
  throw new Error(
    `the limiter "${exported.name}" is exported as options, without a store: state --redis`,
  )
}

function disconnect(connection: RedisConnection | undefined): void {
  connection?.disconnect()
}

/**
 * The limiters that a command concerns: all, or the one that the user names.
 *
 * @throws Error if there is no limiter of that name
 */
export function chosenLimiters({ limiters }: Target, name: string | undefined): readonly string[] {
  if (limiters.length === 0) throw new Error('the dashboard has no limiter whose keys can be read')
  if (name === undefined) return limiters
  if (limiters.includes(name)) return [name]
  const meant = nearestWord(name, limiters)
  const hint = meant === undefined ? '' : `\n(Did you mean ${meant}?)`
  throw new Error(`there is no limiter "${name}". Known: ${limiters.join(', ')}${hint}`)
}

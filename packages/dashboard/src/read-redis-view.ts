import type { SupportedClient } from '@sluice/core'
import { mergedStores } from './collect/store-records.js'
import { mergedLimiters } from './data/merge.js'
import { limiterViews, mostRows } from './data/present.js'
import type { SharedData } from './data/process-data.js'
import { newerIn } from './data/view-of.js'
import { readCleared, readSnapshot } from './data/read-snapshot.js'
import { redisView, type RedisViewOptions } from './share/redis-view.js'
import type { View } from './view.js'

/**
 * Reads the data that the dashboards of all processes have written to Redis by `redisView`, without a dashboard of its own: for tools. Its time is that of the
 * latest data, up to five seconds ago. The view has no rules, and no limiter whose keys can be acted upon. `mask` is not applied.
 *
 * @example
 * import { readRedisView } from '@sluice/dashboard'
 *
 * const { limiters } = await readRedisView(redis, { prefix: 'shop' })
 * @throws SluiceError if the client is not supported, or an option is unknown or out of range; or the error of the client
 */
export async function readRedisView(
  client: SupportedClient,
  options: RedisViewOptions = {},
): Promise<View> {
  const { snapshots, cleared } = await redisView(client, options).read()
  const all = Array.from(snapshots.values(), ({ text }) => readSnapshot(text))
  const data = all.filter((one) => one !== undefined)
  const notMerged = all.length - data.length
  const share = { state: 'ok', notMerged, ...newerIn(data) } as const
  const common = { role: 'read', processes: all.length, share } as const
  const [first, ...others] = data
  if (first === undefined) return { at: Date.now(), ...common, limiters: [], stores: [] }
  const { at } = others.reduce(later, first)
  const nothing = { at, limiters: [], stores: [], rules: [] }
  const limiters = mergedLimiters(nothing, data, readCleared(cleared))
  return {
    at,
    ...common,
    limiters: limiterViews(limiters, [], at, (key) => key, mostRows),
    stores: mergedStores(data.map(({ stores }) => stores)),
  }
}

function later(one: SharedData, other: SharedData): SharedData {
  return other.at > one.at ? other : one
}

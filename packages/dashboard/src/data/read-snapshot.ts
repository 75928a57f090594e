import type { Policy } from '@sluice/core'
import { checkedPolicy } from '@sluice/core/internal'
import type { ClearedKey } from '../collect/cleared-keys.js'
import { byOutcome } from '../collect/limiter-record.js'
import type { HotKey } from '../collect/hot-keys.js'
import type { Top } from '../collect/recent-keys.js'
import type { Series } from '../collect/steps.js'
import type { DeniedKey, StoreView } from '../view.js'
import {
  absentOr,
  boolean,
  count,
  entries,
  list,
  nullOr,
  number,
  oneOf,
  record,
  string,
  type Check,
} from './check.js'
import { mostMinutes } from './minutes.js'
import type { LimiterData, PolicyData, ProcessData, SharedData } from './process-data.js'
import type { RulesData } from './rules-data.js'
import { snapshotVersion } from './snapshot.js'

/**
 * Reads the snapshot of a process. Undefined if an older version of this package wrote it, or if it is none. A newer version may have written parts that this version
 * does not know: they are left out.
 */
export function readSnapshot(text: string): SharedData | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const { v, limiters } = record({ v: count, limiters: entries })(value)
    const data = v < snapshotVersion ? undefined : snapshot(value)
    const isReadable = data !== undefined && (data.limiters.length > 0 || limiters.length === 0)
    return isReadable ? { ...data, isNewer: v !== snapshotVersion } : undefined
  } catch {
    return undefined
  }
}

/** Reads the keys that processes have cleared. */
export function readCleared(texts: readonly string[]): readonly ClearedKey[] {
  return list((one) => cleared(JSON.parse(string(one))))(texts)
}

const cleared: Check<ClearedKey> = (value) => {
  const [limiter, key, at, policies] = entries(value)
  const common = { limiter: string(limiter), key: string(key), at: number(at) }
  return policies === undefined ? common : { ...common, policies: strings(policies) }
}

const strings: Check<readonly string[]> = (value) => entries(value).map(string)

const minutes: Check<Series> = (value) => {
  const points = entries(value).map(count)
  return points.slice(-mostMinutes)
}

/** Undefined for a policy that a limiter of this version does not take. */
const policy: Check<Policy | undefined> = (value) => {
  try {
    return checkedPolicy(value, 'a snapshot')
  } catch {
    return undefined
  }
}

const top = record<Top>({
  keys: list(record<HotKey>({ key: string, count, error: count })),
  unlisted: count,
  sinceAt: number,
})

const snapshot = record<ProcessData>({
  at: number,
  limiters: list(
    record<LimiterData>({
      name: string,
      ...byOutcome(() => minutes),
      policies: list(
        record<PolicyData>({
          name: string,
          denied: minutes,
          wouldDeny: minutes,
          limit: absentOr(number),
          varies: boolean,
          policy,
        }),
      ),
      groups: (value) => entries(value).map(strings),
      requests: top,
      denials: top,
      runs: list(
        record<DeniedKey>({
          key: string,
          policies: strings,
          untilAt: nullOr(number),
          denials: count,
          firstDeniedAt: number,
          lastDeniedAt: number,
          source: oneOf('store', 'local', 'ahead', 'fallback', 'open', 'closed'),
          isBlocked: boolean,
        }),
      ),
      unlistedRuns: count,
    }),
  ),
  stores: list(
    record<StoreView>({
      name: string,
      state: oneOf('ok', 'open', 'fallback'),
      sinceAt: nullOr(number),
      errors: count,
      lastError: absentOr(record({ code: string, message: string, at: number })),
    }),
  ),
  rules: list(
    record<RulesData>({
      name: string,
      stats: list((value): RulesData['stats'][number] => {
        const [id, counts] = entries(value)
        return [string(id), entries(counts).map(count)]
      }),
    }),
  ),
})

import type { Policy } from '@sluice/core'
import type { Collector } from '../collect/collector.js'
import { byOutcome, type LimiterRecord, type Outcome } from '../collect/limiter-record.js'
import type { Top } from '../collect/recent-keys.js'
import { stepCount, type Ring, type Series } from '../collect/steps.js'
import type { DeniedKey, StoreView } from '../view.js'
import type { RulesData } from './rules-data.js'

/** The data of one process at a time. */
export interface ProcessData {
  readonly at: number
  readonly limiters: readonly LimiterData[]
  readonly stores: readonly StoreView[]
  /** Those of each dashboard of the process. */
  readonly rules: readonly RulesData[]
}

/** The data of another process, whose series have one point a minute. */
export interface SharedData extends ProcessData {
  /** Whether a newer version of this package wrote it, so that parts of it may be left out. */
  readonly isNewer: boolean
}

/** The data of one process about a limiter. An empty series has no counts. */
export interface LimiterData extends Readonly<Record<Outcome, Series>> {
  readonly name: string
  readonly policies: readonly PolicyData[]
  /** The names of policies that count by the same key. */
  readonly groups: readonly (readonly string[])[]
  readonly requests: Top
  readonly denials: Top
  readonly runs: readonly DeniedKey[]
  /** The number of denied keys that are not in `runs`. */
  readonly unlistedRuns: number
}

export interface PolicyData {
  readonly name: string
  readonly denied: Series
  readonly wouldDeny: Series
  readonly limit?: number | undefined
  /** Whether requests of the last hour have had different limits. */
  readonly varies: boolean
  readonly policy?: Policy | undefined
}

/** The data of this process. */
export function dataOf(
  collector: Collector,
  stores: readonly StoreView[],
  rules: readonly RulesData[],
): ProcessData {
  const at = collector.now()
  const limiters = Array.from(collector.limiters.values(), (record) =>
    limiterData(record, collector, at),
  )
  return { at, limiters, stores, rules }
}

function limiterData(record: LimiterRecord, { step, denied }: Collector, at: number): LimiterData {
  const series = (ring: Ring | undefined): Series => ring?.series(step) ?? []
  return {
    name: record.name,
    ...byOutcome((outcome) => series(record[outcome])),
    policies: Array.from(record.policies.values(), (one) => ({
      name: one.name,
      denied: series(one.denied),
      wouldDeny: series(one.wouldDeny),
      limit: one.limit,
      varies: one.variedAt > step - stepCount,
      policy: one.policy,
    })),
    groups: record.groups(),
    requests: record.requests.top(),
    denials: record.denials.top(),
    runs: denied.runsOf(record.name, at),
    unlistedRuns: 0,
  }
}

/** A limiter without decisions. */
export function emptyLimiter(name: string, at: number): LimiterData {
  const none = { keys: [], unlisted: 0, sinceAt: at }
  return {
    name,
    ...byOutcome(() => []),
    policies: [],
    groups: [],
    requests: none,
    denials: none,
    runs: [],
    unlistedRuns: 0,
  }
}

import type { Policy } from '@sluice/core'
import type { Collector } from '../collect/collector.js'
import type { DeniedRun } from '../collect/denied-keys.js'
import type { LimiterRecord } from '../collect/limiter-record.js'
import type { RecentCounts } from '../collect/recent-keys.js'
import { countsOf, startOf, stepCount, type Ring } from '../collect/steps.js'
import type { StoreView } from '../view.js'
import type { Counts } from './counts.js'
import type { RulesData } from './rules-data.js'

/** The data of one process at a time. `C` is the form of its counts: each step by itself, or as they are shared. */
export interface ProcessData<C = readonly number[]> {
  readonly at: number
  /** When the series of all its limiters begin. */
  readonly startsAt: number
  readonly limiters: readonly LimiterData<C>[]
  readonly stores: readonly StoreView[]
  /** Those of each dashboard of the process. */
  readonly rules: readonly RulesData[]
}

/** The data of one process about a limiter. */
export interface LimiterData<C = readonly number[]> {
  readonly name: string
  readonly allowed: C
  readonly denied: C
  readonly exempt: C
  readonly wouldDeny: C
  readonly policies: readonly PolicyData<C>[]
  /** The names of policies that count by the same key. */
  readonly groups: readonly (readonly string[])[]
  readonly requests: RecentCounts
  readonly denials: RecentCounts
  readonly runs: readonly DeniedRun[]
  /** The number of denied keys that are not in `runs`. */
  readonly unlistedRuns: number
}

export interface PolicyData<C = readonly number[]> {
  readonly name: string
  readonly denied: C
  readonly wouldDeny: C
  readonly limit: number | undefined
  /** Whether requests of the last hour have had different limits. */
  readonly varies: boolean
  readonly policy: Policy | undefined
}

/** The data of another process. */
export interface SharedData extends ProcessData<Counts> {
  /** Whether a newer version of this package wrote it, so that parts of it may be left out. */
  readonly isNewer: boolean
}

/** The counts of a policy that has never denied. */
export const noCounts: readonly number[] = Object.freeze(Array<number>(stepCount).fill(0))

/** The data of this process. */
export function dataOf(
  collector: Collector,
  stores: readonly StoreView[],
  rules: readonly RulesData[],
): ProcessData {
  const at = collector.now()
  const { step } = collector
  return {
    at,
    startsAt: startOf(step),
    limiters: Array.from(collector.limiters.values(), (record) =>
      limiterData(record, collector, at),
    ),
    stores,
    rules,
  }
}

function limiterData(record: LimiterRecord, { step, denied }: Collector, at: number): LimiterData {
  return {
    name: record.name,
    allowed: countsOf(record.allowed, step),
    denied: countsOf(record.denied, step),
    exempt: countsOf(record.exempt, step),
    wouldDeny: countsOf(record.wouldDeny, step),
    policies: Array.from(record.policies.values(), (one) => {
      const { name, limit, variedAt = -Infinity, policy } = one
      const varies = variedAt > step - stepCount
      const counts = (ring: Ring | undefined): readonly number[] =>
        ring === undefined ? noCounts : countsOf(ring, step)
      const [denied, wouldDeny] = [counts(one.denied), counts(one.wouldDeny)]
      return { name, denied, wouldDeny, limit, varies, policy }
    }),
    groups: record.groups(),
    requests: record.requests.counts(),
    denials: record.denials.counts(),
    runs: denied.runsOf(record.deniedPlaces, at),
    unlistedRuns: 0,
  }
}

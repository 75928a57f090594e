import { isOver, type ClearedKey } from '../collect/cleared-keys.js'
import { byOutcome } from '../collect/limiter-record.js'
import { mergedTop } from '../collect/recent-keys.js'
import { noCounts, type Series } from '../collect/steps.js'
import type { DeniedKey } from '../view.js'
import { addMinutes } from './minutes.js'
import {
  emptyLimiter,
  type LimiterData,
  type PolicyData,
  type ProcessData,
} from './process-data.js'

/** A limiter in another process, and when that wrote it. */
interface Other {
  readonly at: number
  readonly limiter: LimiterData
}

/**
 * The data of this process and of others together. The first one gives the time and the steps.
 *
 * @param cleared keys whose denials are over, whatever a process still shows
 */
export function mergedLimiters(
  own: ProcessData,
  others: readonly ProcessData[],
  cleared: readonly ClearedKey[],
): LimiterData[] {
  const named = new Map<string, Other[]>(own.limiters.map(({ name }) => [name, []]))
  for (const { at, limiters } of others) {
    for (const limiter of limiters) {
      named.set(limiter.name, [...(named.get(limiter.name) ?? []), { at, limiter }])
    }
  }
  return Array.from(named, ([name, theirs]) => {
    const mine = own.limiters.find((one) => one.name === name)
    const ofLimiter = cleared.filter(({ limiter }) => limiter === name)
    return mergedLimiter(mine ?? emptyLimiter(name, own.at), own.at, theirs, ofLimiter)
  })
}

function mergedLimiter(
  own: LimiterData,
  at: number,
  others: readonly Other[],
  cleared: readonly ClearedKey[],
): LimiterData {
  const all = [own, ...others.map(({ limiter }) => limiter)]
  return {
    name: own.name,
    ...byOutcome((outcome) =>
      sumSeries(
        own[outcome],
        at,
        others.map((one): Minutes => [one.at, one.limiter[outcome]]),
      ),
    ),
    policies: mergedPolicies(own.policies, at, others),
    groups: mergedGroups(all.flatMap(({ groups }) => groups)),
    requests: mergedTop(all.map(({ requests }) => requests)),
    denials: mergedTop(all.map(({ denials }) => denials)),
    runs: mergedRuns(
      all.map(({ runs }) => runs),
      cleared,
    ),
    unlistedRuns: all.reduce((sum, { unlistedRuns }) => sum + unlistedRuns, 0),
  }
}

/** The series of another process, and when that wrote it. */
type Minutes = readonly [at: number, series: Series]

function sumSeries(own: Series, at: number, others: readonly Minutes[]): Series {
  const sum = own.length === 0 ? [...noCounts] : [...own]
  for (const [writtenAt, minutes] of others) addMinutes(sum, at, minutes, writtenAt)
  return sum
}

function mergedPolicies(
  own: readonly PolicyData[],
  at: number,
  others: readonly Other[],
): readonly PolicyData[] {
  const theirs = others.flatMap((one) =>
    one.limiter.policies.map((policy) => ({ at: one.at, policy })),
  )
  const all = new Map<string, PolicyData>()
  for (const one of [...own, ...theirs.map(({ policy }) => policy)]) {
    if (!all.has(one.name)) all.set(one.name, one)
  }
  return Array.from(all.values(), (first): PolicyData => {
    const mine = own.find(({ name }) => name === first.name)
    const ofName = theirs.filter(({ policy }) => policy.name === first.name)
    const sum = (outcome: 'denied' | 'wouldDeny'): Series =>
      sumSeries(
        mine?.[outcome] ?? [],
        at,
        ofName.map((one): Minutes => [one.at, one.policy[outcome]]),
      )
    return { ...first, denied: sum('denied'), wouldDeny: sum('wouldDeny') }
  })
}

/** Policies that count by the same key in one process do so in all of them. */
export function mergedGroups(all: readonly (readonly string[])[]): readonly (readonly string[])[] {
  let groups: readonly (readonly string[])[] = []
  for (const names of all) {
    const joined = groups.filter((group) => group.some((name) => names.includes(name)))
    const others = groups.filter((group) => !joined.includes(group))
    groups = [...others, [...new Set([...names, ...joined.flat()])]]
  }
  return groups
}

function mergedRuns(
  all: readonly (readonly DeniedKey[])[],
  cleared: readonly ClearedKey[],
): readonly DeniedKey[] {
  const keys = new Set(cleared.map(({ key }) => key))
  const merged = new Map<string, DeniedKey>()
  for (const run of all.flat()) {
    const { key, lastDeniedAt, policies } = run
    if (
      keys.has(key) &&
      cleared.some((one) => one.key === key && isOver(one, lastDeniedAt, policies))
    ) {
      continue
    }
    const known = merged.get(key)
    merged.set(key, known === undefined ? run : together(known, run))
  }
  return [...merged.values()]
}

/** The later of the last denials decides. */
function together(a: DeniedKey, b: DeniedKey): DeniedKey {
  return {
    ...(a.lastDeniedAt >= b.lastDeniedAt ? a : b),
    policies: [...new Set([...a.policies, ...b.policies])],
    denials: a.denials + b.denials,
    firstDeniedAt: Math.min(a.firstDeniedAt, b.firstDeniedAt),
  }
}

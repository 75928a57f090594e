import { isOver, type ClearedKey } from '../collect/cleared-keys.js'
import type { DeniedRun } from '../collect/denied-keys.js'
import type { RecentCounts } from '../collect/recent-keys.js'
import { CountsSum, type Counts } from './counts.js'
import type { LimiterData, PolicyData, ProcessData, SharedData } from './process-data.js'

/**
 * The data of this process and of others together. The first one gives the time and the steps.
 *
 * @param cleared keys whose denials are over, whatever a process still shows
 */
export function mergedLimiters(
  own: ProcessData,
  others: readonly SharedData[],
  cleared: readonly ClearedKey[],
): LimiterData[] {
  const parts = new Map<string, Parts>()
  for (const limiter of own.limiters) parts.set(limiter.name, { own: limiter, others: [] })
  for (const { limiters } of others) {
    for (const limiter of limiters) {
      const known = parts.get(limiter.name)
      if (known === undefined) parts.set(limiter.name, { own: undefined, others: [limiter] })
      else known.others.push(limiter)
    }
  }
  const byKey = clearedByKey(cleared)
  return Array.from(parts, ([name, of]) => mergedLimiter(name, of, own.startsAt, byKey))
}

/** A limiter in several processes. */
interface Parts {
  readonly own: LimiterData | undefined
  readonly others: LimiterData<Counts>[]
}

type ClearedByKey = ReadonlyMap<string, readonly ClearedKey[]>

function clearedByKey(all: readonly ClearedKey[]): ClearedByKey {
  const byKey = new Map<string, ClearedKey[]>()
  for (const one of all) {
    const id = clearedId(one.limiter, one.key)
    const known = byKey.get(id)
    if (known === undefined) byKey.set(id, [one])
    else known.push(one)
  }
  return byKey
}

function clearedId(limiter: string, key: string): string {
  return `${limiter}\0${key}`
}

function mergedLimiter(
  name: string,
  { own, others }: Parts,
  startsAt: number,
  cleared: ClearedByKey,
): LimiterData {
  const all = own === undefined ? others : [own, ...others]
  const sum = (of: 'allowed' | 'denied' | 'exempt' | 'wouldDeny'): readonly number[] => {
    const total = new CountsSum(startsAt, own?.[of])
    for (const limiter of others) total.add(limiter[of])
    return total.counts()
  }
  return {
    name,
    allowed: sum('allowed'),
    denied: sum('denied'),
    exempt: sum('exempt'),
    wouldDeny: sum('wouldDeny'),
    policies: mergedPolicies(own?.policies ?? [], others, startsAt),
    groups: mergedGroups(all.flatMap(({ groups }) => groups)),
    requests: mergedCounts(all.map(({ requests }) => requests)),
    denials: mergedCounts(all.map(({ denials }) => denials)),
    runs: mergedRuns(name, own?.runs ?? [], others, cleared),
    unlistedRuns: others.reduce((sum, { unlistedRuns }) => sum + unlistedRuns, 0),
  }
}

function mergedCounts(all: readonly RecentCounts[]): RecentCounts {
  return {
    lists: all.flatMap(({ lists }) => lists),
    sinceAt: Math.min(...all.map(({ sinceAt }) => sinceAt)),
  }
}

function mergedPolicies(
  own: readonly PolicyData[],
  others: readonly LimiterData<Counts>[],
  startsAt: number,
): readonly PolicyData[] {
  if (others.length === 0) return own
  const sumsOf = (
    first: PolicyData<unknown>,
    mine?: PolicyData,
  ): { first: PolicyData<unknown>; denied: CountsSum; wouldDeny: CountsSum } => ({
    first,
    denied: new CountsSum(startsAt, mine?.denied),
    wouldDeny: new CountsSum(startsAt, mine?.wouldDeny),
  })
  const merged = new Map(own.map((policy) => [policy.name, sumsOf(policy, policy)]))
  for (const { policies } of others) {
    for (const policy of policies) {
      const sums = merged.get(policy.name) ?? sumsOf(policy)
      sums.denied.add(policy.denied)
      sums.wouldDeny.add(policy.wouldDeny)
      merged.set(policy.name, sums)
    }
  }
  return Array.from(merged.values(), ({ first, denied, wouldDeny }) => {
    return Object.assign({ ...first }, { denied: denied.counts(), wouldDeny: wouldDeny.counts() })
  })
}

/** Policies that count by the same key in one process do so in all of them. */
export function mergedGroups(all: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const groups: Set<string>[] = []
  for (const names of all) {
    const joined = new Set(names)
    for (let i = groups.length - 1; i >= 0; i--) {
      if (names.some((name) => groups[i].has(name))) {
        for (const name of groups[i]) joined.add(name)
        groups.splice(i, 1)
      }
    }
    groups.push(joined)
  }
  return groups.map((names) => Array.from(names))
}

function mergedRuns(
  limiter: string,
  own: readonly DeniedRun[],
  others: readonly Pick<LimiterData<unknown>, 'runs'>[],
  cleared: ClearedByKey,
): readonly DeniedRun[] {
  const hasEnded = ({ key, lastAt, policies }: DeniedRun): boolean =>
    cleared.size > 0 &&
    cleared.get(clearedId(limiter, key))?.some((one) => isOver(one, lastAt, policies)) === true
  const theirs = new Map<string, DeniedRun>()
  for (const { runs } of others) {
    for (const run of runs) {
      if (hasEnded(run)) continue
      const known = theirs.get(run.key)
      theirs.set(run.key, known === undefined ? run : together(known, run))
    }
  }
  // A process has up to ten thousand runs of its own, and shares the few with the most denials.
  const merged: DeniedRun[] = []
  for (const run of own) {
    if (hasEnded(run)) continue
    const other = theirs.get(run.key)
    merged.push(other === undefined ? run : together(run, other))
    theirs.delete(run.key)
  }
  for (const run of theirs.values()) merged.push(run)
  return merged
}

/** The later of the last denials decides. */
function together(a: DeniedRun, b: DeniedRun): DeniedRun {
  const { until, lastAt, source, isBlocked } = a.lastAt >= b.lastAt ? a : b
  const more = b.policies.filter((policy) => !a.policies.includes(policy))
  return {
    key: a.key,
    until,
    policies: more.length === 0 ? a.policies : [...a.policies, ...more],
    denials: a.denials + b.denials,
    firstAt: Math.min(a.firstAt, b.firstAt),
    lastAt,
    source,
    isBlocked,
  }
}

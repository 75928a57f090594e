import type { DeniedRun } from '../collect/denied-keys.js'
import { shortened, type RecentCounts } from '../collect/recent-keys.js'
import { stepMs } from '../collect/steps.js'
import type { DeniedKey, LimiterView, PolicyView, TopKeys } from '../view.js'
import { sumOfCounts } from './counts.js'
import { noCounts, type LimiterData, type PolicyData } from './process-data.js'

/** The most frequent keys that a view lists. */
export const mostTop = 50

/** The most denied keys that a view lists. */
const mostDenied = 200

/** Keys as a visitor sees them. */
export interface ShownKeys {
  idOf(limiter: string, key: string): string
  /** The text of a key. */
  textOf(key: string): string
}

/** The limiters as the page shows them. Those that can be acted upon come first, also if they have decided nothing. */
export function limiterViews(
  limiters: readonly LimiterData[],
  acting: readonly string[],
  { at, startsAt }: { readonly at: number; readonly startsAt: number },
  shown: ShownKeys,
): LimiterView[] {
  const known = new Map(limiters.map((data) => [data.name, data]))
  const first = acting.map((name) => known.get(name) ?? emptyLimiter(name, at))
  const others = limiters
    .filter(({ name }) => !acting.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return [...first, ...others].map((data) => {
    const { name, allowed, denied, exempt, wouldDeny } = data
    return {
      name,
      canAct: acting.includes(name),
      policies: data.policies.map(policyView),
      series: { startsAt, stepMs, allowed, denied, exempt, wouldDeny },
      top: {
        requests: topKeys(name, data.requests, shown),
        denials: topKeys(name, data.denials, shown),
      },
      denied: deniedKeys(name, data.runs, at, shown),
    }
  })
}

function emptyLimiter(name: string, at: number): LimiterData {
  const noKeys = { keys: [], unlisted: 0, sinceAt: at }
  return {
    name,
    allowed: noCounts,
    denied: noCounts,
    exempt: noCounts,
    wouldDeny: noCounts,
    policies: [],
    groups: [],
    requests: noKeys,
    denials: noKeys,
    runs: [],
  }
}

function policyView({ name, denied, wouldDeny, limit }: PolicyData): PolicyView {
  return {
    name,
    denied,
    ...(sumOfCounts(wouldDeny) === 0 ? {} : { wouldDeny }),
    ...(limit !== undefined && Number.isFinite(limit) ? { limit } : {}),
  }
}

function topKeys(limiter: string, counts: RecentCounts, shown: ShownKeys): TopKeys {
  const { keys, unlisted } = shortened(counts, mostTop)
  return {
    keys: keys.map(({ key, count, error }) => {
      return { id: shown.idOf(limiter, key), key: shown.textOf(key), count, error }
    }),
    unlisted,
    sinceAt: counts.sinceAt,
  }
}

function deniedKeys(
  limiter: string,
  runs: readonly DeniedRun[],
  at: number,
  shown: ShownKeys,
): DeniedKey[] {
  return runs
    .filter((run) => run.until > at || run.lastAt > at - recentMs)
    .sort((a, b) => b.denials - a.denials || b.lastAt - a.lastAt)
    .slice(0, mostDenied)
    .map(({ key, policies, until, denials, firstAt, lastAt, source, isBlocked }) => {
      return {
        id: shown.idOf(limiter, key),
        key: shown.textOf(key),
        policies,
        untilAt: until === Infinity ? null : until,
        denials,
        firstDeniedAt: firstAt,
        lastDeniedAt: lastAt,
        source,
        isBlocked,
      }
    })
}

/** A client that never waits is denied for a few milliseconds many times a second. Without this time, its key would be in every other view only. */
const recentMs = 10_000

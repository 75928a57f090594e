import { isListed, type DeniedRun } from '../collect/denied-keys.js'
import { mostFrequent, type RecentCounts } from '../collect/recent-keys.js'
import { stepMs } from '../collect/steps.js'
import { firstInOrder } from '../first-in-order.js'
import type { DeniedKey, LimiterView, PolicyView, TopKeys } from '../view.js'
import { sumOfCounts } from './counts.js'
import { noCounts, type LimiterData, type PolicyData } from './process-data.js'

/** The most rows of a list of a view. */
export const mostRows = 200

/** The most frequent keys that a view lists. */
const mostTop = 50

/** Keys as a visitor sees them. */
export interface ShownKeys {
  idOf(limiter: string, key: string): string
  /** The text of a key. */
  textOf(key: string): string
}

/**
 * The limiters as the page shows them. Those that can be acted upon come first, also if they have decided nothing.
 *
 * @param rows the most rows of each list of keys
 */
export function limiterViews(
  limiters: readonly LimiterData[],
  acting: readonly string[],
  { at, startsAt }: { readonly at: number; readonly startsAt: number },
  shown: ShownKeys,
  rows: number,
): LimiterView[] {
  const known = new Map(limiters.map((data) => [data.name, data]))
  const first = acting.map((name) => known.get(name) ?? emptyLimiter(name, at))
  const others = limiters
    .filter(({ name }) => !acting.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return [...first, ...others].map((data) => {
    const { name, allowed, denied, exempt, wouldDeny } = data
    const listed = data.runs.filter((run) => isListed(run, at))
    return {
      name,
      canAct: acting.includes(name),
      policies: data.policies.map(policyView),
      series: { startsAt, stepMs, allowed, denied, exempt, wouldDeny },
      top: {
        requests: topKeys(name, data.requests, shown, rows),
        denials: topKeys(name, data.denials, shown, rows),
      },
      denied: deniedKeys(name, listed, shown, rows),
      deniedTotal: listed.length + data.unlistedRuns,
    }
  })
}

function emptyLimiter(name: string, at: number): LimiterData {
  const noKeys = { lists: [], sinceAt: at }
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
    unlistedRuns: 0,
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

function topKeys(limiter: string, counts: RecentCounts, shown: ShownKeys, rows: number): TopKeys {
  const { keys, unlisted } = mostFrequent(counts, mostTop)
  return {
    keys: keys.slice(0, rows).map(({ key, count, error }) => {
      return { id: shown.idOf(limiter, key), key: shown.textOf(key), count, error }
    }),
    total: keys.length,
    unlisted,
    sinceAt: counts.sinceAt,
  }
}

function deniedKeys(
  limiter: string,
  runs: readonly DeniedRun[],
  shown: ShownKeys,
  rows: number,
): DeniedKey[] {
  const first = firstInOrder(runs, rows, (a, b) => b.denials - a.denials || b.lastAt - a.lastAt)
  return first.map(
    ({ key, policies, until, denials, firstAt, lastAt, source, isBlocked }): DeniedKey => {
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
    },
  )
}

import { isListed } from '../collect/denied-keys.js'
import { byOutcome } from '../collect/limiter-record.js'
import type { Top } from '../collect/recent-keys.js'
import { noCounts, startOf, stepMs, sumOf, type Series } from '../collect/steps.js'
import { firstInOrder } from '../first-in-order.js'
import type { DeniedKey, LimiterView, PolicyView, TopKeys } from '../view.js'
import { emptyLimiter, type LimiterData, type PolicyData } from './process-data.js'

/** The most rows of a list of a view. */
export const mostRows = 200

/** The most frequent keys that a view lists. */
const mostTop = 50

/**
 * The limiters as the page shows them. Those that can be acted upon come first, also if they have decided nothing.
 *
 * @param shown how the visitor sees a key
 * @param rows the most rows of each list of keys
 */
export function limiterViews(
  limiters: readonly LimiterData[],
  acting: readonly string[],
  at: number,
  shown: (key: string) => string,
  rows: number,
): LimiterView[] {
  const known = new Map(limiters.map((data) => [data.name, data]))
  const first = acting.map((name) => known.get(name) ?? emptyLimiter(name, at))
  const others = limiters
    .filter(({ name }) => !acting.includes(name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return [...first, ...others].map((data) => {
    const { name } = data
    const listed = data.runs.filter((run) => isListed(run, at))
    return {
      name,
      canAct: acting.includes(name),
      policies: data.policies.map(policyView),
      series: {
        startsAt: startOf(at),
        stepMs,
        ...byOutcome((outcome) => whole(data[outcome])),
      },
      top: {
        requests: topKeys(data.requests, shown, rows),
        denials: topKeys(data.denials, shown, rows),
      },
      denied: deniedKeys(listed, shown, rows),
      deniedTotal: listed.length + data.unlistedRuns,
    }
  })
}

function whole(series: Series): Series {
  return series.length === 0 ? noCounts : series
}

function policyView({ name, denied, wouldDeny, limit }: PolicyData): PolicyView {
  return {
    name,
    denied: whole(denied),
    ...(sumOf(wouldDeny) > 0 && { wouldDeny }),
    ...(limit !== undefined && Number.isFinite(limit) && { limit }),
  }
}

function topKeys(
  { keys, unlisted, sinceAt }: Top,
  shown: (key: string) => string,
  rows: number,
): TopKeys {
  const listed = keys.slice(0, mostTop)
  return {
    keys: listed.slice(0, rows).map(({ key, count, error }) => ({ key: shown(key), count, error })),
    total: listed.length,
    unlisted: keys[mostTop]?.count ?? unlisted,
    sinceAt,
  }
}

function deniedKeys(
  runs: readonly DeniedKey[],
  shown: (key: string) => string,
  rows: number,
): DeniedKey[] {
  const first = firstInOrder(
    runs,
    rows,
    (a, b) => b.denials - a.denials || b.lastDeniedAt - a.lastDeniedAt,
  )
  return first.map((run) => Object.assign({ ...run }, { key: shown(run.key) }))
}

import { isListed } from '../collect/denied-keys.js'
import { byOutcome } from '../collect/limiter-record.js'
import { mergedTop, mostTop } from '../collect/recent-keys.js'
import type { Series } from '../collect/steps.js'
import { firstInOrder } from '../first-in-order.js'
import { minutesOf } from './minutes.js'
import type { LimiterData, ProcessData } from './process-data.js'

/** The version of the form. Increase it with every change. An older version leaves out what it cannot read, so a part with another meaning needs another name or type. */
export const snapshotVersion = 5

/** The frequent keys of all limiters together, for each of both lists, and half of their denied keys. */
const mostKeys = 250

/** The most rules of a document, those with the most matches. */
const mostRules = 300

/** Writes the data of a process for the others: one point a minute, and the keys that come first. */
export function writeSnapshot({ at, limiters, stores, rules }: ProcessData): string {
  const most = Math.min(mostTop, Math.ceil(mostKeys / limiters.length))
  return JSON.stringify({
    v: snapshotVersion,
    at,
    limiters: limiters.map((limiter) => shortLimiter(limiter, at, most)),
    stores,
    rules: rules.map(({ name, stats }) => {
      return { name, stats: firstInOrder(stats, mostRules, ([, [a]], [, [b]]) => b - a) }
    }),
  })
}

function shortLimiter(limiter: LimiterData, at: number, most: number): LimiterData {
  const minutes = (series: Series): Series => minutesOf(series, at)
  const listed = limiter.runs.filter((run) => isListed(run, at))
  const runs = firstInOrder(listed, 2 * most, (a, b) => b.denials - a.denials)
  return {
    ...limiter,
    ...byOutcome((outcome) => minutes(limiter[outcome])),
    policies: limiter.policies.map((policy) => {
      const { denied, wouldDeny } = policy
      return Object.assign(
        { ...policy },
        { denied: minutes(denied), wouldDeny: minutes(wouldDeny) },
      )
    }),
    requests: mergedTop([limiter.requests], most),
    denials: mergedTop([limiter.denials], most),
    runs,
    unlistedRuns: listed.length - runs.length,
  }
}

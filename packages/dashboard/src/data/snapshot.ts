import { shortened, type RecentCounts } from '../collect/recent-keys.js'
import { sumOfCounts, writeCounts } from './counts.js'
import type { LimiterData, ProcessData } from './process-data.js'

/** The version of the form. Increase it with every change that another version of this package would misread. */
export const snapshotVersion = 2

/** The most bytes of a snapshot. */
export const mostBytes = 65_536

/** How much of each list is written, from the most to the least. The first one that fits is taken. */
const sizes = [
  { keys: 100, runs: 200, cleared: 50 },
  { keys: 50, runs: 100, cleared: 50 },
  { keys: 25, runs: 50, cleared: 50 },
  { keys: 15, runs: 30, cleared: 50 },
  { keys: 10, runs: 20, cleared: 50 },
  { keys: 5, runs: 10, cleared: 20 },
  { keys: 2, runs: 3, cleared: 20 },
  { keys: 0, runs: 0, cleared: 0 },
]

type Size = (typeof sizes)[number]

/**
 * Writes the data of a process as JSON of at most 64 kB. If it does not fit, its lists are shortened. The keys that a list then lacks are part of its error.
 * If that is not enough, the limiters with the fewest decisions are left out.
 */
export function writeSnapshot(data: ProcessData): string {
  for (const size of sizes) {
    const text = written(data, data.limiters, size)
    if (Buffer.byteLength(text) <= mostBytes) return text
  }
  const size = sizes[sizes.length - 1]
  const busiest = data.limiters.toSorted((a, b) => decisionsOf(b) - decisionsOf(a))
  for (let count = busiest.length >> 1; count > 0; count >>= 1) {
    const text = written(data, busiest.slice(0, count), size)
    if (Buffer.byteLength(text) <= mostBytes) return text
  }
  return written({ ...data, rules: undefined }, [], size)
}

function decisionsOf({ allowed, denied, exempt }: LimiterData): number {
  return sumOfCounts(allowed) + sumOfCounts(denied) + sumOfCounts(exempt)
}

function written(data: ProcessData, limiters: readonly LimiterData[], size: Size): string {
  const { at, startsAt, stores, rules, cleared } = data
  return JSON.stringify({
    v: snapshotVersion,
    at,
    startsAt,
    limiters: limiters.map((limiter) => limiterForm(limiter, startsAt, size)),
    stores,
    rules:
      rules === undefined
        ? undefined
        : { name: rules.name, stats: [...rules.stats].slice(0, mostRules) },
    cleared: cleared.slice(-size.cleared).map(({ limiter, key, at }) => [limiter, key, at]),
  })
}

/** The counters of a rule take about 40 bytes. */
const mostRules = 300

function limiterForm(data: LimiterData, startsAt: number, size: Size): object {
  const counts = (all: readonly number[]): unknown => writeCounts(all, startsAt)
  return {
    name: data.name,
    allowed: counts(data.allowed),
    denied: counts(data.denied),
    exempt: counts(data.exempt),
    wouldDeny: counts(data.wouldDeny),
    policies: data.policies.map(({ name, denied, wouldDeny, limit, policy }) => {
      // The denials of the only policy are those of the limiter.
      const own = data.policies.length === 1 ? [1, 1] : [counts(denied), counts(wouldDeny)]
      return [name, ...own, limit ?? null, policy ?? null]
    }),
    groups: data.groups,
    requests: keysForm(data.requests, size),
    denials: keysForm(data.denials, size),
    runs: data.runs
      .toSorted((a, b) => b.denials - a.denials)
      .slice(0, size.runs)
      .map((run) => [
        run.key,
        run.policies,
        run.until === Infinity ? null : run.until,
        run.denials,
        run.firstAt,
        run.lastAt,
        run.source,
        run.isBlocked ? 1 : 0,
      ]),
  }
}

function keysForm(counts: RecentCounts, size: Size): unknown {
  const { keys, unlisted } = shortened(counts, size.keys)
  return [counts.sinceAt, unlisted, keys.map(({ key, count, error }) => [key, count, error])]
}

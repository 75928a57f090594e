import { isListed, type DeniedRun } from '../collect/denied-keys.js'
import type { KeyCounts } from '../collect/hot-keys.js'
import { mostFrequent, shortened, type RecentCounts } from '../collect/recent-keys.js'
import { firstInOrder } from '../first-in-order.js'
import { sumOfCounts, writeCounts } from './counts.js'
import type { LimiterData, ProcessData } from './process-data.js'

/** The version of the form. Increase it with every change. An older version leaves out what it cannot read, so a part with another meaning needs another name or type. */
export const snapshotVersion = 3

/** The most bytes of a snapshot. */
export const mostBytes = 65_536

/** How much of each list is written, from the most to the least. The first one that fits is taken. */
const sizes = [
  { keys: 100, runs: 200 },
  { keys: 50, runs: 100 },
  { keys: 25, runs: 50 },
  { keys: 15, runs: 30 },
  { keys: 10, runs: 20 },
  { keys: 5, runs: 10 },
  { keys: 2, runs: 3 },
  { keys: 0, runs: 0 },
]

const [longest] = sizes

type Size = (typeof sizes)[number]

/**
 * Writes the data of a process as JSON of at most 64 kB. If it does not fit, its lists are shortened. The keys that a list then lacks are part of its error.
 * If that is not enough, the limiters with the fewest decisions are left out.
 */
export function writeSnapshot(data: ProcessData): string {
  const limiters = data.limiters.map((limiter) => limiterText(limiter, data))
  for (const size of sizes) {
    const text = written(data, limiters, size)
    if (Buffer.byteLength(text) <= mostBytes) return text
  }
  const size = sizes[sizes.length - 1]
  const busiest = limiters.toSorted((a, b) => b.decisions - a.decisions)
  for (let count = busiest.length >> 1; count > 0; count >>= 1) {
    const text = written(data, busiest.slice(0, count), size)
    if (Buffer.byteLength(text) <= mostBytes) return text
  }
  return written({ ...data, rules: [] }, [], size)
}

function written(data: ProcessData, limiters: readonly LimiterText[], size: Size): string {
  const { at, startsAt, stores, rules } = data
  const others = JSON.stringify({
    v: snapshotVersion,
    at,
    startsAt,
    stores,
    rules: rules.map(({ name, stats }) => [
      name,
      firstInOrder([...stats], mostRules, ([, [a]], [, [b]]) => b - a),
    ]),
  })
  const texts = limiters.map(({ head, requests, denials, runs }) => {
    const lists = `"requests":${keysText(requests, size)},"denials":${keysText(denials, size)}`
    return `${head},${lists},"runs":[${runs.slice(0, size.runs).join()}]}`
  })
  return `${others.slice(0, -1)},"limiters":[${texts.join()}]}`
}

/** Those with the most matches. The counters of a rule take about 40 bytes. */
const mostRules = 300

/** The JSON of a limiter in parts, which are the same for each size of the lists. */
interface LimiterText {
  readonly decisions: number
  /** The object without its lists of keys, and without its last brace. */
  readonly head: string
  readonly requests: KeysText
  readonly denials: KeysText
  readonly runs: readonly string[]
}

interface KeysText {
  readonly sinceAt: number
  readonly counts: KeyCounts
  readonly rows: readonly string[]
}

function limiterText(data: LimiterData, { at, startsAt }: ProcessData): LimiterText {
  const { name, allowed, denied, exempt, wouldDeny } = data
  const counts = (all: readonly number[]): unknown => writeCounts(all, startsAt)
  const head = JSON.stringify({
    name,
    allowed: counts(allowed),
    denied: counts(denied),
    exempt: counts(exempt),
    wouldDeny: counts(wouldDeny),
    policies: data.policies.map(({ name, denied, wouldDeny, limit, varies, policy }) => {
      // The denials of the only policy are those of the limiter.
      const own = data.policies.length === 1 ? [1, 1] : [counts(denied), counts(wouldDeny)]
      return [name, ...own, limit ?? null, varies ? 1 : 0, policy ?? null]
    }),
    groups: data.groups,
    deniedKeys: data.runs.filter((run) => isListed(run, at)).length,
  })
  return {
    decisions: sumOfCounts(allowed) + sumOfCounts(denied) + sumOfCounts(exempt),
    head: head.slice(0, -1),
    requests: keyRows(data.requests),
    denials: keyRows(data.denials),
    runs: firstInOrder(data.runs, longest.runs, (a, b) => b.denials - a.denials).map(runText),
  }
}

function runText(run: DeniedRun): string {
  const { key, policies, denials, firstAt, lastAt, source, isBlocked } = run
  const until = run.until === Infinity ? null : run.until
  const block = isBlocked ? 1 : 0
  return JSON.stringify([key, policies, until, denials, firstAt, lastAt, source, block])
}

function keyRows(recent: RecentCounts): KeysText {
  const counts = mostFrequent(recent, longest.keys)
  const rows = counts.keys.map(({ key, count, error }) => JSON.stringify([key, count, error]))
  return { sinceAt: recent.sinceAt, counts, rows }
}

function keysText({ sinceAt, counts, rows }: KeysText, size: Size): string {
  const { unlisted } = shortened(counts, size.keys)
  return `[${sinceAt},${unlisted},[${rows.slice(0, size.keys).join()}]]`
}

import { ratio, table } from './markdown.js'

/** One row of the short table: the figure of Sluice and the best figure of all other libraries. */
export interface Comparison {
  readonly work: string
  readonly better: 'more' | 'less'
  readonly ours: number
  readonly peer: number
  readonly peerName: string
}

/** The contenders that represent Sluice: the default algorithm, or the only one. */
const representatives: ReadonlySet<string> = new Set(['Sluice', 'Sluice, slidingWindow'])

/** Compares the figure of Sluice with the best one of the peers. The first row of `found` is the yardstick, which is not a peer. */
export function compared(
  work: string,
  better: Comparison['better'],
  found: readonly (readonly [name: string, figure: number])[],
): Comparison {
  const [, ...contenders] = found
  const own = contenders.find(([name]) => representatives.has(name))
  const [best] = contenders
    .filter(([name]) => !name.startsWith('Sluice'))
    .sort(([, a], [, b]) => (better === 'more' ? b - a : a - b))
  if (own === undefined || best === undefined)
    throw new Error(`there is nothing to compare: ${work}`)
  return { work, better, ours: own[1], peer: best[1], peerName: best[0] }
}

/** A table for a README. The better value of each row is bold. */
export function ratiosTable(comparisons: readonly Comparison[]): string {
  return table(
    ['', 'better is', 'Sluice', 'best peer', ''],
    comparisons.map(({ work, better, ours, peer, peerName }) => {
      const ahead = better === 'more' ? ours > peer : ours < peer
      const behind = better === 'more' ? ours < peer : ours > peer
      return [work, better, boldIf(ours, ahead), boldIf(peer, behind), peerName]
    }),
    2,
  )
}

/** The rows of the root README: those that a reader compares first, whether Sluice is ahead or not. */
const headlines: readonly RegExp[] = [
  /^import and /,
  /^the same after Express/,
  /^time of the first /,
  /^decisions in the first second /,
  /^MB installed /,
  /^decisions in memory, /,
  /^time of a new key in memory, called /,
  /^memory per key, /,
  /^longest delay of the event loop /,
  /^decisions per second over Redis, (?:one at a time|\d+ in flight ÷)/,
  /^p99 latency over Redis, /,
  /^(?:Redis|client) CPU for a decision, (?:one at a time|64 in flight ÷)/,
  /^memory per key in Redis /,
  /^decisions per second over (?:PostgreSQL|SQLite), (?:one at a time|8 in flight|64 in flight) ÷/,
  /^server CPU per request, /,
  /^server CPU that a limiter in memory adds /,
  /^commands per second while one address attacks, Express$/,
]

export function headlinesOf(comparisons: readonly Comparison[]): readonly Comparison[] {
  return comparisons.filter(({ work }) => headlines.some((headline) => headline.test(work)))
}

function boldIf(value: number, isBetter: boolean): string {
  return isBetter ? `**${ratio(value)}**` : ratio(value)
}

/** The rows that a results file contains, if any. */
export function comparisonsIn(results: unknown): readonly Comparison[] {
  const ratios = fieldOf(results, 'ratios')
  return Array.isArray(ratios) ? ratios.filter(isComparison) : []
}

function isComparison(value: unknown): value is Comparison {
  return (
    typeof fieldOf(value, 'work') === 'string' &&
    ['more', 'less'].includes(String(fieldOf(value, 'better'))) &&
    typeof fieldOf(value, 'ours') === 'number' &&
    typeof fieldOf(value, 'peer') === 'number' &&
    typeof fieldOf(value, 'peerName') === 'string'
  )
}

export function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Reflect.get(value, name)
}

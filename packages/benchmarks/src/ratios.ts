import { ratio, table } from './markdown.js'

/** One row of the table in short: ours, and the best of all others. */
export interface Comparison {
  readonly work: string
  readonly better: 'more' | 'less'
  readonly ours: number
  readonly peer: number
  readonly peerName: string
}

/** The contender of ours that stands for all: the algorithm that is there by default. */
const standsForAll: ReadonlySet<string> = new Set(['Sluice', 'Sluice, slidingWindow'])

/** Picks ours and the best peer's from what all were found to reach. The first of them is the yardstick, and no peer. */
export function compared(
  work: string,
  better: Comparison['better'],
  found: readonly (readonly [name: string, figure: number])[],
): Comparison {
  const [, ...contenders] = found
  const own = contenders.find(([name]) => standsForAll.has(name))
  const [best] = contenders
    .filter(([name]) => !name.startsWith('Sluice'))
    .sort(([, a], [, b]) => (better === 'more' ? b - a : a - b))
  if (own === undefined || best === undefined) throw new Error(`nobody to compare: ${work}`)
  return { work, better, ours: own[1], peer: best[1], peerName: best[0] }
}

/** For the README of the whole. The better one is set off, whoever it is. */
export function ratiosTable(comparisons: readonly Comparison[]): string {
  return table(
    ['', 'better is', 'Sluice', 'best peer', ''],
    comparisons.map(({ work, better, ours, peer, peerName }) => {
      const ahead = better === 'more' ? ours > peer : ours < peer
      const behind = better === 'more' ? ours < peer : ours > peer
      return [work, better, setOff(ours, ahead), setOff(peer, behind), peerName]
    }),
    2,
  )
}

/** The rows of the front page: what a reader compares first, losses included. */
const headlines: readonly RegExp[] = [
  /^decisions in memory, /,
  /^memory per key, /,
  /^decisions per second over Redis, (?:one at a time|\d+ in flight ÷)/,
  /^server CPU per request, /,
  /^commands per second while one address attacks, Express$/,
]

export function headlinesOf(comparisons: readonly Comparison[]): readonly Comparison[] {
  return comparisons.filter(({ work }) => headlines.some((headline) => headline.test(work)))
}

function setOff(value: number, isBetter: boolean): string {
  return isBetter ? `**${ratio(value)}**` : ratio(value)
}

/** Those that a results file holds, if it holds any. */
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

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Reflect.get(value, name)
}

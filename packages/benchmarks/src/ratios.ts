import { ratio } from './markdown.js'

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

/** A list for a README. The better value of each row is bold. */
export function ratiosList(comparisons: readonly Comparison[]): string {
  const rows = comparisons.map(({ work, better, ours, peer, peerName }) => {
    const ahead = better === 'more' ? ours > peer : ours < peer
    const behind = better === 'more' ? ours < peer : ours > peer
    return `- ${work}: ${boldIf(ours, ahead)} (${peerName}: ${boldIf(peer, behind)})`
  })
  return rows.join('\n')
}

/** One line for the root README: where Sluice is ahead, and where it is not. */
export function speedLine(comparisons: readonly Comparison[]): string {
  const figures = (start: string) => {
    const row = comparisons.find(({ work }) => work.startsWith(start))
    if (row === undefined) throw new Error(`there is no row of ${start}`)
    return `${ratio(row.ours)} (best peer ${ratio(row.peer)})`
  }
  return [
    'Decisions per second over Redis, as multiples of a bare `INCR`:',
    `${figures('decisions per second over Redis, 64 in flight ÷')} with 64 in flight,`,
    `${figures('decisions per second over Redis, one at a time ÷')} one at a time; in memory, one key, as multiples of a bare \`Map\`:`,
    `${figures('decisions in memory, one key, awaited ÷')}. [The benchmarks](packages/benchmarks/README.md#behind) list what is slower, and why.`,
  ].join(' ')
}

function boldIf(value: number, isBetter: boolean): string {
  return isBetter ? `**${ratio(value)}**` : ratio(value)
}

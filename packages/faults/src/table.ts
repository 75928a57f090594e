import type { Figures } from './judge.js'

export interface Played {
  readonly fault: string
  readonly client: string
  readonly figures: Figures
}

const heads = [
  'fault',
  'client',
  'requests',
  'source, by phase',
  'worst wait ms',
  'own wait ms',
  'recovery ms',
  'late units',
  'result',
] as const

type Head = (typeof heads)[number]

/** A table in Markdown, aligned for a terminal, with the complaints under it. */
export function tableOf(played: readonly Played[]): string {
  const rows = [
    Object.fromEntries(heads.map((head) => [head, head])),
    Object.fromEntries(heads.map((head) => [head, '-'])),
    ...played.map(cellsOf),
  ]
  const widths = heads.map((head) => Math.max(...rows.map((row) => row[head].length)))
  const lines = rows.map((row, i) => {
    const fill = i === 1 ? '-' : ' '
    return `| ${heads.map((head, j) => row[head].padEnd(widths[j], fill)).join(' | ')} |`
  })
  return [...lines, ...played.flatMap(complaintsOf)].join('\n')
}

function cellsOf({ fault, client, figures }: Played): Record<Head, string> {
  return {
    fault,
    client,
    requests: `${figures.requests}`,
    'source, by phase': figures.sources.map(phaseOf).join('; '),
    'worst wait ms': rounded(figures.worstMs),
    'own wait ms': rounded(figures.worstOwnMs),
    'recovery ms': rounded(figures.backMs),
    'late units': `${figures.lateUnits ?? '–'}`,
    result: figures.complaints.length === 0 ? 'holds' : 'FAILS',
  }
}

function phaseOf({ phase, counts }: Figures['sources'][number]): string {
  return `${phase}: ${[...counts].map(([source, count]) => `${source} ${count}`).join(', ')}`
}

function rounded(value: number | undefined): string {
  return value === undefined ? '–' : `${Math.round(value)}`
}

function complaintsOf({ fault, client, figures }: Played): string[] {
  return figures.complaints.map((complaint) => `\n${fault}, ${client}: ${complaint}`)
}

import { columns, problemType, type Cells } from './row.js'
import { rowGroups } from './rows.js'

/** The whole table in aligned columns. A problem's body is shown by its differing members only. */
export function printed(answers: readonly Cells[]): string {
  const lines: string[][] = [['request', ...columns]]
  let i = 0
  for (const { limits, rows } of rowGroups) {
    lines.push([limits])
    for (const { request } of rows) lines.push([`  ${request}`, ...shown(answers[i++])])
  }
  const full = lines.filter((line) => line.length > 1)
  const widths = ['request', ...columns].map((_, column) =>
    Math.max(...full.map((line) => line[column].length)),
  )
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function shown(cells: Cells): string[] {
  const others = cells.slice(0, -1).map(String)
  const body = String(cells.at(-1))
  return [...others, cells[5].startsWith(problemType) ? problemIn(body) : body.trimEnd()]
}

function problemIn(body: string): string {
  if (body === '') return ''
  const { detail, title, 'violated-policies': policies = [] } = JSON.parse(body)
  return [detail ?? title, ...policies.map((name: string) => `(${name})`)].join(' ')
}

import { parse } from './csv.js'
import type { Table } from './facts.js'

/**
 * Reads a table whose first row names its columns.
 *
 * @throws Error if there is no column with the name of the field
 */
export function tableOf(text: string, on: string): Table {
  const [columns = [], ...rows] = parse(text)
  const at = columns.indexOf(on)
  if (at === -1) {
    throw new Error(
      `--table: there is no column ${JSON.stringify(on)}. Columns: ${columns.join(', ')}.`,
    )
  }
  return {
    on,
    columns: new Set(columns.filter((column) => column !== on)),
    rows: new Map(
      rows.map((row) => [row[at], new Map(columns.map((column, i) => [column, row[i] ?? '']))]),
    ),
  }
}

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

/** The rows of a text in CSV (RFC 4180). Empty rows are left out. */
export function parse(text: string): readonly (readonly string[])[] {
  const rows: string[][] = []
  let row: string[] = []
  // A field with or without quotes, followed by a comma, the end of the row or the end of the text.
  const field = /(?:"((?:[^"]|"")*)"|([^,\r\n]*))(,|\r?\n|\r|$)/gy
  for (const match of text.replace(/^\ufeff/, '').matchAll(field)) {
    const [, quoted, plain, end] = match
    row.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'))
    if (end === ',') continue
    if (row.length > 1 || row[0] !== '') rows.push(row)
    row = []
    if (end === '') break
  }
  return rows
}

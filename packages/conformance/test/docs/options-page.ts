import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The last cell of each option on the page: a default, "required", or "–" if there is no default. */
export type Stated = Readonly<Record<string, string>>

/** The tables of the page, by the interface that each is made of: `packages/core/src/limiter/arguments.ts#PeekOptions`. */
export function optionTables(): ReadonlyMap<string, Stated> {
  const page = new URL('../../../docs/reference/options.md', import.meta.url)
  const text = readFileSync(fileURLToPath(page), 'utf8')
  const tables = text.matchAll(/^<!-- options: (\S+) -->\n([^]*?)^<!-- \/options -->$/gm)
  return new Map(Array.from(tables, ([, source, table]) => [source, statedIn(table)]))
}

/** The page's mark for a required option. */
export const required = '**required**'

function statedIn(table: string): Stated {
  // A bar within a cell is escaped.
  const rows = table.matchAll(/^\| `(\w+)` \| `.*?` \| (.*?) \| .* \|$/gm)
  return Object.fromEntries(
    Array.from(rows, ([, name, absent]) => [name, absent.replace(/^`(.*)`$/, '$1')]),
  )
}

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The text of the page about each option: a default, "required", or "–" if there is no default. */
export type Stated = Readonly<Record<string, string>>

/** The lists of the page, by the interface that each is made of: `packages/core/src/limiter/arguments.ts#PeekOptions`. */
export function optionTables(): ReadonlyMap<string, Stated> {
  const page = new URL('../../../docs/reference/options.md', import.meta.url)
  const text = readFileSync(fileURLToPath(page), 'utf8')
  const tables = text.matchAll(/^<!-- options: (\S+) -->\n\n((?:- .*\n)+)/gm)
  return new Map(Array.from(tables, ([, source, table]) => [source, statedIn(table)]))
}

/** The page's mark for a required option. */
export const required = 'required'

function statedIn(list: string): Stated {
  const items = list.matchAll(/^- `(\w+)\??: [^`]*`(?: \((?:default )?(.*?)\))?: /gm)
  return Object.fromEntries(
    Array.from(items, ([, name, stated = '–']) => [name, stated.replace(/^`(.*)`$/, '$1')]),
  )
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import type { Findings } from './section.js'

const results = new URL('../results/', import.meta.url)
const readme = new URL('../README.md', import.meta.url)

/** Writes a section's figures to its file, and its table to the README. */
export async function publish(name: string, { results: figures, table }: Findings): Promise<void> {
  await mkdir(results, { recursive: true })
  await writeFile(new URL(`${name}.json`, results), `${JSON.stringify(figures, null, 2)}\n`)
  await writeFile(readme, withTable(await readFile(readme, 'utf8'), name, table))
}

/** Puts a table in the place of the one that stands between a section's two marks. */
export function withTable(text: string, name: string, table: string): string {
  const [before, between, ...rest] = text.split(`<!-- ${name} -->`)
  const [, after, ...more] = (between ?? '').split(`<!-- /${name} -->`)
  if (rest.length > 0 || more.length > 0 || after === undefined) {
    throw new Error(`the README has not one pair of marks <!-- ${name} --> and <!-- /${name} -->`)
  }
  return `${before}<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->${after}`
}

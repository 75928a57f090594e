import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { comparisonsIn, ratiosTable, type Comparison } from './ratios.js'
import type { Findings, Section } from './section.js'

const folder = new URL('../', import.meta.url)
const results = new URL('results/', folder)
const front = new URL('../../README.md', folder)

/** Writes a section's figures to its file, its pictures beside it, and its table to its page. */
export async function publish({ name, page }: Section, findings: Findings): Promise<void> {
  const { results: figures, ratios, table, pictures = {} } = findings
  await mkdir(results, { recursive: true })
  await writeFile(fileOf(name), `${JSON.stringify({ ...figures, ratios }, null, 2)}\n`)
  for (const [picture, svg] of Object.entries(pictures)) {
    await writeFile(new URL(`${name}-${picture}.svg`, results), svg)
  }
  await replace(new URL(page, folder), name, table)
}

/** Gathers the ratios that the last runs of all sections left, in one table of the front page. */
export async function publishRatios(sections: readonly Section[]): Promise<void> {
  const all: Comparison[] = []
  for (const { name } of sections) all.push(...comparisonsIn(await left(name)))
  const table = `${introduction}\n\n${ratiosTable(all)}`
  if (all.length > 0) await replace(front, 'ratios', table)
}

const introduction =
  'Measured side by side by `npm run bench`, as multiples of a yardstick that does the least the work can take: a bare `Map`, `INCR`, headers by hand. The better one is set off. [The benchmarks](packages/benchmarks) tell what was measured, and how.'

async function left(name: string): Promise<unknown> {
  // A section that has never run left nothing.
  return JSON.parse(await readFile(fileOf(name), 'utf8').catch(() => 'null'))
}

function fileOf(name: string): URL {
  return new URL(`${name}.json`, results)
}

async function replace(page: URL, name: string, table: string): Promise<void> {
  await writeFile(page, withTable(await readFile(page, 'utf8'), name, table))
}

/** Puts a table in the place of the one that stands between a section's two marks. */
export function withTable(text: string, name: string, table: string): string {
  const [before, between, ...rest] = text.split(`<!-- ${name} -->`)
  const [, after, ...more] = (between ?? '').split(`<!-- /${name} -->`)
  if (rest.length > 0 || more.length > 0 || after === undefined) {
    throw new Error(`the page has not one pair of marks <!-- ${name} --> and <!-- /${name} -->`)
  }
  return `${before}<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->${after}`
}

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { comparisonsIn, headlinesOf, ratiosTable, type Comparison } from './ratios.js'
import type { Findings, Section } from './section.js'

const folder = new URL('../', import.meta.url)
const results = new URL('results/', folder)
const own = new URL('README.md', folder)
const frontPage = new URL('../../README.md', folder)

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

/** Writes the ratios of the last runs of all sections: all of them to the page of the benchmarks, the headlines to the front page. */
export async function publishRatios(sections: readonly Section[]): Promise<void> {
  const all: Comparison[] = []
  for (const { name } of sections) all.push(...comparisonsIn(await left(name)))
  if (all.length === 0) return
  await replace(own, 'ratios', ratiosTable(all))
  const front = `${introduction}\n\n${ratiosTable(headlinesOf(all))}`
  await replace(frontPage, 'ratios', front)
}

const introduction =
  'Measured side by side by `npm run bench`, as multiples of the least code that can do the work: a bare `Map`, `INCR`, headers set by hand. The better value is bold. [The benchmarks](packages/benchmarks/README.md) have the other rows, the spread and the method.'

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

import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { comparisonsIn, headlinesOf, ratiosTable, type Comparison } from './ratios.js'
import type { Findings, Section } from './section.js'

const folder = new URL('../', import.meta.url)
const results = new URL('results/', folder)
const own = new URL('README.md', folder)
const rootReadme = new URL('../../README.md', folder)
const serverless = new URL('../docs/operate/serverless.md', folder)

/** Writes the figures and pictures of a section to the results folder, and its table to its page. */
export async function publish({ name, page }: Section, findings: Findings): Promise<void> {
  const { results: figures, ratios, table, pictures = {} } = findings
  await mkdir(results, { recursive: true })
  await writeFile(fileOf(name), `${JSON.stringify({ ...figures, ratios }, null, 2)}\n`)
  for (const [picture, svg] of Object.entries(pictures)) {
    await writeFile(new URL(`${name}-${picture}.svg`, results), svg)
  }
  await replace(new URL(page, folder), name, table)
}

/** Writes the ratios of the last runs of all sections to the README of the benchmarks, the headlines to the root README, and those of `cold` to its page. */
export async function publishRatios(sections: readonly Section[]): Promise<void> {
  const all: Comparison[] = []
  for (const { name } of sections) all.push(...comparisonsIn(await lastResults(name)))
  if (all.length === 0) return
  await replace(own, 'ratios', ratiosTable(all))
  const headlines = `${introduction}\n\n${ratiosTable(headlinesOf(all))}`
  await replace(rootReadme, 'ratios', headlines)
  const cold = comparisonsIn(await lastResults('cold'))
  if (cold.length > 0) await replace(serverless, 'cold', ratiosTable(cold))
}

const introduction = [
  'Measured side by side by `npm run bench`, as multiples of a yardstick, such as a bare `Map`, `INCR`, or headers set by',
  'hand. The better value is bold. [The benchmarks](packages/benchmarks/README.md) have all rows, the spread and the method.',
].join('\n')

async function lastResults(name: string): Promise<unknown> {
  // A section that has never run has no file.
  return JSON.parse(await readFile(fileOf(name), 'utf8').catch(() => 'null'))
}

function fileOf(name: string): URL {
  return new URL(`${name}.json`, results)
}

async function replace(page: URL, name: string, table: string): Promise<void> {
  await writeFile(page, withTable(await readFile(page, 'utf8'), name, table))
}

/** Replaces the table between the two marks of a section. */
export function withTable(text: string, name: string, table: string): string {
  const [before, between, ...rest] = text.split(`<!-- ${name} -->`)
  const [, after, ...more] = (between ?? '').split(`<!-- /${name} -->`)
  if (rest.length > 0 || more.length > 0 || after === undefined) {
    throw new Error(`the page must have one pair of marks <!-- ${name} --> and <!-- /${name} -->`)
  }
  return `${before}<!-- ${name} -->\n\n${table}\n\n<!-- /${name} -->${after}`
}

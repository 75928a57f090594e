import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { behindList } from './behind.js'
import { goalsTable } from './goals.js'
import { comparisonsIn, ratiosList, speedLine, type Comparison } from './ratios.js'
import { redisLoadTable } from './redis/load-table.js'
import type { Findings, Section } from './section.js'

const folder = new URL('../', import.meta.url)
const results = new URL('results/', folder)
const own = new URL('README.md', folder)
const rootReadme = new URL('../../README.md', folder)
const operations = new URL('../docs/operate/operations.md', folder)

/** Writes the figures of a section to the results folder, and its table to the README. */
export async function publish({ name }: Section, findings: Findings): Promise<void> {
  const { results: figures, ratios, table } = findings
  await mkdir(results, { recursive: true })
  await writeFile(fileOf(name), `${JSON.stringify({ ...figures, ratios }, null, 2)}\n`)
  await replace(own, name, table)
}

/** A part of a page that is made of the results of several sections, or that is on a page about something else. */
export interface Part {
  readonly page: URL
  /** The name of the marks around it. */
  readonly name: string
  readonly text: string
}

/** Writes the parts of the pages that are made of the last results of all sections. */
export async function publishParts(sections: readonly Section[]): Promise<void> {
  for (const { page, name, text } of await partsOf(sections)) await replace(page, name, text)
}

/** The goals beside the figures of the last runs. */
export async function goalsOf(sections: readonly Section[]): Promise<string> {
  const [added, cold, databases, algorithms] = await Promise.all(
    ['added', 'cold', 'databases', 'algorithms'].map(lastResults),
  )
  return goalsTable(await comparisonsOf(sections), { added, cold, databases, algorithms })
}

async function comparisonsOf(sections: readonly Section[]): Promise<readonly Comparison[]> {
  const all = await Promise.all(
    sections.map(async ({ name }) => comparisonsIn(await lastResults(name))),
  )
  return all.flat()
}

/** The ratios for the README of the benchmarks, the line of the root README, and the figures of other pages. */
export async function partsOf(sections: readonly Section[]): Promise<readonly Part[]> {
  const all = await comparisonsOf(sections)
  const load = redisLoadTable(await lastResults('redis'))
  return [
    ...partOf(all.length > 0, own, 'ratios', ratiosList(all)),
    ...partOf(all.length > 0, own, 'behind', behindList(all)),
    ...partOf(all.length > 0, rootReadme, 'speed', speedLine(all)),
    ...partOf(load !== undefined, operations, 'redis-load', load ?? ''),
  ]
}

/** Nothing if a section has no results yet. */
function partOf(hasResults: boolean, page: URL, name: string, text: string): readonly Part[] {
  return hasResults ? [{ page, name, text }] : []
}

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

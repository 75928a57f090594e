import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { behindList } from './behind.js'
import { goalsTable } from './goals.js'
import { ratiosList, speedLine, type Comparison } from './ratios.js'
import { isResults, type Results } from './results.js'
import type { Section } from './section.js'
import { redisLoadTable } from './sections/redis.js'

const folder = new URL('../', import.meta.url)
const results = new URL('results/', folder)
const own = new URL('README.md', folder)
const rootReadme = new URL('../../README.md', folder)
const operations = new URL('../docs/operate/operations.md', folder)

/** The last results of the sections that have any. */
export type LastResults = ReadonlyMap<Section, Results>

/** Writes the figures of a section to the results folder. */
export async function save({ name }: Section, found: Results): Promise<void> {
  await mkdir(results, { recursive: true })
  await writeFile(fileOf(name), `${JSON.stringify(found, null, 2)}\n`)
}

export async function lastResults(sections: readonly Section[]): Promise<LastResults> {
  const found = new Map<Section, Results>()
  for (const section of sections) {
    // A section that has never run has no file.
    const last: unknown = JSON.parse(await readFile(fileOf(section.name), 'utf8').catch(() => '0'))
    if (isResults(last)) found.set(section, last)
  }
  return found
}

/** A part of a page that is made of results. */
export interface Part {
  readonly page: URL
  /** The name of the marks around it. */
  readonly name: string
  readonly text: string
}

/** Writes the parts of the pages that are made of the last results. */
export async function publish(sections: readonly Section[]): Promise<void> {
  for (const { page, name, text } of partsOf(await lastResults(sections))) {
    await writeFile(page, withPart(await readFile(page, 'utf8'), name, text))
  }
}

/** The goals beside the figures of the last runs. */
export async function goalsOf(sections: readonly Section[]): Promise<string> {
  const last = await lastResults(sections)
  return goalsTable(comparisonsOf(last), (name) => resultsOf(last, name))
}

/** The parts of all sections, the ratios for the README, the line of the root README, and the figures of other pages. */
export function partsOf(last: LastResults): readonly Part[] {
  const all = comparisonsOf(last)
  const redis = resultsOf(last, 'redis')
  return [
    ...Array.from(last, ([section, found]) => partOf(own, section.name, pageOf(section, found))),
    ...(all.length === 0 ? [] : [partOf(own, 'ratios', ratiosList(all))]),
    ...(all.length === 0 ? [] : [partOf(own, 'behind', behindList(all))]),
    ...(all.length === 0 ? [] : [partOf(rootReadme, 'speed', speedLine(all))]),
    ...(redis === undefined ? [] : [partOf(operations, 'redis-load', redisLoadTable(redis))]),
  ]
}

/** The sentences and the tables of a section. */
export function pageOf(section: Section, found: Results): string {
  return section.page(found).join('\n\n')
}

function partOf(page: URL, name: string, text: string): Part {
  return { page, name, text }
}

function comparisonsOf(last: LastResults): readonly Comparison[] {
  return Array.from(last, ([section, found]) => section.ratios?.(found) ?? []).flat()
}

function resultsOf(last: LastResults, wanted: string): Results | undefined {
  return [...last].find(([{ name }]) => name === wanted)?.[1]
}

function fileOf(name: string): URL {
  return new URL(`${name}.json`, results)
}

/** Replaces the text between two marks. */
export function withPart(page: string, name: string, text: string): string {
  const [before, between, ...rest] = page.split(`<!-- ${name} -->`)
  const [, after, ...more] = (between ?? '').split(`<!-- /${name} -->`)
  if (rest.length > 0 || more.length > 0 || after === undefined) {
    throw new Error(`the page must have one pair of marks <!-- ${name} --> and <!-- /${name} -->`)
  }
  return `${before}<!-- ${name} -->\n\n${text}\n\n<!-- /${name} -->${after}`
}

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodes } from '../src/errors.js'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const page = read('../../../docs/reference/errors.md')

test('the page has a section for each code of the catalogue, and no other section', () => {
  const sections = Array.from(page.matchAll(/^### (.*)$/gm), ([, code]) => code)
  expect(sections.toSorted()).toEqual([...errorCodes].toSorted())
})

test('the part "Warnings" has a section for each warning, and no other section', () => {
  const reported = sources().matchAll(/tell\(sluiceError\('(\w+)'/g)
  const [, warnings] = page.split('\n## Warnings\n')
  const sections = Array.from(warnings.matchAll(/^### (.*)$/gm), ([, code]) => code)
  expect(sections.toSorted()).toEqual(Array.from(reported, ([, code]) => code).toSorted())
})

test.each(errorCodes)(
  'the section of %s says what was seen, why it matters and what to do',
  (code) => {
    const [, section = ''] = page.split(`### ${code}\n`)
    const parts = Array.from(
      section.split('\n#')[0].matchAll(/^- \*\*(.*):\*\* \S/gm),
      ([, what]) => what,
    )
    expect(parts).toEqual(['Seen', 'Why it matters', 'Do'])
  },
)

function sources(): string {
  const files = readdirSync(new URL('../src', import.meta.url), {
    recursive: true,
    encoding: 'utf8',
  })
  const sources = files.filter((file) => file.endsWith('.ts'))
  return sources.map((file) => read(`../src/${file}`)).join('\n')
}

import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { errorCodes } from '../src/errors.js'

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const page = read('../docs/errors.md')

test('the page has an entry for each code of the catalogue, and for no other', () => {
  const entries = Array.from(page.matchAll(/^### (.*)$/gm), ([, code]) => code)
  expect(entries.toSorted()).toEqual([...errorCodes].toSorted())
})

test('under "Warnings" it has the warnings, and nothing else', () => {
  const told = sources().matchAll(/tell\(sluiceError\('(\w+)'/g)
  const [, warnings] = page.split('\n## Warnings\n')
  const entries = Array.from(warnings.matchAll(/^### (.*)$/gm), ([, code]) => code)
  expect(entries.toSorted()).toEqual(Array.from(told, ([, code]) => code).toSorted())
})

test.each(errorCodes)(
  'the entry of %s says what was seen, why it matters and what to do',
  (code) => {
    const [, entry = ''] = page.split(`### ${code}\n`)
    const said = Array.from(
      entry.split('\n#')[0].matchAll(/^- \*\*(.*):\*\* \S/gm),
      ([, what]) => what,
    )
    expect(said).toEqual(['Seen', 'Why it matters', 'Do'])
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

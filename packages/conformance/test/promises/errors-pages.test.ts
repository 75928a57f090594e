import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { errorCodes } from '../../../core/test/error-codes.js'
import { refusals } from '../../../dashboard/src/refusal.js'
import { rulesErrorCodes } from '../../../rules/src/errors.js'

/** The codes of warnings that packages report by themselves: the catalogue of core does not have them. */
const ofPackages = ['postgres', 'dashboard'].flatMap((name) =>
  codesIn(name, /: 'SluiceWarning', code: '(SLUICE_\w+)'/g),
)

/** The codes whose messages `@sluice/nestjs` has. */
const ofNestjs = codesIn('nestjs', /new SluiceError\('(SLUICE_\w+)'/g)

const pages: readonly (readonly [page: string, codes: readonly string[]])[] = [
  ['errors.md', [...errorCodes, ...ofPackages, ...ofNestjs]],
  ['rules-errors.md', rulesErrorCodes],
]

describe.each(pages)('%s', (name, codes) => {
  const page = read(`../../../docs/reference/${name}`)

  test('has a section for each code of the catalogue, and no other section', () => {
    expect(sectionsIn(page)).toEqual([...codes].toSorted())
  })

  test.each(codes)('says what %s means, why it matters and what to do', (code) => {
    const [, section = ''] = page.split(`### ${code}\n`)
    const [text] = section.split('\n#')
    const [seen, ...items] = text.split(/^\*\*(Why|Do):\*\* (?=\S)/m)
    expect(seen).toMatch(/^\n\S/)
    expect(items.filter((_, i) => i % 2 === 0)).toEqual(['Why', 'Do'])
  })
})

test('the part "Warnings" of errors.md has a section for each warning, and no other section', () => {
  const [, warnings] = read('../../../docs/reference/errors.md').split('\n## Warnings\n')
  const ofCore = codesIn('core', /warn\((?:sluice|request)Error\('(\w+)'/g)
  expect(sectionsIn(warnings)).toEqual([...ofCore, ...ofPackages].toSorted())
})

test('errors.md lists each code of the dashboard, with its status, and no other code', () => {
  const [, part] = read('../../../docs/reference/errors.md').split('\n## Codes of the dashboard\n')
  const items = part.split('\n## ')[0].matchAll(/^- `(SLUICE_\w+)` (\d+): ./gm)
  const stated = Array.from(items, ([, code, status]) => `${code} ${status}`)
  const known = Object.entries(refusals).map(([code, [status]]) => `${code} ${status}`)
  expect(stated.toSorted()).toEqual(known.toSorted())
})

/** The codes that the pattern finds in the sources of a package. */
function codesIn(folder: string, pattern: RegExp): readonly string[] {
  const sources = readdirSync(new URL(`../../../${folder}/src`, import.meta.url), {
    recursive: true,
    encoding: 'utf8',
  }).filter((file) => file.endsWith('.ts'))
  const text = sources.map((file) => read(`../../../${folder}/src/${file}`)).join('\n')
  return Array.from(text.matchAll(pattern), ([, code]) => code)
}

function read(path: string): string {
  return readFileSync(new URL(path, import.meta.url), 'utf8')
}

function sectionsIn(page: string): readonly string[] {
  return Array.from(page.matchAll(/^### (.*)$/gm), ([, code]) => code).toSorted()
}

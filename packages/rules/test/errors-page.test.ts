import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rulesErrorCodes } from '../src/errors.js'

const page = readFileSync(new URL('../../../docs/reference/rules-errors.md', import.meta.url), 'utf8')

test('the page has a section for each code of the catalogue, and no other section', () => {
  const sections = Array.from(page.matchAll(/^### (.*)$/gm), ([, code]) => code)
  expect(sections.toSorted()).toEqual([...rulesErrorCodes].toSorted())
})

test.each(rulesErrorCodes)(
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

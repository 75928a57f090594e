import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { lastResults, partsOf, withPart } from '../src/publish.js'
import { sections } from '../src/sections.js'

const text =
  'before\n<!-- one -->\n\nold\n\n<!-- /one -->\nbetween\n<!-- two --><!-- /two -->\nafter'

describe('the parts of the README', () => {
  test('the part of a section replaces the one between its marks', () => {
    expect(withPart(withPart(text, 'one', 'new'), 'two', 'other')).toBe(
      'before\n<!-- one -->\n\nnew\n\n<!-- /one -->\nbetween\n<!-- two -->\n\nother\n\n<!-- /two -->\nafter',
    )
  })

  test.each(['', '<!-- one -->', '<!-- /one --><!-- one -->', `${text}${text}`])(
    'throws if the page does not have exactly one pair of marks: %j',
    (text) => {
      expect(() => withPart(text, 'one', 'new')).toThrow('must have one pair of marks')
    },
  )
})

test.each([
  ['README.md', 'speed'],
  ['packages/benchmarks/README.md', 'ratios'],
  ['packages/benchmarks/README.md', 'behind'],
  ['packages/docs/operate/operations.md', 'redis-load'],
  ...sections.map(({ name }) => ['packages/benchmarks/README.md', name]),
])('%s has marks for the part %s', async (page, name) => {
  const text = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8')
  expect(withPart(text, name, 'new')).toContain(`<!-- ${name} -->\n\nnew\n\n<!-- /${name} -->`)
})

test('the parts of the pages that are made of the last results are up to date', async () => {
  const parts = partsOf(await lastResults(sections))
  const names = sections.map(({ name }) => name)
  expect(parts.map(({ name }) => name)).toEqual(
    names.concat('ratios', 'behind', 'speed', 'redis-load'),
  )
  for (const { page, name, text } of parts) {
    const written = await readFile(page, 'utf8')
    expect(withPart(written, name, text), 'run "npm run bench -- --publish"').toBe(written)
  }
})

test('the page says how long all sections take, and it is less than an hour', async () => {
  const minutes = sections.reduce((sum, section) => sum + section.minutes, 0)
  const text = await readFile(new URL('../README.md', import.meta.url), 'utf8')
  expect(text).toContain(`run all sections in about ${minutes} minutes`)
  expect(minutes).toBeLessThan(60)
})

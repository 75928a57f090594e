import { expect, test } from 'vitest'
import { incompleteness } from '../../src/document/incomplete.js'
import type { RulesText } from '../../src/document/syntax.js'

function text(text: string, files: Record<string, string> = {}): RulesText {
  return { text, format: 'yaml', files: new Map(Object.entries(files)) }
}

test.each([
  [
    'limit: 100\n',
    'limit: 10',
    'it seems to be cut off: it does not end with a line break, and did before. End it with a line break',
  ],
  [
    'a: 1\nb: 2\n...\n',
    'a: 1\n',
    'it seems to be cut off: it does not end with "...", and did before. End it with "..."',
  ],
  [
    'a: 1\n...',
    'a: 1\n',
    'it seems to be cut off: it does not end with "...", and did before. End it with "..."',
  ],
  ['a: 1\n', '', 'it is empty'],
  ['a: 1\n', 'a: 2\n', undefined],
  ['a: 1', 'a', undefined],
  ['a: 1', 'a: 2\n', undefined],
  ['a: 1\n', 'a: 2\n...\n', undefined],
  ['a: 1\n...\n', 'a: 2\n...', undefined],
  ['a: b...\n', 'a: c\n', undefined],
  ['{ "a": 1 }\n', '{ "a": 2 }', undefined],
])('after %j, %j is refused: %j', (before, now, reason) => {
  expect(incompleteness(text(now), text(before))).toBe(reason)
})

test('refuses a list that is cut off within a line, and accepts an empty one', () => {
  const before = text('a\n', { 'list.txt': '203.0.113.9\n' })
  expect(incompleteness(text('a\n', { 'list.txt': '203.0' }), before)).toMatch(/^list.txt seems/)
  expect(incompleteness(text('a\n', { 'list.txt': '' }), before)).toBeUndefined()
  expect(incompleteness(text('a\n', { 'other.txt': '203.0' }), before)).toBeUndefined()
})

test('refuses an empty first text, and accepts any other', () => {
  expect(incompleteness(text(' \n'), undefined)).toBe('it is empty')
  expect(incompleteness(text('a'), undefined)).toBeUndefined()
})

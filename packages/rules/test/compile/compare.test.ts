import { expect, test } from 'vitest'
import { compareRules } from '../../src/check/index.js'
import { compiled } from '../compiled.js'

const documentOf = (rule: string): string => `version: 1
name: a
values: { user: string? }
rules:
  - { id: a, limit: 1, window: 1m, ${rule} }`

test.each([
  ['a note', "note: 'old'", "note: 'new'", []],
  ['a note that is added', 'enabled: true', "enabled: true, note: 'new'", []],
  ['a cost', 'cost: 1', 'cost: 2', ['cost']],
  ['a cost and a note', "cost: 1, note: 'old'", "cost: 2, note: 'new'", ['cost']],
])('%s is a change of the members %j', async (_, old, next, members) => {
  const [before, after] = [await compiled(documentOf(old)), await compiled(documentOf(next))]
  for (const [one, two] of [
    [before, after],
    [after, before],
  ]) {
    expect(compareRules(one, two).changed.map((change) => change.members)).toEqual(
      members.length === 0 ? [] : [members],
    )
  }
})

test('another order of the rules that both documents have is a change of the document', async () => {
  const listed = (ids: string): string =>
    `version: 1\nname: a\nrules:\n${ids
      .split('')
      .map((id) => `  - { id: ${id}, limit: 1, window: 1m }\n`)
      .join('')}`
  for (const [old, next, declarations] of [
    ['abc', 'abc', []],
    ['abc', 'xayc', []],
    ['abc', 'cab', ['order: ["a","b","c"] → ["c","a","b"]']],
  ] as const) {
    const [before, after] = [await compiled(listed(old)), await compiled(listed(next))]
    expect(compareRules(before, after).declarations).toEqual(declarations)
  }
})

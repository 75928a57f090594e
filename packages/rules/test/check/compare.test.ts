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

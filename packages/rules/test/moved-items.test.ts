import { expect, test } from 'vitest'
import { compareRules } from '../src/check/index.js'
import { compiled } from './compiled.js'

test.each<readonly [old: string, next: string, moved: readonly string[]]>([
  ['a b c', 'a b c', []],
  ['a b c d', 'd a b c', ['d']],
  ['a b c d', 'b c d a', ['a']],
  ['a b', 'b a', ['b']],
  ['a b c', 'x a y c', []],
  ['a b c d e', 'e b c a d', ['e', 'a']],
  ['a b c', 'A=a c b', ['c']],
  ['a b c', 'b c A=a', ['A']],
])('from %s to %s, rules that moved: %j', async (old, next, moved) => {
  const [before, after] = [old, next].map((ids) => {
    const rules = ids.split(' ').map((word) => {
      const [id, count = id] = word.split('=')
      return `  - { id: ${id}, count: ${count}, limit: 9, window: 1m }\n`
    })
    return compiled(`version: 1\nname: a\nrules:\n${rules.join('')}`)
  })
  expect(compareRules(await before, await after).moved).toEqual(moved)
})

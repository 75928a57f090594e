import { expect, test } from 'vitest'
import { byName } from '../src/by-name.js'

test('values of one name are one group, in the order in which they came', () => {
  const groups = byName(new URLSearchParams('b=1&a=2&b=&b=3&__proto__=4'))
  expect([...groups]).toEqual([
    ['b', ['1', '', '3']],
    ['a', ['2']],
    ['__proto__', ['4']],
  ])
})

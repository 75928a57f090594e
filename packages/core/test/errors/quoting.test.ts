import { describe, expect, test } from 'vitest'
import { quoted, quotedList, sentence, show } from '../../src/errors/quoting.js'

describe('values from outside do not add lines to a log, nor fill it', () => {
  test('a text is on one line, and is cut after 80 characters', () => {
    const most = 'x'.repeat(80)
    expect(quoted('a\n"b"')).toBe('"a\\n\\"b\\""')
    expect(quoted(most)).toBe(`"${most}"`)
    expect(quoted(`${most}y`)).toBe(`"${most}"`)
  })

  test('a list is cut after 50 items', () => {
    const most = Array.from({ length: 50 }, (_, i) => `k${i}`)
    const shown = most.map((key) => `"${key}"`).join(', ')
    expect(quotedList(most)).toBe(shown)
    expect(quotedList([...most, 'more'])).toBe(shown)
  })
})

test('a sentence ends with one mark', () => {
  expect([undefined, 'Pass a number', 'Did you mean "limit"?'].map(sentence)).toEqual([
    '',
    ' Pass a number.',
    ' Did you mean "limit"?',
  ])
})

test.each<[unknown, string]>([
  ['text', 'the string "text"'],
  [Math.max, 'a function'],
  [5n, '5n'],
  [5, '5'],
  [Number.NaN, 'NaN'],
  [null, 'null'],
  [undefined, 'undefined'],
  [true, 'true'],
  [Symbol('key'), 'Symbol(key)'],
  [[], 'an empty list'],
  [[1], 'a list'],
  [{}, 'an empty object'],
  [{ a: 'secret', b: 2 }, 'an object with the keys "a", "b"'],
  [new Map([['secret', 1]]), 'an object of the type "Map"'],
  [{ socket: {}, headers: {} }, 'a request of Node.js'],
  [{ headers: {} }, 'an object with the keys "headers"'],
])('%o is shown as %s', (value, words) => {
  expect(show(value)).toBe(words)
})

import { expect, test } from 'vitest'
import { nearestWord } from '../../src/errors/did-you-mean.js'
import { createGuard } from '../../src/http/index.js'
import { createLimiter, fixedWindow, slidingWindow } from '../../src/index.js'
import { errorOf } from '../error-of.js'

const options = ['limit', 'window', 'algorithm', 'policy', 'policies', 'key', 'onDenied', 'skip']

test.each([
  ['limt', 'limit'],
  ['limmit', 'limit'],
  ['limits', 'limit'],
  ['lmiit', 'limit'],
  ['Limit', 'limit'],
  ['widnow', 'window'],
  ['polices', 'policies'],
  ['polcy', 'policy'],
  ['ondenied', 'onDenied'],
  ['kye', 'key'],
  ['keys', 'key'],
  ['skpi', 'skip'],
])('suggests for %s the word %s', (word, meant) => {
  expect(nearestWord(word, options)).toBe(meant)
})

test('compares words of up to 64 letters', () => {
  const [most, more] = ['x'.repeat(63), 'x'.repeat(64)]
  expect(nearestWord(`${most}y`, [`${most}z`])).toBe(`${most}z`)
  expect(nearestWord(`${most}y`, [`${more}z`])).toBeUndefined()
  expect(nearestWord(`${more}y`, [`${most}z`])).toBeUndefined()
})

test('a third of the letters may differ', () => {
  expect(nearestWord('abcdXY', ['abcdef'])).toBe('abcdef')
  expect(nearestWord('abcXYZ', ['abcdef'])).toBeUndefined()
})

test.each(['colour', 'k', '', 'ke?!', 'timeout', 'constructor', 'limitlimit'])(
  'suggests nothing for %o',
  (word) => {
    expect(nearestWord(word, options)).toBeUndefined()
  },
)

test('suggests the first of two words that are equally near', () => {
  expect(nearestWord('bat', ['cat', 'bar'])).toBe('cat')
  expect(nearestWord('bat', ['bar', 'cat'])).toBe('bar')
})

test('suggests nothing for a word of more than 64 characters', () => {
  expect(nearestWord('a'.repeat(64), ['a'.repeat(63)])).toBe('a'.repeat(63))
  expect(nearestWord('a'.repeat(65), ['a'.repeat(64)])).toBeUndefined()
})

test.each<[string, () => unknown, string, string]>([
  ['rateLimit', () => createGuard({ limt: 5, window: '1m' } as never), 'limt', 'limit'],
  [
    'createLimiter',
    () =>
      createLimiter({ name: 'api', polices: slidingWindow({ limit: 5, window: '1m' }) } as never),
    'polices',
    'policies',
  ],
  ['fixedWindow', () => fixedWindow({ limit: 5, widnow: '1m' } as never), 'widnow', 'window'],
])('the error of %s suggests the nearest option', (where, call, option, meant) => {
  const { code, message } = errorOf(call)
  expect([code, message.split(' It takes ')[0]]).toEqual([
    'SLUICE_OPTION_UNKNOWN',
    `${where}: there is no option "${option}". Did you mean "${meant}"?`,
  ])
})

test('the error for a misspelled value of an option suggests the nearest value', () => {
  const { code, message } = errorOf(() =>
    fixedWindow({ limit: 5, window: '1m', align: 'clok' as never }),
  )
  expect([code, message]).toEqual([
    'SLUICE_OPTION_INVALID',
    `fixedWindow: "align" is the string "clok". Pass 'first' or 'clock'. Did you mean "clock"?`,
  ])
})

test('the error for a misspelled style of headers suggests the nearest style', () => {
  const { code, message } = errorOf(() =>
    createGuard({ limit: 5, window: '1m', headers: 'legcay' as never }),
  )
  expect([code, message.endsWith(' Did you mean "legacy"?')]).toEqual([
    'SLUICE_OPTION_INVALID',
    true,
  ])
})

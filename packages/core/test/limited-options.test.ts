import { describe, expect, test } from 'vitest'
import { limited } from '../src/index.js'
import { errorOf } from './error-of.js'
import { limiterOf, once } from './limited-bench.js'

describe('options are looked at when the function is made', () => {
  const limiter = limiterOf(once)

  test.each([
    [
      'key',
      ['', 5, null, true, [], ['user', ''], ['user', ['a']], [1.5], { default: null }, { a: {} }],
    ],
    ['cost', ['1', -1, 1.5, Number.NaN, null]],
    ['policies', [5, 'slow', [once], null]],
    ['wait', ['5s', 5, true, null, []]],
    ['signal', [{}, null, new AbortController()]],
    ['onDenied', ['no', null, {}]],
  ])('refuses "%s" as %j', (option, values) => {
    for (const value of values) {
      const options: object = { key: 'all', [option]: value }
      const error = errorOf(() => limited(limiter, options as never))
      expect([error.code, error.message.startsWith(`limited: "${option}" is `)]).toEqual([
        'SLUICE_OPTION_INVALID',
        true,
      ])
    }
  })

  test.each([
    [undefined, 'SLUICE_OPTIONS_INVALID', 'limited: the options are undefined'],
    [{}, 'SLUICE_OPTION_MISSING', 'limited: "key" is missing'],
    [{ key: 'all', name: 'mine' }, 'SLUICE_OPTION_UNKNOWN', 'limited: there is no option "name"'],
    [{ keyGenerator: String }, 'SLUICE_OPTION_RENAMED', '"keyGenerator" is called "key"'],
    [{ key: 'all', weight: 2 }, 'SLUICE_OPTION_RENAMED', '"weight" is called "cost"'],
    [{ key: 'all', wait: {} }, 'SLUICE_OPTION_MISSING', 'wait: "max" is missing'],
    [{ key: 'all', wait: { max: 'soon' } }, 'SLUICE_OPTION_INVALID', 'wait: "max" is'],
    [{ key: 'all', wait: { for: 5 } }, 'SLUICE_OPTION_UNKNOWN', 'wait: there is no option "for"'],
  ])('refuses %j', (options, code, words) => {
    const error = errorOf(() => limited(limiter, options as never))
    expect([error.code, error.message.includes(words)]).toEqual([code, true])
  })

  test.each([undefined, null, once, 'api'])('refuses %s in the place of a limiter', (value) => {
    const error = errorOf(() => limited(value as never, { key: 'all' }))
    expect([error.code, error.message.startsWith('limited: "limiter" is ')]).toEqual([
      'SLUICE_OPTION_INVALID',
      true,
    ])
  })

  test('what is no function is not limited', () => {
    const limit: unknown = limited(limiter, { key: 'all' })
    for (const value of [undefined, 'send', {}]) {
      const error = errorOf(() => (limit as (value: unknown) => unknown)(value))
      expect(error.code).toBe('SLUICE_OPTION_INVALID')
    }
  })
})

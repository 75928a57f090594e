import { describe, expect, test } from 'vitest'
import { limited } from '../../src/index.js'
import { errorOf } from '../error-of.js'
import { forAll, limiterOf, once } from './limited-bench.js'

describe('invalid options are errors when the function is limited, and not later', () => {
  const limiter = limiterOf(once)

  test.each([
    ['wait', ['5s', 5, true, null, []]],
    ['maxHold', ['soon', 0, -1, null, {}]],
    ['onDenied', ['no', null, {}]],
  ])('refuses "%s" as %j', (option, values) => {
    for (const value of values) {
      const options: object = { [option]: value }
      const error = errorOf(() => limited(limiter, forAll, options))
      expect([error.code, error.message.startsWith(`limited: "${option}" is `)]).toEqual([
        'SLUICE_OPTION_INVALID',
        true,
      ])
    }
  })

  test.each([
    [null, 'SLUICE_OPTIONS_INVALID', 'limited: the options are null'],
    ['all', 'SLUICE_OPTIONS_INVALID', 'limited: the options are the string "all"'],
    [{ name: 'mine' }, 'SLUICE_OPTION_UNKNOWN', 'limited: there is no option "name"'],
    [{ key: 'all' }, 'SLUICE_OPTION_UNKNOWN', 'limited: there is no option "key"'],
    [{ handler: String }, 'SLUICE_OPTION_RENAMED', '"handler" is called "onDenied"'],
    [{ wait: {} }, 'SLUICE_OPTION_MISSING', 'wait: "max" is missing'],
    [{ wait: { max: 'soon' } }, 'SLUICE_OPTION_INVALID', 'wait: "max" is'],
    [{ wait: { for: 5 } }, 'SLUICE_OPTION_UNKNOWN', 'wait: there is no option "for"'],
  ])('refuses %j as options', (options, code, words) => {
    const error = errorOf(() => limited(limiter, forAll, options as never))
    expect([error.code, error.message.includes(words)]).toEqual([code, true])
  })

  test.each([undefined, null, 'all', ['all'], { key: 'all' }])(
    'refuses %j instead of the function that describes a call',
    (value) => {
      const error = errorOf(() => limited(limiter, value as never))
      expect([error.code, error.message.startsWith('limited: "describeCall" is ')]).toEqual([
        'SLUICE_OPTION_INVALID',
        true,
      ])
    },
  )

  test.each([undefined, null, once, 'api'])('refuses %s instead of a limiter', (value) => {
    const error = errorOf(() => limited(value as never, forAll))
    expect([error.code, error.message.startsWith('limited: "limiter" is ')]).toEqual([
      'SLUICE_OPTION_INVALID',
      true,
    ])
  })

  test('refuses to limit a value that is not a function', () => {
    const limit: unknown = limited(limiter, forAll)
    for (const value of [undefined, 'send', {}]) {
      const error = errorOf(() => (limit as (value: unknown) => unknown)(value))
      expect(error.code).toBe('SLUICE_OPTION_INVALID')
    }
  })
})

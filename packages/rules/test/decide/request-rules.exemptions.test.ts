import { describe, expect, test } from 'vitest'
import { createLimiter, fixedWindow, notLimited } from '@sluice/core'
import { decideByRules } from '../../src/internal.js'
import { asks, consumption } from './judged.js'

const once = fixedWindow({ limit: 1, window: '1m' })

describe('a decision by rules', () => {
  const policies = { a: fixedWindow({ limit: 1, window: '1m' }), tagged: once }
  const judgement = () => {
    const tag = { type: 'tag', tag: 'busy' } as const
    return asks({
      enforced: [consumption({ a: { policy: policies.a } })],
      tagging: [consumption({ tagged: { policy: policies.tagged, outcome: tag } })],
    })
  }

  test.each([
    [['a'], [true, undefined, ['busy']]],
    [['tagged'], [false, undefined, []]],
    [
      ['a', 'tagged'],
      [true, true, []],
    ],
  ])('is exempt if all its parts are: %s', async (names, expected) => {
    const limiter = createLimiter({ name: 'rules', policies })
    for (let i = 0; i < 2; i++) await decideByRules(limiter, judgement())
    for (const name of names) {
      limiter.exempt({ a: notLimited, tagged: notLimited, [name]: 'key' }, '1m')
    }
    const { allowed, exempt, tags } = await decideByRules(limiter, judgement())
    expect([allowed, exempt, tags]).toEqual(expected)
  })
})

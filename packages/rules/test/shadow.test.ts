import { describe, expect, test } from 'vitest'
import { compiled, factsOf } from './compiled.js'

const document = `
version: 1
name: test
values: { user: string, points: integer, plan: [free, pro] }
rules:
  - { id: r, key: [], limit: 5, window: 1m }`

/** Rules on trial that cannot be asked about a request without values. */
const failing = {
  'a key without its value': 'key: user, limit: 1, window: 1m',
  'a cost without its value': 'key: [], cost: $points, limit: 1, window: 1m',
  'a predicate of a value that is not allowed':
    'when: { plan: free }, key: [], limit: 1, window: 1m',
  'a choice by a value that is not allowed':
    'key: [], limit: { by: plan, free: 1, pro: 2 }, window: 1m',
  'an override that fails': 'key: [], limit: 1, window: 1m, overrides: { of: header.x }',
  'a refusal by a value that is absent': 'when: { user: ann }, then: deny',
}

describe.each(Object.entries(failing))('%s', (_what, members) => {
  const options = {
    overrides: () => {
      throw new Error('no database')
    },
  }
  const facts = factsOf({ headers: { x: 'a' }, values: { plan: 'other' } })

  test('fails the request of a rule that is enforced', async () => {
    const rules = await compiled(`${document}\n  - { id: s, ${members} }`, options)
    expect(() => rules.judge(facts, 0)).toThrow()
    expect(rules.stats.get('s')?.errors).toBe(1)
  })

  test('changes nothing for a rule on trial, and counts as its error', async () => {
    const rules = await compiled(`${document}\n  - { id: s, ${members}, shadow: true }`, options)
    const judgement = await rules.judge(facts, 0)
    expect(judgement).toMatchObject({ type: 'ask', tagging: [], shadow: [] })
    expect(judgement).toMatchObject({ enforced: [{ keys: 'all', cost: 1 }] })
    expect(rules.stats.get('s')).toMatchObject({ errors: 1, asked: 0 })
    expect(rules.stats.get('r')).toMatchObject({ errors: 0, asked: 1 })
  })
})

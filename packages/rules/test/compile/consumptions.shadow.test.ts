import { describe, expect, test } from 'vitest'
import { compiled, factsOf } from '../compiled.js'

const document = `
version: 1
name: test
values: { user: string, points: integer, plan: [free, pro] }
rules:
  - { id: r, key: [], limit: 5, window: 1m }`

/** Shadow rules that fail for a request without values. */
const failing = {
  'a key without its value': 'key: user, limit: 1, window: 1m',
  'a cost without its value': 'key: [], cost: $points, limit: 1, window: 1m',
  'a predicate of a value that is not allowed':
    'when: { plan: free }, key: [], limit: 1, window: 1m',
  'a choice by a value that is not allowed':
    'key: [], limit: { by: plan, free: 1, pro: 2 }, window: 1m',
  'a limit without its value': 'key: [], limit: $points, window: 1m',
  'a refusal by a value that is absent': 'when: { user: ann }, then: deny',
}

describe.each(Object.entries(failing))('%s', (_what, members) => {
  const facts = factsOf({ values: { plan: 'other' } })

  test('fails the request of a rule that is enforced', async () => {
    const rules = await compiled(`${document}\n  - { id: s, ${members} }`)
    expect(() => rules.judge(facts, 0)).toThrow()
    expect(rules.stats.get('s')?.errors).toBe(1)
  })

  test('changes nothing if the rule is a shadow rule, and counts as its error', async () => {
    const rules = await compiled(`${document}\n  - { id: s, ${members}, shadow: true }`)
    const judgement = await rules.judge(facts, 0)
    expect(judgement).toMatchObject({ type: 'ask', tagging: [], shadow: [] })
    expect(judgement).toMatchObject({ enforced: [{ keys: 'all', cost: 1 }] })
    expect(rules.stats.get('s')).toMatchObject({ errors: 1, asked: 0 })
    expect(rules.stats.get('r')).toMatchObject({ errors: 0, asked: 1 })
  })
})

describe('a shadow rule whose value is a promise', () => {
  const waiting = `version: 1
name: test
values: { user: string?, plan: [free, pro] }
rules:
  - { id: s, when: { plan: pro }, group: g, key: user, limit: 1, window: 1m, shadow: true }
  - { id: bad, when: { header.x: bad, plan: pro }, then: deny, shadow: true }
  - { id: r, group: g, key: [], limit: 5, window: 1m }
  - { id: below, when: { plan: [free, pro] }, group: g, key: [], limit: 1, window: 1m, shadow: true }`

  test('delays no request: its limits are asked later', async () => {
    const rules = await compiled(waiting)
    const calls: string[] = []
    let resolve: (plan: string) => void = () => {}
    const promise = new Promise<string>((found) => (resolve = found))
    const facts = {
      ...factsOf({ headers: { x: 'bad' } }),
      value: (name: string) => {
        calls.push(name)
        return name === 'plan' ? promise : Promise.resolve('ann')
      },
    }
    const judgement = rules.judge(facts, 0)
    if (!('type' in judgement) || judgement.type !== 'ask') throw new Error('it waits')
    expect(judgement).toMatchObject({ enforced: [{ keys: 'all' }], shadow: [] })
    expect(rules.stats.get('s')).toMatchObject({ matched: 0, asked: 0 })
    resolve('pro')
    expect(await judgement.lateShadow).toMatchObject([{ keys: ['user', 'ann'] }])
    expect(calls).toEqual(['plan', 'user'])
    expect(rules.stats.get('s')).toMatchObject({ matched: 1, asked: 1 })
    expect(rules.stats.get('bad')).toMatchObject({ matched: 1, shadowDenied: 1 })
    // The enforced rule of the group applies already.
    expect(rules.stats.get('below')).toMatchObject({ matched: 1, asked: 0 })
  })

  test('delays the other shadow rules of the request, which are searched together', async () => {
    const rules = await compiled(`${waiting}
  - { id: ready, key: [], limit: 1, window: 1m, shadow: true }`)
    const facts = { ...factsOf({}), value: () => Promise.resolve('free') }
    const judgement = rules.judge(facts, 0)
    if (!('type' in judgement) || judgement.type !== 'ask') throw new Error('it waits')
    expect(judgement.shadow).toEqual([])
    expect(await judgement.lateShadow).toMatchObject([{ policies: { ready: { limit: 1 } } }])
  })

  test('allows no request that another rule refuses', async () => {
    const rules = await compiled(`${waiting}
  - { id: no, when: { header.x: bad }, then: deny }`)
    const facts = { ...factsOf({ headers: { x: 'bad' } }), value: () => Promise.resolve('pro') }
    expect(rules.judge(facts, 0)).toMatchObject({ type: 'refuse', rule: 'no' })
  })

  test('fails no request if the promise rejects', async () => {
    const rules = await compiled(waiting)
    const facts = { ...factsOf({}), value: () => Promise.reject(new Error('no database')) }
    const judgement = rules.judge(facts, 0)
    if (!('type' in judgement) || judgement.type !== 'ask') throw new Error('it waits')
    expect(await judgement.lateShadow).toEqual([])
    expect(rules.stats.get('s')).toMatchObject({ errors: 1 })
    expect(rules.stats.get('r')).toMatchObject({ asked: 1, errors: 0 })
  })

  test('asks for a value once, although an enforced rule waits for it too', async () => {
    const rules = await compiled(`${waiting}
  - { id: pro, when: { plan: pro }, key: [], limit: 5, window: 1m }`)
    const calls: string[] = []
    const facts = {
      ...factsOf({}),
      value: (name: string) => {
        calls.push(name)
        return name === 'plan' ? Promise.resolve('pro') : undefined
      },
    }
    const judgement = await rules.judge(facts, 0)
    expect(judgement).toMatchObject({
      enforced: [
        {
          rules: new Map([
            ['r', {}],
            ['pro', {}],
          ]),
        },
      ],
    })
    expect(calls).toEqual(['plan', 'user'])
    expect(rules.stats.get('s')).toMatchObject({ matched: 1, asked: 0 })
  })

  test('that would be the only rule leaves a request without a decision', async () => {
    const rules = await compiled(`version: 1
name: test
values: { user: string? }
rules: [{ id: s, key: user, limit: 1, window: 1m, shadow: true }]`)
    const facts = { ...factsOf({}), value: () => Promise.resolve('ann') }
    const judgement = rules.judge(facts, 0)
    expect(judgement).toMatchObject({ type: 'ask', enforced: [], tagging: [], shadow: [] })
  })
})

test('a shadow rule that fails is explained by its error', async () => {
  const rules = await compiled(`${document}
  - { id: s, key: user, limit: 1, window: 1m, shadow: true }`)
  const explanation = await rules.explain(factsOf({}), 0)
  expect(explanation.rules[1].reason).toMatch(/^fails: the request has no value "user"/)
})

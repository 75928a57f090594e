import { expect, test } from 'vitest'
import { compiled, judged } from '../../compiled.js'

/** The limits of a rule that chooses by two schedules, at some hours of a day. */
async function limitsAt(choice: string, hours: readonly number[]): Promise<readonly unknown[]> {
  const rules = await compiled(`version: 1
name: test
zone: UTC
schedules:
  night: { from: '20:00', to: '08:00' }
  rush: { from: '07:00', to: '10:00' }
rules:
  - { id: r, key: [], limit: { by: schedule, ${choice} }, window: 1m }`)
  return hours.map((hour) => {
    const judgement = judged(rules, {}, Date.UTC(2026, 9, 1, hour))
    return judgement.type === 'ask' ? judgement.enforced[0]?.policies : undefined
  })
}

const hours = [6, 7, 8, 9, 10, 19, 20]

test.each([
  ['night: 1, rush: 2, else: 3', [1, 1, 2, 2, 3, 3, 1]],
  ['rush: 2, night: 1, else: 3', [1, 2, 2, 2, 3, 3, 1]],
  ['else: 3, rush: 2, night: 1', [1, 2, 2, 2, 3, 3, 1]],
])(
  'of the schedules that are active, the first of the choice counts: %s',
  async (choice, limits) => {
    expect(await limitsAt(choice, hours)).toMatchObject(limits.map((limit) => ({ r: { limit } })))
  },
)

test('calendar windows are in their own zone, or else in that of the document, also within stages', async () => {
  const day = 'kind: calendarWindow, limit: 1, period: day'
  const rules = await compiled(`version: 1
name: test
zone: Asia/Shanghai
rules:
  - { id: own, key: [], policy: { ${day}, timeZone: UTC } }
  - { id: usual, key: [], policy: { ${day} } }
  - { id: stages, key: [], policy: { kind: staged, free: { ${day} }, then: { ${day}, timeZone: UTC } } }
  - { id: last, key: [], policy: { kind: staged, free: { kind: gcra, limit: 1, window: 1m }, then: { ${day} } } }`)
  const judgement = judged(rules, {})
  expect(judgement.type === 'ask' ? judgement.enforced[0]?.policies : undefined).toMatchObject({
    own: { timeZone: 'UTC' },
    usual: { timeZone: 'Asia/Shanghai' },
    stages: { free: { timeZone: 'Asia/Shanghai' }, then: { timeZone: 'UTC' } },
    last: { then: { timeZone: 'Asia/Shanghai' } },
  })
})

test('the policies of a set are the first ones of each count', async () => {
  const rules = await compiled(`version: 1
name: test
values: { plan: [free, pro] }
rules:
  - { id: plain, key: [], limit: 1, window: 1m }
  - { id: shared, key: [], count: plain, limit: 2, window: 1h }
  - { id: plans, key: [], limit: { by: plan, free: 3, pro: 4 }, window: 1m }
  - id: several
    key: []
    policies: { a: { kind: gcra, limit: 5, window: 1m }, b: { by: plan, free: { kind: gcra, limit: 6, window: 1m }, pro: { kind: gcra, limit: 7, window: 1m } } }
  - { id: refused, when: { path: /x }, then: deny }`)
  const limits = Array.from(rules.policies, ([name, policy]) => [
    name,
    Reflect.get(policy, 'limit'),
  ])
  expect(limits).toEqual([
    ['plain', 1],
    ['plans', 3],
    ['several.a', 5],
    ['several.b', 6],
  ])
})

test('the first policy of a choice is that of its first value, also if "else" is above it', async () => {
  const rules = await compiled(`version: 1
name: test
values: { plan: string }
rules:
  - id: r
    policy: { by: plan, else: { kind: unlimited }, free: { kind: fixedWindow, limit: 5, window: 1m } }`)
  expect(rules.policies.get('r')).toMatchObject({ kind: 'fixedWindow', limit: 5 })
})

import { expect, test } from 'vitest'
import { compileRules, parseRules, type Facts } from '../../src/index.js'

const now = Date.UTC(2026, 9, 1)

const document = `
version: 1
name: community
values:
  user: string?
  plan: [free, pro, expert]
lists:
  partners: { kind: address, entries: [198.51.100.0/24] }
rules:
  - id: partners
    when: { ip: { in: $partners } }
    then: allow
  - id: banned
    when: { header.user-agent: { contains: [bot, spider] } }
    then: deny
  - id: api
    when: { path: '/api/**' }
    key: { first: [user, ip] }
    limit: { by: plan, free: 60, pro: 600, expert: 6000 }
    window: 1m
    algorithm: gcra
`

const rules = await compileRules(parseRules({ text: document, format: 'yaml', files: new Map() }))

function request(facts: Facts & { values?: Record<string, unknown> }): Facts {
  return { ...facts, value: (name) => facts.values?.[name] }
}

test('asks the limits that match, with the key and the policy of the plan', () => {
  const facts = request({ url: '/API//items/?q=1', ip: '203.0.113.9', values: { plan: 'pro' } })

  const judgement = rules.judge(facts, now)

  expect(judgement).toMatchObject({
    type: 'ask',
    version: rules.version,
    enforced: [
      {
        keys: 'ip:203.0.113.9',
        cost: 1,
        policies: { api: { kind: 'gcra', limit: 600, window: 60_000, burst: 600 } },
      },
    ],
    tagging: [],
    shadow: [],
  })
})

test('allows a request that an exemption matches', () => {
  expect(rules.judge(request({ url: '/api/x', ip: '198.51.100.7' }), now)).toEqual({
    type: 'pass',
    version: rules.version,
    tags: [],
  })
})

test('refuses a request that a rule denies', () => {
  const facts = request({ url: '/', ip: '203.0.113.9', header: () => 'a bot' })

  expect(rules.judge(facts, now)).toEqual({
    type: 'refuse',
    version: rules.version,
    tags: [],
    rule: 'banned',
    outcome: { type: 'deny', status: 403 },
  })
})

import { describe, expect, test } from 'vitest'
import type { Policy } from '@sluice/core'
import type { RuleMatch, RuleSet } from '../../../src/index.js'
import {
  compiledRules,
  factsOf,
  findingsOf,
  head,
  judged,
  now,
  type TestFacts,
} from '../../compiled.js'

const limitOf = (judgement: RuleMatch): unknown => {
  if (judgement.type !== 'ask') return judgement.type
  const [policy] = Object.values(judgement.enforced[0]?.policies ?? {}) as Policy[]
  const { kind, limit, window } = { limit: undefined, window: undefined, ...policy }
  return kind === 'unlimited' ? kind : window === 60_000 ? limit : [limit, window]
}

const limitFor = (rules: RuleSet, user: string | undefined, plan = 'free'): unknown =>
  limitOf(judged(rules, { values: { user, plan } }))

describe('overrides of the document', () => {
  const rule = (overrides: string) =>
    `  - { id: api, key: { first: [user, ip] }, limit: { by: plan, free: 60, pro: 600 }, window: 1m, algorithm: gcra, overrides: { of: user, ${overrides} } }`

  test('replace the limit of a value, whatever its plan', async () => {
    const rules = await compiledRules(
      rule(
        `entries: { acme: 20000, internal: unlimited, own: { kind: fixedWindow, limit: 7, window: 1h } }`,
      ),
    )
    const users = ['acme', 'acme2', 'internal', 'own', undefined]
    expect(users.map((user) => limitFor(rules, user))).toEqual([
      20_000,
      60,
      'unlimited',
      [7, 3_600_000],
      60,
    ])
    expect(limitFor(rules, 'acme', 'pro')).toBe(20_000)
    expect(limitFor(rules, 'other', 'pro')).toBe(600)
  })

  test('replace the limit of the policy that the plan has', async () => {
    const rules = await compiledRules(
      `  - { id: api, policy: { by: plan, free: { kind: fixedWindow, limit: 1, window: 1h }, pro: { kind: gcra, limit: 9, window: 1m } }, overrides: { of: user, entries: { acme: 5 } } }`,
    )
    expect(limitFor(rules, 'acme', 'free')).toEqual([5, 3_600_000])
    expect(limitFor(rules, 'acme', 'pro')).toBe(5)
  })

  test('follow the burst, unless the rule states one', async () => {
    const policies = (judgement: RuleMatch) =>
      judgement.type === 'ask' ? judgement.enforced[0]?.policies : undefined
    const rules = await compiledRules(rule('entries: { acme: 20000 }'))
    expect(policies(judged(rules, { values: { user: 'acme' } }))).toMatchObject({
      api: { limit: 20_000, burst: 20_000 },
    })
    const stated = await compiledRules(
      `  - { id: api, policy: { kind: gcra, limit: 1, window: 1s, burst: 3 }, overrides: { of: user, entries: { acme: 9 } } }`,
    )
    expect(policies(judged(stated, { values: { user: 'acme' } }))).toMatchObject({
      api: { limit: 9, burst: 3 },
    })
  })

  test('of a number are refused if the rule has several policies, and "unlimited" replaces all of them', async () => {
    const several = (limit: string) => `  - id: api
    key: { first: [user, ip] }
    policies:
      m: { kind: fixedWindow, limit: 10, window: 1m }
      d: { kind: fixedWindow, limit: 100, window: 1d }
    overrides: { of: user, entries: { acme: ${limit} } }`
    const findings = await findingsOf(`${head}\nrules:\n${several('4')}`)
    expect(findings.map(({ path, line, code }) => `${path}:${line} ${code}`)).toEqual([
      'rules[0].overrides.entries.acme:15 SLUICE_RULES_OVERRIDE',
    ])
    const judgement = judged(await compiledRules(several('unlimited')), {
      values: { user: 'acme' },
    })
    expect(judgement).toMatchObject({
      enforced: [{ policies: { 'api.m': { kind: 'unlimited' } } }],
    })
  })

  test('of a number are refused if the policy has no limit, and "*" has no meaning', async () => {
    const rules = (entry: string) =>
      `  - { id: r, policy: { kind: tokenBucket, capacity: 9, refill: 1, every: 1s }, overrides: { of: user, entries: { ${entry} } } }`
    for (const entry of ['acme: 5', "'trial-*': unlimited"]) {
      expect(await findingsOf(`${head}\nrules:\n${rules(entry)}`)).toMatchObject([
        { code: 'SLUICE_RULES_OVERRIDE', line: 10 },
      ])
    }
  })

  test('of equal limits have one object of policies', async () => {
    const rules = await compiledRules(rule('entries: { a: 5, b: 5, c: 6 }'))
    const policies = (user: string) => {
      const judgement = judged(rules, { values: { user } })
      return judgement.type === 'ask' ? judgement.enforced[0]?.policies : undefined
    }
    expect(policies('a')).toBe(policies('b'))
    expect(policies('a')).not.toBe(policies('c'))
  })
})

describe('a limit of the application', () => {
  const rule = '  - { id: r, key: { first: [user, ip] }, limit: $points, window: 1m }'

  test('is the value of each request', async () => {
    const rules = await compiledRules(rule)
    const limits = [5, 0, 700].map((points) => limitOf(judged(rules, { values: { points } })))
    expect(limits).toEqual([5, 0, 700])
  })

  test('may be a promise', async () => {
    const rules = await compiledRules(rule)
    const value = (name: string) => (name === 'points' ? Promise.resolve(7) : undefined)
    const facts = { ...factsOf({}), value }
    expect(limitOf(await rules.judge(facts, now))).toBe(7)
  })

  test.each([
    ['absent', undefined, 'SLUICE_RULES_VALUE_MISSING'],
    ['-1', -1, 'SLUICE_RULES_VALUE_INVALID'],
    ['1.5', 1.5, 'SLUICE_RULES_VALUE_INVALID'],
    ['"5"', '5', 'SLUICE_RULES_VALUE_INVALID'],
  ])('of %s is the error of the request', async (_what, points, code) => {
    const rules = await compiledRules(rule)
    expect(() => judged(rules, { values: { points } })).toThrow(expect.objectContaining({ code }))
  })

  test.each([
    ['$pionts', 'SLUICE_RULES_FIELD_UNKNOWN', 'points'],
    ['$user', 'SLUICE_RULES_OPTION_INVALID', undefined],
    ['points', 'SLUICE_RULES_OPTION_INVALID', undefined],
  ])('of %s is a mistake', async (limit, code, hint) => {
    const findings = await findingsOf(`${head}\nrules:\n${rule.replace('$points', limit)}`)
    expect(findings.map((finding) => [finding.code, finding.path, finding.hint])).toEqual([
      [code, 'rules[0].limit', hint],
    ])
  })
})

test('overrides of hosts have no case', async () => {
  const rules = await compiledRules(
    `  - { id: api, limit: 1, window: 1m, overrides: { of: host, entries: { Shop.Example.COM: 5 } } }`,
  )
  const limits = ['shop.example.com', 'SHOP.example.com', 'other.example.com']
  expect(limits.map((host) => limitOf(judged(rules, { host })))).toEqual([5, 5, 1])
  const again =
    '  - { id: a, limit: 1, window: 1m, overrides: { of: host, entries: { A.com: 5, a.com: 7 } } }'
  expect(await findingsOf(`${head}\nrules:\n${again}`)).toMatchObject([
    { code: 'SLUICE_RULES_OVERRIDE' },
  ])
})

describe('overrides of a field with several notations', () => {
  const limitsOf = async (of: string, entries: string, facts: readonly TestFacts[]) => {
    const rules = await compiledRules(
      `  - { id: r, key: [], limit: 1, window: 1m, overrides: { of: ${of}, entries: { ${entries} } } }`,
    )
    return facts.map((each) => limitOf(judged(rules, each)))
  }

  test('apply to all notations of an address', async () => {
    const entries = `127.0.0.1: 2, '2001:DB8:0::1': 3, '::ffff:192.0.2.1': 4`
    const ips = [
      '127.0.0.1',
      '::ffff:127.0.0.1',
      '2001:db8::1',
      '2001:DB8:0:0::1',
      '192.0.2.1',
      '::1',
    ]
    const facts = ips.map((ip) => ({ ip }))
    expect(await limitsOf('ip', entries, facts)).toEqual([2, 2, 3, 3, 4, 1])
  })

  test('apply to a path and a method in any letter case', async () => {
    const paths = ['/reports', '/REPORTS', '/login', '/a%20b', '/other']
    const entries = `/Reports: 2, /login/: 3, '/a b': 5`
    const facts = paths.map((url) => ({ url }))
    expect(await limitsOf('path', entries, facts)).toEqual([2, 2, 3, 5, 1])
    const methods = ['GET', 'get', 'HEAD', 'POST'].map((method) => ({ method }))
    expect(await limitsOf('method', 'get: 2', methods)).toEqual([2, 2, 2, 1])
  })
})

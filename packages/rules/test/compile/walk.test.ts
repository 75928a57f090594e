import { describe, expect, test } from 'vitest'
import type { LimitCheck } from '@sluice/rules/internal'
import { asked, compiledRules, factsOf, judged, now, type TestFacts } from '../compiled.js'

const limit = 'limit: 1, window: 1m'

test('every limit that matches applies', async () => {
  const rules = await compiledRules(`
  - { id: a, ${limit} }
  - { id: b, when: { method: POST }, ${limit} }
  - { id: c, ${limit} }`)
  expect(asked(rules, { method: 'GET' })).toEqual(['a', 'c'])
  expect(asked(rules, { method: 'POST' })).toEqual(['a', 'b', 'c'])
})

test('limits above an exemption hold, and those below do not', async () => {
  const rules = await compiledRules(`
  - { id: a, ${limit} }
  - { id: free, when: { method: GET }, then: allow }
  - { id: b, ${limit} }`)
  expect(asked(rules, { method: 'GET' })).toEqual(['a'])
  expect(asked(rules, { method: 'POST' })).toEqual(['a', 'b'])
})

test('a refusal asks no limit, even with limits above it, and keeps the tags', async () => {
  const rules = await compiledRules(`
  - { id: a, ${limit} }
  - { id: t, then: { tag: seen } }
  - { id: bad, when: { method: POST }, then: { challenge: { kind: captcha, length: 4 } } }
  - { id: b, ${limit} }`)
  expect(judged(rules, { method: 'POST' })).toEqual({
    type: 'refuse',
    version: rules.version,
    rule: 'bad',
    outcome: { type: 'challenge', kind: 'captcha', length: 4 },
    tags: ['seen'],
  })
})

test('a tag does not end the search', async () => {
  const rules = await compiledRules(`
  - { id: t, when: { method: POST }, then: { tag: writes } }
  - { id: a, ${limit} }`)
  expect(judged(rules, { method: 'POST' })).toMatchObject({ type: 'ask', tags: ['writes'] })
  expect(judged(rules, { method: 'GET' })).toMatchObject({ type: 'ask', tags: [] })
})

test('a rule that is not enabled does nothing', async () => {
  const rules = await compiledRules(`
  - { id: off, then: deny, enabled: false }
  - { id: a, ${limit} }`)
  expect(asked(rules, {})).toEqual(['a'])
})

test('the first matching rule of a group applies', async () => {
  const rules = await compiledRules(`
  - { id: special, group: g, when: { user: ann }, ${limit} }
  - { id: usual, group: g, ${limit} }
  - { id: other, ${limit} }`)
  expect(asked(rules, { values: { user: 'ann' } })).toEqual(['special', 'other'])
  expect(asked(rules, {})).toEqual(['usual', 'other'])
})

test('a rule of a group without its key is skipped, and the next rule of the group applies', async () => {
  const rules = await compiledRules(`
  - { id: user, group: g, key: user, ${limit} }
  - { id: address, group: g, key: ip, ${limit} }`)
  expect(asked(rules, {})).toEqual(['address'])
  expect(asked(rules, { values: { user: 'ann' } })).toEqual(['user'])
})

test('the first matching rule of a count applies, and both rules use its name', async () => {
  const rules = await compiledRules(`
  - { id: post, count: writes, when: { method: POST }, key: user, ${limit} }
  - { id: all, count: writes, key: user, limit: 5, window: 1m }`)
  const calls = (method: string) => {
    const judgement = judged(rules, { method, values: { user: 'ann' } })
    return judgement.type === 'ask'
      ? judgement.enforced.map(({ policies, keys }) => [Object.keys(policies), keys])
      : []
  }
  expect(asked(rules, { method: 'POST', values: { user: 'ann' } })).toEqual(['post'])
  expect(calls('POST')).toEqual([[['writes'], ['user', 'ann']]])
  expect(calls('GET')).toEqual([[['writes'], ['user', 'ann']]])
})

describe('a shadow rule', () => {
  test('never changes what applies to the request', async () => {
    const rules = await compiledRules(`
  - { id: s-allow, then: allow, shadow: true }
  - { id: s-deny, then: deny, shadow: true }
  - { id: s-tag, then: { tag: x }, shadow: true }
  - { id: s-limit, group: g, ${limit}, shadow: true }
  - { id: a, group: g, ${limit} }
  - { id: s-after, group: g, ${limit}, shadow: true }`)
    expect(judged(rules, {})).toMatchObject({
      type: 'ask',
      tags: [],
      enforced: [{ policies: { a: {} } }],
      tagging: [],
      shadow: [{ policies: { 's-limit': {} } }],
    })
    expect(asked(rules, {})).toEqual(['s-limit', 'a'])
    expect(rules.stats.get('s-deny')).toMatchObject({ matched: 2, refused: 0, shadowDenied: 2 })
  })
})

describe('outcomes', () => {
  test.each([
    ['over: deny', { type: 'deny', status: 429 }],
    ['over: { deny: { status: 503, body: later } }', { type: 'deny', status: 503, body: 'later' }],
    ['over: { deny: { body: { code: 7 } } }', { type: 'deny', status: 429, body: { code: 7 } }],
    ['over: { delay: 5s }', { type: 'delay', maxMs: 5000 }],
    [
      'over: { challenge: { kind: captcha, length: 6 } }',
      { type: 'challenge', kind: 'captcha', length: 6 },
    ],
  ])('%s', async (over, outcome) => {
    const rules = await compiledRules(
      `  - { id: a, ${over}, counts: failures, resetOn: success, ${limit} }`,
    )
    const judgement = judged(rules, {})
    expect(judgement.type === 'ask' ? judgement.enforced[0]?.rules : undefined).toEqual(
      new Map([['a', { rule: 'a', outcome, counts: 'failures', resetOnSuccess: true }]]),
    )
  })

  test('a limit that tags is asked separately', async () => {
    const rules = await compiledRules(`
  - { id: a, ${limit} }
  - { id: score, over: { tag: no-points }, ${limit} }`)
    expect(judged(rules, {})).toMatchObject({
      enforced: [{ policies: { a: {} } }],
      tagging: [{ policies: { score: {} } }],
    })
  })

  test.each([
    ['then: deny', { type: 'deny', status: 403 }],
    ['then: { deny: { status: 451, body: gone } }', { type: 'deny', status: 451, body: 'gone' }],
    ['then: { deny: { body: gone } }', { type: 'deny', status: 403, body: 'gone' }],
  ])('%s', async (then, outcome) => {
    const rules = await compiledRules(`  - { id: a, ${then} }`)
    expect(judged(rules, {})).toMatchObject({ type: 'refuse', outcome })
  })
})

describe('keys', () => {
  const keysOf = async (key: string, facts: TestFacts, when = '{}') => {
    const rules = await compiledRules(`  - { id: a, when: ${when}, key: ${key}, ${limit} }`)
    const judgement = rules.judge(factsOf(facts), now)
    return 'type' in judgement && judgement.type === 'ask' ? judgement.enforced[0]?.keys : undefined
  }

  test.each<readonly [string, TestFacts, unknown]>([
    ['user', { values: { user: 'ann' } }, ['user', 'ann']],
    ['user', { values: { user: '203.0.113.9' } }, ['user', '203.0.113.9']],
    ['ip', {}, 'ip:203.0.113.9'],
    ['ip', { ip: '::ffff:203.0.113.9' }, 'ip:203.0.113.9'],
    ['ip', { ip: '2001:db8:1:2:3::4' }, 'ip:2001:db8:1:2::/64'],
    ['[user, level]', { values: { user: 'ann', level: 3 } }, ['user', 'ann', 'level', 3]],
    ['[user, level]', { values: { user: 'ann' } }, undefined],
    ['[ip, route]', { route: '/a' }, ['ip:203.0.113.9', 'route', '/a']],
    ['{ first: [user, ip] }', { values: { user: 'ann' } }, ['user', 'ann']],
    ['{ first: [user, ip] }', {}, 'ip:203.0.113.9'],
    ['[{ first: [user, ip] }, plan]', {}, ['ip:203.0.113.9', 'plan', 'free']],
    ['{ first: [user, level] }', {}, undefined],
    ['[]', {}, 'all'],
    ['isNew', { values: { isNew: false } }, ['isNew', 'false']],
    ['score', { values: { score: 0.5 } }, ['score', '0.5']],
    ['method', { method: 'post' }, ['method', 'POST']],
    ['host', { host: 'A.example:80' }, ['host', 'a.example']],
    ['query.q', { url: '/?q=%61' }, ['query.q', 'a']],
    ['method', { method: 'head' }, ['method', 'GET']],
    [
      'header.X-Key',
      { headers: { 'x-key': 'secret' } },
      ['header.x-key', 'K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols'],
    ],
    [
      'cookie.s',
      { cookies: { s: 'secret' } },
      ['cookie.s', 'K7gNU3sdo-OL0wNhqoVWhr3g6s1xYv72ol_pe_Unols'],
    ],
    ['header.x-key', {}, undefined],
  ])('%s of %j', async (key, facts, expected) => {
    expect(await keysOf(key, facts)).toEqual(expected)
  })

  test("a parameter of the rule's own path", async () => {
    const keys = await keysOf('param.id', { url: '/u/7' }, '{ path: "/u/:id" }')
    expect(keys).toEqual(['param.id', '7'])
  })

  test('a request without an address is an error where its address counts', async () => {
    const rules = await compiledRules(`  - { id: a, key: ip, ${limit} }`)
    expect(() => rules.judge({ ip: undefined }, now)).toThrow(
      expect.objectContaining({
        code: 'SLUICE_ADDRESS_MISSING',
        message: expect.stringMatching(
          /^rule "a" counts by "ip", and the request has no address\. Without HTTP, pass "ip" in the context/,
        ),
      }),
    )
    expect(rules.stats.get('a')?.errors).toBe(1)
  })
})

describe('costs', () => {
  test('rules with different costs are one call', async () => {
    const rules = await compiledRules(`
  - { id: a, key: user, ${limit} }
  - { id: b, key: user, cost: $points, ${limit} }
  - { id: c, key: ip, ${limit} }`)
    const calls = (points: number) => {
      const judgement = judged(rules, { values: { user: 'ann', points } })
      return judgement.type === 'ask'
        ? judgement.enforced.map(({ cost, keys, policies }) => ({
            cost,
            keys,
            policies: Object.keys(policies),
          }))
        : []
    }
    expect(calls(5)).toEqual([
      {
        cost: { a: 1, b: 5, c: 1 },
        keys: { a: ['user', 'ann'], b: ['user', 'ann'], c: 'ip:203.0.113.9' },
        policies: ['a', 'b', 'c'],
      },
    ])
    expect(calls(1)).toEqual([
      {
        cost: 1,
        keys: { a: ['user', 'ann'], b: ['user', 'ann'], c: 'ip:203.0.113.9' },
        policies: ['a', 'b', 'c'],
      },
    ])
  })

  test.each([
    [undefined, 'SLUICE_RULES_VALUE_MISSING'],
    [-1, 'SLUICE_RULES_VALUE_INVALID'],
    [1.5, 'SLUICE_RULES_VALUE_INVALID'],
    ['2', 'SLUICE_RULES_VALUE_INVALID'],
  ])('a cost of %j is an error', async (points, code) => {
    const rules = await compiledRules(`  - { id: b, cost: $points, ${limit} }`)
    expect(() => judged(rules, { values: { points } })).toThrow(expect.objectContaining({ code }))
  })
})

test('equal sets of rules and variants have one object of policies', async () => {
  const rules = await compiledRules(`
  - { id: a, limit: { by: plan, free: 1, pro: 2 }, window: 1m }
  - { id: b, key: user, ${limit} }`)
  const policies = (values: Record<string, unknown>): LimitCheck['policies'] | undefined => {
    const judgement = judged(rules, { values })
    return judgement.type === 'ask' ? judgement.enforced[0]?.policies : undefined
  }
  expect(policies({ user: 'ann' })).toBe(policies({ user: 'bob' }))
  expect(policies({ user: 'ann', plan: 'pro' })).toBe(policies({ user: 'bob', plan: 'pro' }))
  expect(policies({ user: 'ann' })).not.toBe(policies({ user: 'ann', plan: 'pro' }))
  expect(policies({ user: 'ann' })).not.toBe(policies({}))
})

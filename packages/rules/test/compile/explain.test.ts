import { describe, expect, test } from 'vitest'
import { compiled, compiledRules, factsOf, judged, now, type TestFacts } from '../compiled.js'
import { countDecision, emptyStats } from '../../src/compile/stats.js'
import type { RuleSet } from '../../src/index.js'
import { compareRules, runTests } from '../../src/check/index.js'

const limit = 'limit: 1, window: 1m'

describe('an explanation', () => {
  const explained = async (rules: RuleSet, facts: TestFacts) => rules.explain(factsOf(facts), now)

  test('has for each rule whether it applies, and why', async () => {
    const rules = await compiledRules(`
  - { id: partners, when: { ip: { in: $nets } }, then: allow }
  - { id: agents, when: { header.user-agent: { contains: $words } }, then: deny }
  - { id: off, enabled: false, ${limit} }
  - { id: night, when: { during: night }, ${limit} }
  - { id: api, when: { path: '/api/**', method: POST }, key: { first: [user, ip] }, limit: { by: plan, free: 60, pro: 600 }, window: 1m, overrides: { of: user, entries: { acme: 9 } } }
  - { id: level, key: level, ${limit} }
  - { id: soon, shadow: true, ${limit} }
  - { id: any, when: { any: [{ level: 3 }, { isNew: true }] }, ${limit} }
  - { id: not, when: { not: { method: POST } }, ${limit} }`)
    const facts = {
      method: 'POST',
      url: '/API/items',
      values: { user: 'acme', plan: 'pro' },
      headers: { 'user-agent': 'curl' },
    }
    const { rules: all, ...rest } = await explained(rules, facts)
    expect(rest).toEqual({
      version: rules.version,
      type: 'ask',
      asked: ['api'],
      shadow: ['soon'],
      endedBy: undefined,
      tags: [],
    })
    expect(
      all.map(
        ({ position, id, applies, reason }) =>
          `${position} ${id} ${applies ? 'yes' : 'no'}: ${reason}`,
      ),
    ).toEqual([
      '1 partners no: ip 203.0.113.9 is not in $nets (2 ranges)',
      '2 agents no: header.user-agent sha256:427e4b79b1f0 does not contain $words',
      '3 off no: is not enabled',
      '4 night no: during 2026-10-01T12:00:00.000Z is not in night',
      '5 api yes: it matches',
      '6 level no: the key lacks level',
      '7 soon yes: shadow',
      '8 any no: fails: level is not 3, and isNew is not true',
      '9 not no: fails: {"method":"POST"}',
    ])
    expect(all[4]).toMatchObject({
      key: ['user', 'acme'],
      policies: { api: { limit: 9 } },
      chosenBy: ['override "acme"'],
      ownPolicies: { api: { limit: 600 } },
      cost: 1,
    })
    expect(all[0]).toMatchObject({ mismatch: { field: 'ip', value: '203.0.113.9' } })
  })

  test('names the rule that ends the search', async () => {
    const rules = await compiledRules(`
  - { id: a, ${limit} }
  - { id: bad, when: { method: POST }, then: deny }
  - { id: free, then: allow }
  - { id: b, ${limit} }`)
    const reasons = async (facts: TestFacts) => {
      const { type, endedBy, rules: all } = await explained(rules, facts)
      return [type, endedBy, ...all.map(({ reason }) => reason)]
    }
    expect(await reasons({ method: 'POST' })).toEqual([
      'refuse',
      'bad',
      '"bad" refuses the request',
      'it refuses',
      'comes after "bad"',
      'comes after "bad"',
    ])
    expect(await reasons({})).toEqual([
      'ask',
      'free',
      'it matches',
      'method GET is not POST',
      'it allows',
      'comes after "free"',
    ])
  })

  test('names the first rule of the group, a shadow rule only in place of another one', async () => {
    const rules = await compiledRules(`
  - { id: s, group: g, ${limit}, shadow: true }
  - { id: first, group: g, ${limit} }
  - { id: second, group: g, ${limit} }
  - { id: t, group: g, ${limit}, shadow: true }
  - { id: same, count: first, ${limit} }`)
    const { rules: all, asked, shadow } = await explained(rules, {})
    expect([asked, shadow]).toEqual([['first'], ['s']])
    expect(all.map(({ reason }) => reason)).toEqual([
      'shadow',
      'it matches',
      '"first" applies in its place',
      '"s" applies in its place',
      '"first" applies in its place',
    ])
  })

  test('shows headers only if asked to, and counts nothing', async () => {
    const rules = await compiledRules(`  - { id: a, when: { header.x-key: secret }, ${limit} }`)
    const facts = factsOf({ headers: { 'x-key': 'other-secret' } })
    expect(JSON.stringify(await rules.explain(facts, now))).not.toContain('other-secret')
    expect(JSON.stringify(await rules.explain(facts, now, { show: true }))).toContain(
      'header.x-key other-secret is not secret',
    )
    expect(rules.stats.get('a')).toEqual(emptyStats())
  })

  test('shows all values of a parameter, and that an exemption needs a single one', async () => {
    const rules = await compiledRules(`
  - { id: free, when: { query.q: a }, then: allow }
  - { id: unlike, when: { query.q: { not: b } }, then: allow }
  - { id: r, when: { query.q: c }, key: [], ${limit} }`)
    const reasons = async (url: string) =>
      (await explained(rules, { url })).rules.map(({ reason }) => reason)
    expect(await reasons('/?q=a&q=a2')).toEqual([
      'query.q a, a2 has several values',
      'the client sent several values of a parameter or a cookie',
      'query.q a, a2 is not c',
    ])
    expect(await reasons('/?q[]=a')).toEqual([
      'query.q a has several values',
      'the client sent several values of a parameter or a cookie',
      'query.q a is not c',
    ])
  })

  test('waits for values', async () => {
    const rules = await compiledRules(`  - { id: a, when: { user: ann }, ${limit} }`)
    const explanation = await rules.explain(
      { ip: '203.0.113.9', value: () => Promise.resolve('bob') },
      now,
    )
    expect(explanation.rules[0].reason).toBe('user bob is not ann')
  })
})

describe("the document's own tests", () => {
  const document = (tests: string) =>
    compiled(`version: 1
name: test
values: { plan: [free, pro] }
schedules: { night: { from: '00:30', to: '06:00', zone: Asia/Shanghai } }
rules:
  - { id: bad, when: { header.user-agent: bot }, then: deny }
  - { id: seen, when: { method: POST }, then: { tag: writes } }
  - { id: free, when: { path: /health }, then: allow }
  - { id: api, when: { path: '/api/**' }, limit: 1, window: 1m }
  - { id: night, when: { during: night }, limit: 1, window: 1m, shadow: true }
  - { id: trial, when: { path: /first }, limit: 1, window: 1m, shadow: true }
  - { id: first, when: { path: /first }, limit: 1, window: 1m }
tests:
${tests}`)

  test('pass if the rules decide as expected', async () => {
    const rules = await document(`
  - { request: { method: POST, path: '/API//search/?q=x', ip: 203.0.113.9, plan: free }, at: 2026-10-01T12:00:00+08:00, applies: [api], tags: [writes] }
  - { request: { path: /api, ip: 203.0.113.9, plan: free }, at: 2026-10-01T01:00:00+08:00, applies: [api, night] }
  - { request: { url: /api, header.User-Agent: bot, cookie.a: b, host: a.example, route: /api }, refuses: bad }
  - { request: { path: /health }, applies: [], allows: free }
  - { request: { path: /health, method: POST }, allows: free, tags: [writes] }
  - { request: { path: /first, ip: 203.0.113.9 }, at: 2026-10-01T12:00:00+08:00, applies: [trial, first] }`)
    expect((await runTests(rules)).map(({ position, passed }) => [position, passed])).toEqual([
      [1, true],
      [2, true],
      [3, true],
      [4, true],
      [5, true],
      [6, true],
    ])
  })

  test('report the difference otherwise', async () => {
    const rules = await document(`
  - { request: { path: /health/, ip: 203.0.113.9 }, at: 2026-10-01T12:00:00+08:00, applies: [api] }
  - { request: { path: /api, header.user-agent: bot }, applies: [] }
  - { request: { path: /api }, at: 2026-10-01T12:00:00+08:00, applies: [api] }
  - { request: { path: / }, at: soon, applies: [] }
  - { request: { path: /Health }, at: 2026-10-01T12:00:00+08:00, allows: free }
  - { request: { path: /health }, allows: api }
  - { request: { path: /api, pln: free }, applies: [api] }
  - { request: { path: /api, query.a: b }, applies: [api] }
  - { request: { path: /api, ip: 203.0.113.9 }, applies: [api, nope] }
  - { request: { path: /api, ip: 203.0.113.9 }, refuses: bd }
  - { request: { path: /health, header.user-agent: bot }, allows: free }`)
    const known =
      'Known: "plan", "method", "path", "url", "route", "host", "ip", "header.NAME", "cookie.NAME".'
    const ids = 'Rules: "bad", "seen", "free", "api", "night", "trial", "first".'
    expect((await runTests(rules)).map(({ problem }) => problem)).toEqual([
      'expected "applies" [api], got []',
      'expected "refuses" none, got bad',
      expect.stringContaining(`rule "api" counts by "ip", and the request has no address`),
      '"at" is no time: soon',
      'expected "allows" free, got none',
      'expected "allows" api, got free',
      `there is no field or value "pln". ${known}`,
      `there is no field or value "query.a". ${known}`,
      `there is no rule "nope". ${ids}`,
      `there is no rule "bd". ${ids}`,
      'expected "allows" free, got none',
    ])
    expect((await runTests(rules))[5]).toMatchObject({
      expected: { allows: 'api' },
      actual: { applies: [], allows: 'free' },
    })
  })
})

test('a comparison lists the changes of a new document', async () => {
  const old = await compiledRules(`
  - { id: same, note: old, ${limit} }
  - { id: api, limit: { by: plan, free: 60, pro: 600 }, window: 1m }
  - { id: post, key: user, policy: { kind: fixedWindow, limit: 1, window: 1m } }
  - { id: keyed, key: user, ${limit} }
  - { id: named, ${limit} }
  - { id: usual, ${limit} }
  - { id: form, policy: { kind: slidingWindow, limit: 1, window: 1m } }
  - { id: legacy, ${limit} }`)
  const next = await compiledRules(`
  - { id: same, note: new, ${limit} }
  - { id: api, limit: { by: plan, free: 80, pro: 600 }, window: 1m }
  - { id: post, key: user, policy: { kind: gcra, limit: 1, window: 1m } }
  - { id: keyed, key: ip, ${limit} }
  - { id: named, count: other, ${limit} }
  - { id: usual, key: ip, algorithm: slidingWindow, ${limit} }
  - { id: form, ${limit} }
  - { id: fresh, ${limit} }`)
  const { added, removed, changed, afresh } = compareRules(old, next)
  expect({ added, removed }).toEqual({ added: ['fresh'], removed: ['legacy'] })
  expect(changed.map(({ rule, words }) => `${rule}: ${words}`)).toEqual([
    'api: limit.free 60 → 80',
    'usual: key none → ip, algorithm none → slidingWindow',
    expect.stringMatching(/^form: /),
  ])
  expect(afresh.map(({ rule, words }) => `${rule}: ${words}`)).toEqual([
    'post: policy.kind fixedWindow → gcra',
    'keyed: key user → ip',
    'named: count none → other',
  ])
})

test('a call that fails is an error of each of its rules', async () => {
  const rules = await compiledRules(`
  - { id: a, ${limit} }
  - { id: b, key: [], ${limit} }
  - { id: c, cost: 2, ${limit} }`)
  const judgement = judged(rules, {})
  if (judgement.type !== 'ask') throw new Error('The rules are asked.')
  judgement.enforced[0]?.onError?.(new Error('no store'))
  expect([...rules.stats].map(([id, { errors }]) => [id, errors])).toEqual([
    ['a', 1],
    ['b', 1],
    ['c', 1],
  ])
})

test('a rule with several policies is near its limit once, and denies if one of them does', () => {
  const stats = emptyStats()
  const verdict = { limit: 10, remaining: 1 }
  const decision = { deniedBy: [], policies: { a: verdict, b: verdict } }
  countDecision(stats, ['a', 'b'], false, decision as never)
  countDecision(stats, ['a', 'b'], false, { ...decision, deniedBy: ['b'] } as never)
  countDecision(stats, ['a', 'b'], true, { ...decision, deniedBy: ['b'] } as never)
  countDecision(stats, ['a'], false, { ...decision, deniedBy: ['b'] } as never)
  expect(stats).toEqual({ ...emptyStats(), allowed: 2, near: 2, denied: 1, shadowDenied: 1 })
})

test('statistics count the decisions of rules', async () => {
  const rules = await compiledRules(`
  - { id: a, limit: 10, window: 1m }
  - { id: s, shadow: true, ${limit} }
  - { id: bad, when: { method: PUT }, then: deny }`)
  const judgement = judged(rules, {})
  if (judgement.type !== 'ask') throw new Error('The rule is asked.')
  const decide = (name: string, allowed: boolean, remaining: number) => {
    const verdict = {
      allowed,
      limit: 10,
      remaining,
      retryAfterMs: 0,
      resetMs: 0,
      delayMs: 0,
      blocked: false,
      blockedForMs: 0,
    }
    const calls = name === 'a' ? judgement.enforced : judgement.shadow
    calls[0]?.onDecision?.({
      ...verdict,
      deniedBy: allowed ? [] : [name],
      policies: { [name]: verdict },
      source: 'store',
    } as never)
  }
  decide('a', true, 5)
  decide('a', true, 3)
  decide('a', true, 2)
  decide('a', false, 0)
  decide('s', false, 0)
  judgement.enforced[0]?.onError?.(new Error('no store'))
  judged(rules, { method: 'PUT' })
  expect(Object.fromEntries(rules.stats)).toEqual({
    a: {
      matched: 2,
      asked: 1,
      allowed: 3,
      denied: 1,
      near: 1,
      shadowDenied: 0,
      refused: 0,
      errors: 1,
    },
    s: {
      matched: 2,
      asked: 1,
      allowed: 0,
      denied: 0,
      near: 0,
      shadowDenied: 1,
      refused: 0,
      errors: 0,
    },
    bad: {
      matched: 1,
      asked: 0,
      allowed: 0,
      denied: 0,
      near: 0,
      shadowDenied: 0,
      refused: 1,
      errors: 0,
    },
  })
})

test('a rule in whose place another one applies is explained, although the client sent several values of its key', async () => {
  const rules = await compiledRules(`
  - { id: first, group: g, key: [], limit: 1, window: 1m }
  - { id: second, group: g, key: query.q, limit: 1, window: 1m }`)
  const { rules: explained } = await rules.explain(factsOf({ url: '/?q=a&q=b' }), now)
  expect(explained[1]).toMatchObject({ reason: '"first" applies in its place' })
})

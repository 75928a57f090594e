import { describe, expect, test } from 'vitest'
import { asked, compiled, compiledRules, findingsOf, head, type TestFacts } from '../compiled.js'

async function applies(when: string, facts: TestFacts): Promise<boolean> {
  const rules = await compiledRules(`  - { id: r, when: ${when}, key: [], limit: 1, window: 1m }`)
  return asked(rules, facts)[0] === 'r'
}

const user = (value: unknown): TestFacts => ({ values: { user: value } })
const level = (value: unknown): TestFacts => ({ values: { level: value } })
const long = 'a'.repeat(1_000_000)

describe.each<readonly [string, readonly TestFacts[], readonly TestFacts[]]>([
  // A predicate, requests that match it, and requests that do not.
  [
    '{ user: ann }',
    [user('ann')],
    [user('Ann'), user('ann '), user(''), user(null), user(undefined), user(long)],
  ],
  [
    '{ user: [ann, bob-1] }',
    [user('ann'), user('bob-1')],
    [user('bob'), user('1'), user('ann,bob-1')],
  ],
  ['{ user: "10,20-30" }', [user('10,20-30')], [user('10'), user('20'), user('25')]],
  ['{ user: 5 }', [user('5'), user('5.0')], [user('05x'), user('five'), user('15')]],
  ['{ user: "5" }', [user('5')], [user('5.0'), user('05')]],
  ['{ user: "\\u00e9" }', [user('\u00e9')], [user('e\u0301')]],
  ['{ user: { not: ann } }', [user('bob'), user(undefined), user('')], [user('ann')]],
  [
    '{ user: { present: true, not: ann } }',
    [user('bob')],
    [user('ann'), user(undefined), user('')],
  ],
  ['{ user: { present: false } }', [user(undefined), user(null), user('')], [user('ann')]],
  ['{ user: { in: $words } }', [user('bot')], [user('Bot'), user('a bot'), user(undefined)]],
  [
    '{ user: { prefix: [a, bo] } }',
    [user('ann'), user('bob'), user(long)],
    [user('b'), user('xa'), user(undefined)],
  ],
  ['{ user: { suffix: n } }', [user('ann')], [user('na'), user(undefined)]],
  [
    '{ user: { contains: $words } }',
    [user('a bot!'), user('spider')],
    [user('robo-t'), user(undefined)],
  ],
  [
    '{ user: { matches: "^a+$" } }',
    [user('a'), user(long)],
    [user('b'), user('ab'), user(undefined)],
  ],
  [
    '{ user: { from: 1, to: 9 } }',
    [user('1'), user('9'), user('1.5')],
    [user('0'), user('10'), user('x'), user('1e0')],
  ],
  ['{ level: 3 }', [level(3)], [level(4), level(undefined)]],
  ['{ level: { from: 1, to: 9 } }', [level(1), level(9)], [level(0), level(10), level(undefined)]],
  ['{ level: { above: 1 } }', [level(2)], [level(1), level(0)]],
  ['{ level: { below: 9 } }', [level(8)], [level(9), level(10)]],
  ['{ level: { not: { from: 5 } } }', [level(4), level(undefined)], [level(5)]],
  ['{ score: 2.5 }', [{ values: { score: 2.5 } }], [{ values: { score: 2 } }]],
  ['{ isNew: true }', [{ values: { isNew: true } }], [{ values: { isNew: false } }, {}]],
  ['{ isNew: false }', [{ values: { isNew: false } }], [{ values: { isNew: true } }, {}]],
  ['{ plan: [free, pro] }', [{}], []],
  ['{ method: [get, Post] }', [{ method: 'GET' }, { method: 'post' }], [{ method: 'PUT' }]],
  [
    '{ host: Example.com }',
    [{ host: 'example.COM' }, { host: 'example.com:8080' }, { host: 'example.com.' }],
    [{ host: 'example.com.evil' }, {}],
  ],
  [
    '{ route: "/Users/:id" }',
    [{ route: '/users/:id' }, { route: '/USERS/:id' }],
    [{ route: '/users/1' }, {}],
  ],
  [
    '{ ip: 10.0.0.0/8 }',
    [{ ip: '10.255.0.1' }, { ip: '::ffff:10.1.2.3' }, { ip: '::ffff:a01:203' }],
    [{ ip: '11.0.0.1' }],
  ],
  [
    '{ ip: [192.0.2.1, "2001:db8::/32"] }',
    [{ ip: '192.0.2.1' }, { ip: '2001:DB8::1' }],
    [{ ip: '192.0.2.2' }, { ip: '2001:db9::1' }],
  ],
  ['{ ip: { in: $nets } }', [{ ip: '10.1.1.1' }, { ip: '2001:db8:1::' }], [{ ip: '192.0.2.1' }]],
  ['{ ip: { not: { in: $nets } } }', [{ ip: '192.0.2.1' }], [{ ip: '10.1.1.1' }]],
  ['{ header.X-Kind: a }', [{ headers: { 'x-kind': 'a' } }], [{ headers: { 'x-kind': 'A' } }, {}]],
  ['{ cookie.Session: a }', [{ cookies: { Session: 'a' } }], [{ cookies: { session: 'a' } }]],
  [
    '{ query.q: "a b" }',
    [{ url: '/?q=a+b' }, { url: '/?q=a%20b' }, { url: '/?%71=a%20b' }, { url: '/?q=x&q=a+b' }],
    [{ url: '/?Q=a+b' }, { url: '/q=a+b' }, { url: '/?qq=a+b' }],
  ],
  [
    '{ path: "/a/:id", param.id: [x, "a/b"] }',
    [{ url: '/a/x' }, { url: '/A/X/' }, { url: '/a/a%2fb' }],
    [{ url: '/a/y' }, { url: '/a/a/b' }],
  ],
  [
    '{ path: { prefix: /Admin } }',
    [{ url: '/admin/x' }, { url: '//ADMIN' }],
    [{ url: '/x/admin' }],
  ],
  ['{ any: [{ user: ann }, { level: 3 }] }', [user('ann'), level(3)], [user('bob'), {}]],
  [
    '{ all: [{ user: ann }, { not: { level: 3 } }] }',
    [user('ann')],
    [{ values: { user: 'ann', level: 3 } }, {}],
  ],
  [
    '{ not: { user: ann, level: 3 } }',
    [user('ann'), level(3), {}],
    [{ values: { user: 'ann', level: 3 } }],
  ],
])('%s', (when, yes, no) => {
  test('holds for the requests that fit', async () => {
    for (const facts of yes) expect([facts, await applies(when, facts)]).toEqual([facts, true])
  })

  test('does not hold for others', async () => {
    for (const facts of no) expect([facts, await applies(when, facts)]).toEqual([facts, false])
  })
})

test('a regular expression is applied to the first 2,048 characters', async () => {
  expect(
    await applies('{ user: { matches: "x$" } }', user(`${'a'.repeat(2047)}x${'a'.repeat(10)}`)),
  ).toBe(true)
  expect(await applies('{ user: { matches: "x" } }', user(`${'a'.repeat(2048)}x`))).toBe(false)
})

test('a regular expression with catastrophic backtracking in other engines is evaluated in linear time', async () => {
  const rules = await compiledRules(
    `  - { id: r, when: { user: { matches: '(a+)+$' } }, key: [], limit: 1, window: 1m }`,
  )
  // An engine that backtracks would try about 2^2000 ways, so this test would never end.
  expect(asked(rules, user(`${'a'.repeat(2000)}!`))).toEqual(['pass'])
})

test('a schedule that is active', async () => {
  const rules = await compiledRules(
    `  - { id: r, when: { during: night }, key: [], limit: 1, window: 1m }`,
  )
  expect(asked(rules, {}, Date.UTC(2026, 0, 1, 0, 30))).toEqual(['r'])
  expect(asked(rules, {}, Date.UTC(2026, 0, 1, 6))).toEqual(['pass'])
})

test('one of several schedules is active', async () => {
  const rules = await compiled(`version: 1
name: test
zone: UTC
schedules: { night: { from: '00:30', to: '06:00' }, noon: { from: '12:00', to: '13:00' } }
rules: [{ id: r, when: { during: [night, noon] }, key: [], limit: 1, window: 1m }]`)
  const hours = [1, 7, 12].map((hour) => asked(rules, {}, Date.UTC(2026, 0, 1, hour)))
  expect(hours).toEqual([['r'], ['pass'], ['r']])
})

test('an error of one alternative counts only if no other one holds', async () => {
  const when = '{ any: [{ plan: pro }, { user: ann }] }'
  expect(await applies(when, { values: { plan: 'gold', user: 'ann' } })).toBe(true)
  await expect(applies(when, { values: { plan: 'gold', user: 'bob' } })).rejects.toThrow(
    expect.objectContaining({ code: 'SLUICE_RULES_VALUE_INVALID' }),
  )
})

test('a regular expression ignores letter case only where its field does', async () => {
  const rules =
    await compiledRules(`  - { id: host, when: { host: { matches: EXAMPLE } }, key: [], limit: 1, window: 1m }
  - { id: user, when: { user: { matches: EXAMPLE } }, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { host: 'example', values: { user: 'example' } })).toEqual(['host'])
})

test('regular expressions of which one begins with the other have results of their own', async () => {
  const rules =
    await compiledRules(`  - { id: user, when: { user: { matches: 'x?' } }, key: [], limit: 1, window: 1m }
  - { id: header, when: { header.kind: { matches: 'x?b' } }, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { values: { user: 'bc' }, headers: { kind: 'c' } })).toEqual(['user'])
})

test('a mistake that two rules repeat is a finding in each of them', async () => {
  const rule = (id: string): string =>
    `  - { id: ${id}, when: { level: { prefix: a } }, key: [], limit: 1, window: 1m }`
  const findings = await findingsOf(`${head}\nrules:\n${rule('a')}\n${rule('b')}`)
  const first = head.split('\n').length + 2
  expect(findings.map(({ line }) => line)).toEqual([first, first + 1])
})

test('a colon behind a backslash begins no parameter', async () => {
  const findings = await findingsOf(
    `${head}\nrules:\n  - { id: r, when: { path: '/a/\\:id' }, key: param.id, limit: 1, window: 1m }`,
  )
  expect(findings.map(({ code }) => code)).toEqual(['SLUICE_RULES_FIELD_UNKNOWN'])
})

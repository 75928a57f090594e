import { describe, expect, test } from 'vitest'
import { findingsOf, head } from '../compiled.js'

const limit = 'limit: 1, window: 1m'

/** A rule, and the code, the path and the hint of the one mistake in it. */
const mistakes: readonly (readonly [string, string, string, string?])[] = [
  [`{ id: r, when: { path: '/:id' }, key: param.ids, ${limit} }`, 'FIELD_UNKNOWN', 'rules[0].key'],
  [
    `{ id: r, when: { __proto__: { user: a } }, then: allow }`,
    'OPTION_UNKNOWN',
    'rules[0].when.__proto__',
  ],
  [
    `{ id: r, ${limit}, overrides: { of: user, entries: { __proto__: 5 } } }`,
    'OPTION_UNKNOWN',
    'rules[0].overrides.entries.__proto__',
  ],
  ['{ id: r, limitt: 1, window: 1m }', 'OPTION_UNKNOWN', 'rules[0].limitt', 'limit'],
  [
    '{ id: r, shaddow: true, limit: 1, window: 1m }',
    'OPTION_UNKNOWN',
    'rules[0].shaddow',
    'shadow',
  ],
  [`{ id: r, when: { plann: pro }, ${limit} }`, 'FIELD_UNKNOWN', 'rules[0].when.plann', 'plan'],
  [`{ id: r, when: { plan: prro }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.plan', 'pro'],
  [
    `{ id: r, when: { user: { prefixx: a } }, ${limit} }`,
    'OPTION_UNKNOWN',
    'rules[0].when.user.prefixx',
    'prefix',
  ],
  [`{ id: r, when: { level: high }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.level'],
  [`{ id: r, when: { level: 1.5 }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.level'],
  [
    `{ id: r, when: { level: { prefix: a } }, ${limit} }`,
    'OPTION_UNKNOWN',
    'rules[0].when.level.prefix',
  ],
  [`{ id: r, when: { isNew: yes }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.isNew'],
  [`{ id: r, when: { user: {} }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.user'],
  [
    `{ id: r, when: { user: { prefix: '' } }, ${limit} }`,
    'OPTION_INVALID',
    'rules[0].when.user.prefix',
  ],
  [`{ id: r, when: { ip: 10.0.0 }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.ip'],
  [`{ id: r, when: { ip: '::ffff:10.0.0.0/8' }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.ip'],
  [`{ id: r, when: { ip: { in: $words } }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.ip.in'],
  [
    `{ id: r, when: { ip: { in: $nest } }, ${limit} }`,
    'LIST_UNKNOWN',
    'rules[0].when.ip.in',
    'nets',
  ],
  [`{ id: r, when: { ip: { in: nets } }, ${limit} }`, 'OPTION_INVALID', 'rules[0].when.ip.in'],
  [
    `{ id: r, when: { user: { contains: $nets } }, ${limit} }`,
    'OPTION_INVALID',
    'rules[0].when.user.contains',
  ],
  [
    `{ id: r, when: { during: nigth }, ${limit} }`,
    'SCHEDULE_UNKNOWN',
    'rules[0].when.during',
    'night',
  ],
  [
    `{ id: r, when: { during: { present: true } }, ${limit} }`,
    'OPTION_INVALID',
    'rules[0].when.during',
  ],
  [`{ id: r, when: { path: api }, ${limit} }`, 'PATTERN', 'rules[0].when.path'],
  [`{ id: r, when: { path: '/a/:id(\\d+)' }, ${limit} }`, 'PATTERN', 'rules[0].when.path'],
  [`{ id: r, when: { path: '/a/**/b/**' }, ${limit} }`, 'PATTERN', 'rules[0].when.path'],
  ...['/*', '/api/*', '/api/*/x', '/public*', '/*.js', '/**.md', '/api/{id}', '/a{s}?'].map(
    (path) =>
      [`{ id: r, when: { path: '${path}' }, ${limit} }`, 'PATTERN', 'rules[0].when.path'] as const,
  ),
  [`{ id: r, when: { param.id: a }, ${limit} }`, 'FIELD_UNKNOWN', 'rules[0].when["param.id"]'],
  [
    `{ id: r, when: { user: { matches: '(a' } }, ${limit} }`,
    'REGEXP',
    'rules[0].when.user.matches',
  ],
  [
    `{ id: r, when: { user: { matches: '(a)\\1' } }, ${limit} }`,
    'REGEXP',
    'rules[0].when.user.matches',
  ],
  [`{ id: r, key: usr, ${limit} }`, 'FIELD_UNKNOWN', 'rules[0].key', 'user'],
  [
    `{ id: r, key: { first: [user, ipp] }, ${limit} }`,
    'FIELD_UNKNOWN',
    'rules[0].key.first[1]',
    'ip',
  ],
  [`{ id: r, key: during, ${limit} }`, 'FIELD_UNKNOWN', 'rules[0].key'],
  ['{ id: r }', 'OPTION_MISSING', 'rules[0]'],
  ['{ id: r, policies: {} }', 'OPTION_MISSING', 'rules[0]'],
  ['{ id: r, limit: 1 }', 'OPTION_MISSING', 'rules[0]'],
  ['{ id: r, window: 1m }', 'OPTION_MISSING', 'rules[0].window'],
  ['{ limit: 1, window: 1m }', 'OPTION_MISSING', 'rules[0]'],
  ['{ id: r, limit: -1, window: 1m }', 'OPTION_INVALID', 'rules[0].limit'],
  ['{ id: r, limit: unlimied, window: 1m }', 'OPTION_INVALID', 'rules[0].limit'],
  ['{ id: r, limit: 1, window: 1 month }', 'POLICY', 'rules[0].window'],
  [
    '{ id: r, limit: 1, window: 1m, policy: { kind: gcra } }',
    'OPTIONS_CONFLICT',
    'rules[0].policy',
  ],
  ['{ id: r, policy: { kind: gcraa } }', 'POLICY', 'rules[0].policy'],
  ['{ id: r, policy: { kind: gcra, limit: 1, window: 1m, bust: 3 } }', 'POLICY', 'rules[0].policy'],
  [
    '{ id: r, policy: { kind: gcra, limit: 1, window: 1m, burst: 0 } }',
    'POLICY',
    'rules[0].policy',
  ],
  [
    '{ id: r, policy: { kind: calendarWindow, limit: 1, period: day } }',
    'POLICY',
    'rules[0].policy',
  ],
  ['{ id: r, limit: { by: plan, free: 1 }, window: 1m }', 'VARIANT_MISSING', 'rules[0].limit'],
  ['{ id: r, limit: { by: level, 1: 1 }, window: 1m }', 'VARIANT_MISSING', 'rules[0].limit'],
  [
    '{ id: r, limit: { by: isNew, true: 1, false: 2 }, window: 1m }',
    'VARIANT_MISSING',
    'rules[0].limit',
  ],
  ['{ id: r, limit: { by: schedule, night: 1 }, window: 1m }', 'VARIANT_MISSING', 'rules[0].limit'],
  [
    '{ id: r, limit: { by: schedule, nigt: 1, else: 2 }, window: 1m }',
    'SCHEDULE_UNKNOWN',
    'rules[0].limit.nigt',
    'night',
  ],
  [
    '{ id: r, limit: { by: plan, free: 1, prro: 2, else: 3 }, window: 1m }',
    'OPTION_UNKNOWN',
    'rules[0].limit.prro',
    'pro',
  ],
  [
    '{ id: r, limit: { by: plann, else: 3 }, window: 1m }',
    'FIELD_UNKNOWN',
    'rules[0].limit.by',
    'plan',
  ],
  ['{ id: r, then: allow, limit: 1, window: 1m }', 'OPTIONS_CONFLICT', 'rules[0].limit'],
  ...[
    'key: ip',
    'policy: { kind: unlimited }',
    'policies: { a: { kind: unlimited } }',
    'over: deny',
    'cost: 2',
    'counts: failures',
    'resetOn: success',
    'group: g',
    'count: c',
    'overrides: { of: user }',
    'expose: false',
    'window: 1m',
    'algorithm: gcra',
  ].map(
    (member) =>
      [
        `{ id: r, then: deny, ${member} }`,
        'OPTIONS_CONFLICT',
        `rules[0].${member.split(':')[0]}`,
      ] as const,
  ),
  ['{ id: r, then: alow }', 'OPTION_INVALID', 'rules[0].then'],
  ['{ id: r, then: { challenge: { length: 4 } } }', 'OPTION_MISSING', 'rules[0].then.challenge'],
  [
    '{ id: r, then: { challenge: { kind: captcha, type: deny } } }',
    'OPTION_INVALID',
    'rules[0].then.challenge',
  ],
  [`{ id: r, over: { delay: soon }, ${limit} }`, 'OPTION_INVALID', 'rules[0].over.delay'],
  [`{ id: r, over: { delay: 0 }, ${limit} }`, 'OPTION_INVALID', 'rules[0].over.delay'],
  [
    `{ id: r, over: { deny: { status: 200 } }, ${limit} }`,
    'OPTION_INVALID',
    'rules[0].over.deny.status',
  ],
  [
    `{ id: r, over: { chalenge: { kind: captcha } }, ${limit} }`,
    'OPTION_UNKNOWN',
    'rules[0].over.chalenge',
    'challenge',
  ],
  [
    `{ id: r, over: { deny: { status: 503 }, tagg: late }, ${limit} }`,
    'OPTION_UNKNOWN',
    'rules[0].over.tagg',
  ],
  ['{ id: r, then: { dney: {} } }', 'OPTION_UNKNOWN', 'rules[0].then.dney', 'deny'],
  ['{ id: r, policy: 5 }', 'OPTION_INVALID', 'rules[0].policy'],
  ['{ id: r, policy: { by: plan, free: 3 } }', 'OPTION_INVALID', 'rules[0].policy.free'],
  [
    '{ id: r, policies: { a: { by: plan, free: 3 } } }',
    'OPTION_INVALID',
    'rules[0].policies.a.free',
  ],
  ['{ id: r, policy: { limit: 5, window: 1m } }', 'OPTION_MISSING', 'rules[0].policy'],
  [`{ id: r, cost: $poinst, ${limit} }`, 'FIELD_UNKNOWN', 'rules[0].cost', 'points'],
  [`{ id: r, cost: $user, ${limit} }`, 'OPTION_INVALID', 'rules[0].cost'],
  [`{ id: r, overrides: { of: usr }, ${limit} }`, 'FIELD_UNKNOWN', 'rules[0].overrides.of', 'user'],
  [`{ id: r, overrides: { of: during }, ${limit} }`, 'FIELD_UNKNOWN', 'rules[0].overrides.of'],
  [
    `{ id: r, overrides: { of: param.tenant }, ${limit} }`,
    'FIELD_UNKNOWN',
    'rules[0].overrides.of',
  ],
  ...['10.0.0.0/8', '2001:db8::*', '10.0.0'].map(
    (value) =>
      [
        `{ id: r, overrides: { of: ip, entries: { '${value}': 1 } }, ${limit} }`,
        'OVERRIDE',
        `rules[0].overrides.entries["${value}"]`,
      ] as const,
  ),
  [
    `{ id: r, overrides: { of: user, entries: { a: } }, ${limit} }`,
    'OPTION_INVALID',
    'rules[0].overrides.entries.a',
  ],
  [
    `{ id: r, overrides: { of: user, entries: { a: unlimied } }, ${limit} }`,
    'OPTION_INVALID',
    'rules[0].overrides.entries.a',
  ],
  [
    `{ id: r, overrides: { of: user, entries: { 'a*b': 1 } }, ${limit} }`,
    'OVERRIDE',
    'rules[0].overrides.entries["a*b"]',
  ],
  [
    '{ id: r, overrides: { of: user, entries: { a: 1 } }, policy: { kind: tokenBucket, capacity: 1, refill: 1, every: 1s } }',
    'OVERRIDE',
    'rules[0].overrides.entries.a',
  ],
  [
    '{ id: r, overrides: { of: user, entries: { acme: 4 } }, policies: { m: { kind: gcra, limit: 1, window: 1m }, d: { kind: gcra, limit: 9, window: 1d } } }',
    'OVERRIDE',
    'rules[0].overrides.entries.acme',
  ],
  [`{ id: '', ${limit} }`, 'OPTION_INVALID', 'rules[0].id'],
  [`{ id: ${'x'.repeat(65)}, ${limit} }`, 'OPTION_INVALID', 'rules[0].id'],
  [`{ id: __proto__, ${limit} }`, 'OPTION_INVALID', 'rules[0].id'],
  [
    `{ id: ${'x'.repeat(58)}, policies: { minute: { kind: gcra, limit: 1, window: 1m } } }`,
    'TOO_LARGE',
    'rules[0].policies.minute',
  ],
  [`{ id: r, count: failures, ${limit} }`, 'OPTION_INVALID', 'rules[0].count', 'counts'],
  [`{ id: r, count: successes, ${limit} }`, 'OPTION_INVALID', 'rules[0].count', 'counts'],
  [`{ id: r, count: all, ${limit} }`, 'OPTION_INVALID', 'rules[0].count', 'counts'],
  [`{ id: r, group: 'a b', ${limit} }`, 'OPTION_INVALID', 'rules[0].group'],
]

describe.each(mistakes)('%s', (rule, code, path, hint) => {
  test(`is refused with ${code}`, async () => {
    const findings = await findingsOf(`${head}\nrules:\n  - ${rule}`)
    expect(
      findings.map(({ code, path, hint, severity }) => ({ code, path, hint, severity })),
    ).toEqual([{ code: `SLUICE_RULES_${code}`, path, hint, severity: 'error' }])
  })
})

test.each([
  ['two rules with one id', `  - { id: a, ${limit} }\n  - { id: a, ${limit} }`, 'ID_TAKEN'],
  [
    'a rule with the name of a policy of another',
    `  - { id: a, policies: { b: { kind: gcra, limit: 1, window: 1m } } }\n  - { id: a.b, ${limit} }`,
    'ID_TAKEN',
  ],
  [
    'a count of two kinds',
    `  - { id: a, ${limit} }\n  - { id: b, count: a, algorithm: gcra, ${limit} }`,
    'COUNT',
  ],
  [
    'a count of a kind that only one plan has',
    `  - { id: a, policy: { by: plan, free: { kind: fixedWindow, limit: 1, window: 1m }, pro: { kind: gcra, limit: 1, window: 1m } } }\n  - { id: b, count: a, algorithm: fixedWindow, ${limit} }`,
    'COUNT',
  ],
  [
    'a count of a shadow rule and another',
    `  - { id: a, ${limit} }\n  - { id: b, count: a, shadow: true, ${limit} }`,
    'COUNT',
  ],
])('%s is refused', async (_what, rules, code) => {
  const findings = await findingsOf(`${head}\nrules:\n${rules}`)
  expect(findings.map((finding) => finding.code)).toEqual([`SLUICE_RULES_${code}`])
})

test.each([
  [
    'a name of 64 characters',
    `{ id: ${'x'.repeat(57)}, policies: { minute: { kind: gcra, limit: 1, window: 1m } } }`,
  ],
  [
    'a count of rules with a limit and without',
    `{ id: a, ${limit} }\n  - { id: b, count: a, policy: { kind: unlimited } }`,
  ],
])('%s is accepted', async (_what, rule) => {
  expect(await findingsOf(`${head}\nrules:\n  - ${rule}`)).toEqual([])
})

import { expect, test } from 'vitest'
import { compiledRules } from '../compiled.js'

const limit = 'limit: 1, window: 1m'

test.each<readonly [string, string, readonly string[]]>([
  ['nothing', `  - { id: a, ${limit} }`, []],
  // Exemptions.
  [
    'an exempt path, which other spellings do not fit',
    `  - { id: a, when: { path: '/api/**' }, then: allow }\n  - { id: b, when: { path: /api/x }, ${limit} }`,
    ['ALLOW_PATH a'],
  ],
  ['an exempt path', `  - { id: a, when: { path: [/health, /ready] }, then: allow }`, []],
  [
    'an exempt path with an escaped wildcard',
    `  - { id: a, when: { path: '/a/\\*' }, then: allow }`,
    [],
  ],
  ['an exempt parameter', `  - { id: a, when: { path: '/a/:id' }, then: allow }`, ['ALLOW_PATH a']],
  [
    'an exempt beginning of a path',
    `  - { id: a, when: { all: [{ path: { prefix: /static } }] }, then: allow }`,
    ['ALLOW_PATH a'],
  ],
  // Requests without any limit.
  ['an optional key', `  - { id: a, key: user, ${limit} }`, ['NO_FLOOR a']],
  [
    'an optional key and a rule by address',
    `  - { id: a, key: user, ${limit} }\n  - { id: b, ${limit} }`,
    [],
  ],
  [
    'an optional key and a rule by address for others',
    `  - { id: a, when: { method: POST }, key: user, ${limit} }\n  - { id: b, when: { method: GET }, ${limit} }`,
    ['NO_FLOOR a'],
  ],
  [
    'an optional key and a rule for those without',
    `  - { id: a, key: user, ${limit} }\n  - { id: b, when: { user: { present: false } }, ${limit} }`,
    [],
  ],
  [
    'an optional key and a refusal of those without',
    `  - { id: a, key: user, ${limit} }\n  - { id: b, when: { user: { present: false } }, then: deny }`,
    [],
  ],
  ['a first key', `  - { id: a, key: { first: [user, ip] }, ${limit} }`, []],
  [
    'a key that the predicates require',
    `  - { id: a, when: { user: ann }, key: user, ${limit} }`,
    [],
  ],
  ['a header as the key', `  - { id: a, key: header.x-key, ${limit} }`, ['NO_FLOOR a']],
  [
    'a shadow rule as the floor',
    `  - { id: a, key: user, ${limit} }\n  - { id: b, shadow: true, ${limit} }`,
    ['NO_FLOOR a'],
  ],
  [
    'a rule that tags as the floor',
    `  - { id: a, key: user, ${limit} }\n  - { id: b, over: { tag: x }, ${limit} }`,
    ['NO_FLOOR a'],
  ],
  // Others.
  [
    'an exempt pattern among alternatives',
    `  - { id: a, when: { any: [{ path: '/a/**' }, { path: /b }] }, then: allow }`,
    ['ALLOW_PATH a'],
  ],
  ['a path in the key', `  - { id: a, key: [ip, path], ${limit} }`, ['KEY_UNBOUNDED a']],
])('%s', async (_what, rules, expected) => {
  const { warnings } = await compiledRules(rules)
  const said = warnings.map(({ code, message }) => {
    const ids = [...message.matchAll(/"(\w)"/g)].map(([, id]) => id)
    const kind = code.replace('SLUICE_RULES_', '')
    return [kind, ids[0]].join(' ')
  })
  expect(said).toEqual(expected)
})

test('a window of 60 probably means seconds', async () => {
  const { warnings } = await compiledRules('  - { id: a, limit: 1, window: 60 }')
  expect(warnings).toMatchObject([
    { severity: 'warning', code: 'SLUICE_RULES_DURATION_SHORT', path: 'rules[0].window', line: 10 },
  ])
})

test('each short duration is a warning, and one of a second is not short', async () => {
  const { warnings } = await compiledRules(`
  - { id: a, limit: 1, window: 60 }
  - { id: b, limit: 1, window: 60 }
  - { id: c, limit: 1, window: 999 }
  - { id: d, limit: 1, window: 1000 }
  - { id: e, policy: { kind: tokenBucket, capacity: 1, refill: 1, every: 1 } }
  - { id: f, policy: { kind: leakyQueue, leak: 1, every: 1s, maxDelay: 5 } }
  - { id: g, policy: { kind: fixedWindow, limit: 1, window: 1m, block: { for: 60 } } }
  - { id: h, policy: { kind: staged, free: { kind: fixedWindow, limit: 1, window: 60 }, then: { kind: unlimited } } }
  - { id: i, limit: 1, window: 1m, over: { delay: 5 } }
  - { id: j, policy: { kind: concurrency, limit: 1, lease: 30 } }
  - { id: k, policy: { kind: fixedWindow, limit: 1, window: 1m, block: { for: 0.5s, escalate: 2, max: 900 } } }`)
  expect(warnings.map(({ path, code }) => [path, code])).toEqual(
    [
      'rules[0].window',
      'rules[1].window',
      'rules[2].window',
      'rules[4].policy',
      'rules[5].policy',
      'rules[6].policy',
      'rules[7].policy',
      'rules[8].over.delay',
      'rules[9].policy',
      'rules[10].policy',
    ].map((path) => [path, 'SLUICE_RULES_DURATION_SHORT']),
  )
})

test('a document that is compiled twice has its warnings once', async () => {
  const { compileRules, parseRules } = await import('../../src/index.js')
  const parsed = parseRules({
    text: `version: 1\nname: a\nrules:\n  - { id: a, key: path, ${limit} }`,
    format: 'yaml',
    files: new Map(),
  })
  const [first, second] = [await compileRules(parsed), await compileRules(parsed)]
  expect(first.warnings).toHaveLength(1)
  expect(second.warnings).toEqual(first.warnings)
})

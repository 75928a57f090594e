import { describe, expect, test } from 'vitest'
import { parseRules, RulesError } from '../src/index.js'
import { compiled, findingsOf, head } from './compiled.js'

const limit = 'limit: 1, window: 1m'
const byPolicy =
  'policy: { by: plan, free: { kind: fixedWindow, limit: 5, window: 1m }, pro: { kind: unlimited } }'

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
  ['{ id: r, then: alow }', 'OPTION_INVALID', 'rules[0].then'],
  ['{ id: r, then: { challenge: { length: 4 } } }', 'OPTION_MISSING', 'rules[0].then.challenge'],
  [`{ id: r, over: { delay: soon }, ${limit} }`, 'OPTION_INVALID', 'rules[0].over.delay'],
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
  [
    `{ id: r, overrides: { of: user, file: o.csv }, ${limit} }`,
    'FILE_MISSING',
    'rules[0].overrides.file',
  ],
  [`{ id: '', ${limit} }`, 'OPTION_INVALID', 'rules[0].id'],
  [`{ id: ${'x'.repeat(65)}, ${limit} }`, 'OPTION_INVALID', 'rules[0].id'],
  [`{ id: __proto__, ${limit} }`, 'OPTION_INVALID', 'rules[0].id'],
  [
    `{ id: ${'x'.repeat(60)}, policies: { minute: { kind: gcra, limit: 1, window: 1m } } }`,
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
  [
    `over: { chalenge: { kind: captcha } }, ${limit}`,
    'there is no "chalenge" here. Known: "deny", "delay", "challenge", "tag".',
  ],
  [
    'policy: { by: plan, free: 3 }',
    'this is 3. Write a policy, such as { kind: fixedWindow, limit: 5, window: 1m }. If only the number differs, write limit: { by: plan, free: 5, pro: 50 } and a window.',
  ],
  [
    'policy: { limit: 5, window: 1m }',
    '"kind" is missing. Write the name of a builder, such as fixedWindow.',
  ],
])('the message for %s names the mistake and the correction', async (members, message) => {
  const findings = await findingsOf(`${head}\nrules:\n  - { id: r, ${members} }`)
  expect(findings.map((finding) => finding.message)).toEqual([message])
})

test('all mistakes are found at once, each with its position', async () => {
  const text = `version: 1
name: test
values: { plan: [free, pro], method: string }
schedules:
  night: { from: 00-30, zone: UTC }
rules:
  - id: a
    when: { plann: pro }
    limit: 5
    window: 1m
  - id: b
    limit: 5
    windo: 1m
  - id: a
    limit: 5
    window: 1m
`
  expect(await placesIn(text)).toEqual([
    '3:30 SLUICE_RULES_OPTION_INVALID',
    '5:12 SLUICE_RULES_OPTION_INVALID',
    '8:13 SLUICE_RULES_FIELD_UNKNOWN',
    '13:5 SLUICE_RULES_OPTION_UNKNOWN',
    '14:5 SLUICE_RULES_ID_TAKEN',
  ])
  // If a member of the document itself is unknown, only the members are checked.
  expect(await placesIn(text.replace('values:', 'valuess: { user: string }\nvalues:'))).toEqual([
    '3:1 SLUICE_RULES_OPTION_UNKNOWN',
    '14:5 SLUICE_RULES_OPTION_UNKNOWN',
  ])
})

async function placesIn(text: string): Promise<readonly string[]> {
  const findings = await findingsOf(text)
  return findings.map(({ code, line, column }) => `${line}:${column} ${code}`)
}

test('the message of the error lists the mistakes with their lines', () => {
  let error: unknown
  try {
    parseRules({
      text: `${head}\nrules:\n  - { id: r, when: { plann: pro }, limit: 1, window: 1m }`,
      format: 'yaml',
      files: new Map(),
    })
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(RulesError)
  expect(error).toMatchObject({ code: 'SLUICE_RULES_INVALID' })
  expect(String(error)).toContain('10:22 rules[0].when.plann: there is no field or value "plann".')
  expect(String(error)).toContain('Did you mean "plan"?')
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
    'a count of a shadow rule and another',
    `  - { id: a, ${limit} }\n  - { id: b, count: a, shadow: true, ${limit} }`,
    'COUNT',
  ],
])('%s is refused', async (_what, rules, code) => {
  const findings = await findingsOf(`${head}\nrules:\n${rules}`)
  expect(findings.map((finding) => finding.code)).toEqual([`SLUICE_RULES_${code}`])
})

test.each([
  ['version: 2\nname: a\nrules: [{ id: a, then: deny }]', 'OPTION_INVALID', 'version'],
  ['name: a\nrules: [{ id: a, then: deny }]', 'OPTION_MISSING', ''],
  ['version: 1\nname: a\nrules: []', 'OPTION_INVALID', 'rules'],
  ['version: 1\nname: a', 'OPTION_MISSING', ''],
  ['version: 1\nname: a\nzone: Mars\nrules: [{ id: a, then: deny }]', 'OPTION_INVALID', 'zone'],
  [
    'version: 1\nname: a\nvalues: { a: strin }\nrules: [{ id: a, then: deny }]',
    'OPTION_INVALID',
    'values.a',
  ],
  [
    'version: 1\nname: a\nvalues: { a.b: string }\nrules: [{ id: a, then: deny }]',
    'OPTION_INVALID',
    'values["a.b"]',
  ],
  [
    'version: 1\nname: a\nlists: { a: { kind: text } }\nrules: [{ id: a, then: deny }]',
    'OPTION_MISSING',
    'lists.a',
  ],
  [
    'version: 1\nname: a\nlists: { a: { kind: address, entries: [10.0.0] } }\nrules: [{ id: a, then: deny }]',
    'LIST_ENTRY',
    'lists.a.entries[0]',
  ],
  [
    'version: 1\nname: a\nlists: { a: { kind: address, file: a.txt } }\nrules: [{ id: a, then: deny }]',
    'FILE_MISSING',
    'lists.a.file',
  ],
  [
    'version: 1\nname: a\nschedules: { night: { from: "22:00" } }\nrules: [{ id: a, when: { during: night }, then: deny }]',
    'OPTION_MISSING',
    'schedules.night',
  ],
  ['version: 1\nversion: 1\nname: a\nrules: [{ id: a, then: deny }]', 'SYNTAX', ''],
  ['version: 1\n  name: a', 'SYNTAX', ''],
  ['version: 1\nname: a\nrules: [{ id: a, then: deny }]\n---\nversion: 1', 'SYNTAX', ''],
  ['', 'SYNTAX', ''],
  ['\n# nothing\n', 'OPTION_INVALID', ''],
  ['- a', 'OPTION_INVALID', ''],
  ['version: *a', 'SYNTAX', ''],
])('the document %j is refused', async (text, code, path) => {
  const [first] = await findingsOf(text)
  expect(first).toMatchObject({ code: `SLUICE_RULES_${code}`, path })
})

test.each([
  [
    `over: challenge, ${limit}`,
    'rules[0].over: this is "challenge". Write deny, { deny: { status: 403 } }, { delay: 5s }, { challenge: { kind: captcha } }, or { tag: name }.',
  ],
  [
    'then: challenge',
    'rules[0].then: this is "challenge". Write allow, deny, { deny: { status: 403 } }, { challenge: { kind: captcha } }, or { tag: name }.',
  ],
  [
    `when: { level: { above: "3" } }, ${limit}`,
    'rules[0].when.level.above: this is "3". Write the number without quotes.',
  ],
  ['limit: "3", window: 1m', 'rules[0].limit: this is "3". Write the number without quotes.'],
  [
    'limit: { by: plan, free: { limit: 5, window: 1h }, pro: 9 }, window: 1m',
    `rules[0].limit.free: this is an object with "limit", "window". Write a whole number, 0 or more. For other windows, or no limit, write ${byPolicy}.`,
  ],
  [
    'limit: { by: plan, free: 5, pro: unlimited }, window: 1m',
    `rules[0].limit.pro: this is "unlimited". Write a whole number, 0 or more. For other windows, or no limit, write ${byPolicy}.`,
  ],
  [
    'limit: 5, window: { by: plan, free: 1m, pro: 1h }',
    `rules[0].window: this is an object with "by", "free", "pro". Write a duration such as 1m. For a window that depends on a value, write ${byPolicy}.`,
  ],
  [
    'policies: { by: plan, free: { m: { kind: gcra, limit: 1, window: 1m } }, pro: {} }',
    'rules[0].policies.by: this is "by". Write one rule for each policy: "by" chooses a single policy.',
  ],
  [
    `when: { path: */* }, ${limit}`,
    `this is not YAML: "*" begins an alias, and nothing is named &/*. If */* is a text, quote it: '*/*'.`,
  ],
])('the message about %j contains the correction', async (rule, message) => {
  const text = `${head}\nrules:\n  - { id: r, ${rule} }`
  const findings = await findingsOf(text)
  expect(findings.map((finding) => finding.line)).toEqual([10])
  const thrown: unknown = await (async () => compiled(text))().catch((error: unknown) => error)
  expect(String(thrown)).toMatch(/\n {2}10:\d+[ :]/)
  expect(String(thrown).replace(/^[\s\S]*\n {2}10:\d+:? /, '')).toBe(message)
})

test('the policy of the messages is a valid one', async () => {
  expect(await findingsOf(`${head}\nrules:\n  - { id: r, ${byPolicy} }`)).toEqual([])
})

test('an alias after its anchor is valid', async () => {
  const rules = `  - { id: a, when: { path: &p /a }, ${limit} }\n  - { id: b, when: { path: *p }, ${limit} }`
  expect(await findingsOf(`${head}\nrules:\n${rules}`)).toEqual([])
  const [finding] = await findingsOf(
    `${head}\nrules:\n${rules}\n  - { id: c, when: { path: *q }, ${limit} }`,
  )
  expect(finding).toMatchObject({ line: 12, column: 28, code: 'SLUICE_RULES_SYNTAX' })
})

describe('JSON', () => {
  const read = (text: string) => {
    try {
      parseRules({ text, format: 'json', files: new Map() })
    } catch (error) {
      if (error instanceof RulesError) return error.findings
      throw error
    }
    return []
  }

  test('is read with positions', () => {
    expect(
      read(
        '{\n\t"version": 1,\n\t"name": "a",\n\t"rules": [\n\t\t{ "id": "a", "thenn": "deny" }\n\t]\n}',
      ),
    ).toMatchObject([{ line: 5, column: 16, code: 'SLUICE_RULES_OPTION_UNKNOWN', hint: 'then' }])
    expect(read('{ "version": 1, "name": "a", "rules": [{ "id": "a", "then": "deny" }] }')).toEqual(
      [],
    )
  })

  test.each([
    '{ version: 1 }',
    "{ 'version': 1 }",
    '{ "version": 1, }',
    '{ "version": 1, "version": 1 }',
    'version: 1',
  ])('%s is not JSON', (text) => {
    expect(read(text)).toMatchObject([{ code: 'SLUICE_RULES_SYNTAX' }])
  })
})

test('mistakes in files are found with their lines', async () => {
  const findings = await findingsOf(
    `version: 1
name: test
values: { user: string }
lists: { nets: { kind: address, file: nets.txt } }
rules: [{ id: r, limit: 1, window: 1m, overrides: { of: user, file: o.csv } }]`,
    {
      files: {
        'nets.txt': '\uFEFF# nets\r\n10.0.0.0/8\r\n10.0.0/8 # wrong\r\n',
        'o.csv': 'a,1\nb,\n"x,y",2,1h\na,2\nc,1,soon',
      },
    },
  )
  expect(findings.map(({ path, line, code }) => `${path}:${line} ${code}`)).toEqual([
    'o.csv:2 SLUICE_RULES_OVERRIDE',
    'o.csv:4 SLUICE_RULES_OVERRIDE',
    'o.csv:5 SLUICE_RULES_OVERRIDE',
  ])
})

import { expect, test } from 'vitest'
import { compileRules, parseRules, type RuleSet, type RulesText } from '../../src/index.js'
import { checkRules } from '../../src/check/index.js'

const document = `version: 1
name: shop
values: { user: string?, points: integer? }
rules:
  - { id: all, limit: 10, window: 1m }
  - { id: share, key: user, when: { user: { present: true } }, limit: 5, window: 1m, cost: $points }
tests:
  - request: { path: /, ip: 203.0.113.9 }
    applies: [all]
  - { request: { path: /, ip: 203.0.113.9 }, applies: [share] }
`

function textOf(text: string, files: Readonly<Record<string, string>> = {}): RulesText {
  return { text, format: 'yaml', files: new Map(Object.entries(files)) }
}

async function ruleSet(text: string): Promise<RuleSet> {
  return compileRules(parseRules(textOf(text)))
}

test('warnings and tests that fail are findings, in the order of their lines', async () => {
  const { findings, rules, tests } = await checkRules(textOf(document))
  expect(
    findings.map(({ line, column, severity, code }) => [line, column, severity, code]),
  ).toEqual([[10, 5, 'error', 'SLUICE_RULES_TEST_FAILED']])
  expect(findings[0].message).toBe('test 2 fails: expected "applies" [share], got [all].')
  expect(findings[0].path).toBe('tests[1]')
  expect(rules?.name).toBe('shop')
  expect(tests.map(({ passed }) => passed)).toEqual([true, false])
})

test('a document with mistakes is not compiled, compared or tested', async () => {
  const wrong = document.replace('$points', '$pints')
  const check = await checkRules(textOf(wrong), { against: await ruleSet(document) })
  expect(check.findings.map(({ line, code, hint }) => [line, code, hint])).toEqual([
    [6, 'SLUICE_RULES_FIELD_UNKNOWN', 'points'],
  ])
  const { rules, tests, comparison } = check
  expect({ rules, tests, comparison }).toEqual({
    rules: undefined,
    tests: [],
    comparison: undefined,
  })
})

test('findings in files come after those of the document', async () => {
  const lists = 'lists: { a: { kind: address, file: a.txt }, b: { kind: address, entries: [x] } }\n'
  const { findings } = await checkRules(textOf(`${document}${lists}`, { 'a.txt': '\ny\n' }))
  expect(findings.map(({ line, path, code }) => [line, path, code])).toEqual([
    [11, 'lists.b.entries[0]', 'SLUICE_RULES_LIST_ENTRY'],
    [2, 'a.txt', 'SLUICE_RULES_LIST_ENTRY'],
  ])
})

test('another name is a warning at the name', async () => {
  const { findings } = await checkRules(textOf(document.replace('shop', 'store')), {
    against: await ruleSet(document),
  })
  expect(findings[0]).toMatchObject({
    severity: 'warning',
    line: 2,
    column: 1,
    code: 'SLUICE_RULES_NAME_CHANGED',
  })
})

test('rules are compared with those in use', async () => {
  const { comparison } = await checkRules(textOf(document.replace('limit: 10', 'limit: 20')), {
    against: await ruleSet(document),
  })
  expect(comparison).toEqual({
    added: [],
    removed: [],
    changed: [{ rule: 'all', members: ['limit'], words: 'limit 10 → 20' }],
    afresh: [],
    declarations: [],
  })
})

test('values, lists, schedules and settings are compared', async () => {
  const used = `version: 1
name: shop
zone: UTC
values: { user: string?, plan: [free, pro] }
lists:
  nets: { kind: address, file: nets.txt }
  words: { kind: text, entries: [bot, spider] }
  same: { kind: text, file: same.txt }
schedules: { night: { from: '22:00', to: '06:00' } }
rules:
  - { id: all, limit: 10, window: 1m, overrides: { of: user, entries: { ann: 1 } } }
  - { id: nets, when: { ip: { in: $nets } }, limit: 1, window: 1m }
`
  const text = used
    .replace('{ ann: 1 }', '{ ann: 2 }')
    .replace('zone: UTC', 'zone: Europe/Berlin\ncaseSensitive: true')
    .replace('plan: [free, pro]', 'plan: [free], level: integer')
    .replace('[bot, spider]', '[bot, crawler, wanderer]')
    .replace("to: '06:00'", "to: '07:00'")
  const files = {
    'nets.txt': '10.0.0.0/8\n192.0.2.1\n',
    'same.txt': 'a\nb\n',
  }
  const against = await compileRules(parseRules(textOf(used, files)))
  const { comparison } = await checkRules(textOf(text, files), { against })
  expect(comparison).toEqual({
    added: [],
    removed: [],
    changed: [
      {
        rule: 'all',
        members: ['overrides.entries.ann'],
        words: 'overrides.entries.ann 1 → 2',
      },
    ],
    afresh: [],
    declarations: [
      'values.plan: ["free","pro"] → ["free"]',
      'values.level: none → integer',
      'lists.words.entries: ["bot","spider"] → ["bot","crawler","wanderer"]',
      'schedules.night.to: 06:00 → 07:00',
      'zone: UTC → Europe/Berlin',
      'caseSensitive: none → true',
    ],
  })
  const unchanged = await checkRules(textOf(used, files), { against })
  expect(unchanged.comparison?.declarations).toEqual([])
  expect(unchanged.comparison?.changed).toEqual([])
})

test('tests without a time run at the given time', async () => {
  const night = `version: 1
name: night
schedules: { night: { from: '22:00', to: '06:00', zone: UTC } }
rules:
  - { id: night, when: { during: night }, limit: 1, window: 1m }
tests: [{ request: { path: /, ip: 203.0.113.9 }, applies: [night] }]
`
  const at = async (hour: number): Promise<boolean> => {
    const { tests } = await checkRules(textOf(night), { now: Date.UTC(2026, 0, 1, hour) })
    return tests[0].passed
  }
  expect([await at(23), await at(12)]).toEqual([true, false])
})

test('a test that expects nothing is a mistake', async () => {
  const { findings } = await checkRules(textOf(document.replace('\n    applies: [all]', '')))
  expect(findings.map(({ line, code, path }) => [line, code, path])).toEqual([
    [8, 'SLUICE_RULES_OPTION_INVALID', 'tests[0]'],
  ])
  expect(findings[0].message).toContain('a test with "applies", "refuses", "allows" or "tags"')
})

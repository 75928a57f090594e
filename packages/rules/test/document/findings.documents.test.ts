import { describe, expect, test } from 'vitest'
import { parseRules, RulesError } from '../../src/index.js'
import { findingsOf, head } from '../compiled.js'

const limit = 'limit: 1, window: 1m'

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

test('an alias after its anchor is valid', async () => {
  const rules = `  - { id: a, when: { path: &p /a }, ${limit} }\n  - { id: b, when: { path: *p }, ${limit} }`
  expect(await findingsOf(`${head}\nrules:\n${rules}`)).toEqual([])
  const [finding] = await findingsOf(
    `${head}\nrules:\n${rules}\n  - { id: c, when: { path: *q }, ${limit} }`,
  )
  expect(finding).toMatchObject({ line: 12, column: 28, code: 'SLUICE_RULES_SYNTAX' })
})

test('an alias of a part that contains it is refused', async () => {
  expect(await findingsOf(`${head}\nrules: &all [*all]`)).toMatchObject([
    {
      code: 'SLUICE_RULES_SYNTAX',
      message: 'this is not YAML: an alias repeats a part of the document that contains the alias.',
    },
  ])
})

test('a mistake in a part that an alias repeats has the position of that part', async () => {
  const text = `${head}
rules:
  - { id: a, when: &w { user: ann }, ${limit} }
  - { id: b, when: &v { plan: [free, prro] }, ${limit} }
  - { id: c, when: *v, ${limit} }`
  const findings = await findingsOf(text)
  expect(findings.map(({ line, column, path }) => [line, column, path])).toEqual([
    [11, 25, 'rules[1].when.plan'],
    [11, 25, 'rules[2].when.plan'],
  ])
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
    const valid = '{ "version": 1, "name": "a", "rules": [{ "id": "a", "then": "deny" }] }'
    expect([read(valid), read(`\uFEFF${valid}`)]).toEqual([[], []])
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
rules: [{ id: r, when: { ip: { in: $nets } }, limit: 1, window: 1m }]`,
    {
      files: {
        'nets.txt': '\uFEFF# nets\r\n10.0.0.0/8\r\n10.0.0/8 # wrong\r\n',
      },
    },
  )
  expect(findings.map(({ path, line, code }) => `${path}:${line} ${code}`)).toEqual([
    'nets.txt:3 SLUICE_RULES_LIST_ENTRY',
  ])
})

import { parseRules, type RulesDocument } from '@sluice/rules'
import { describe, expect, test } from 'vitest'
import { cut, readerOf } from '../log/lines.js'
import type { LogRecord } from '../../../src/simulate/log/record.js'
import { RecordFacts, type Table } from '../../../src/simulate/rules/facts.js'
import { missingFields } from '../../../src/simulate/rules/needed-fields.js'
import { tableOf } from '../../../src/simulate/rules/table.js'
import { combinedLine, start } from '../logs.js'

const table = tableOf('user,plan\nalice,pro\n7,free\n', 'user')

/** The fields that a combined log lacks for one rule. */
function missing(rule: string, values?: Table): readonly string[] {
  const text =
    'version: 1\nname: a\nvalues: { user: string?, plan: [free, pro], points: integer }\n' +
    `schedules: { night: { from: '22:00', to: '06:00', zone: UTC } }\nrules:\n  - { id: one, ${rule} }\n`
  const { document } = parseRules({ text, format: 'yaml', files: new Map() })
  const combined = readerOf('combined')
  return missingFields(document, { has: (field) => combined.has(field) }, values).map(
    ({ rule: id, field }) => `${id} ${field}`,
  )
}

const limit = 'limit: 1, window: 1m'

describe('missingFields', () => {
  test.each<readonly [string, readonly string[]]>([
    [`key: ip, ${limit}`, []],
    [`key: user, ${limit}`, []],
    [`key: [method, path, query.id], ${limit}`, []],
    [`key: header.user-agent, ${limit}`, []],
    [`key: header.x-key, ${limit}`, ['one header.x-key']],
    [`key: cookie.session, ${limit}`, ['one cookie.session']],
    [`key: host, ${limit}`, ['one host']],
    [`key: { first: [plan, header.x-key, ip] }, ${limit}`, []],
    [`key: { first: [ip, header.x-key] }, ${limit}`, ['one header.x-key']],
    [`when: { host: a.example }, key: ip, ${limit}`, ['one host']],
    [`when: { not: { header.x-key: a } }, key: ip, ${limit}`, ['one header.x-key']],
    [`when: { any: [{ path: /a }, { cookie.a: b }] }, key: ip, ${limit}`, ['one cookie.a']],
    [`when: { all: [{ route: /a }] }, key: ip, ${limit}`, ['one route']],
    [`when: { plan: free }, key: ip, ${limit}`, ['one plan']],
    [`key: ip, limit: { by: plan, free: 1, pro: 2 }, window: 1m`, ['one plan']],
    [`key: ip, limit: { by: schedule, night: 1, else: 2 }, window: 1m`, []],
    [`key: ip, ${limit}, cost: $points`, ['one points']],
    [`key: ip, limit: $points, window: 1m`, ['one points']],
    [`key: ip, ${limit}, cost: 2`, []],
    [`key: ip, ${limit}, overrides: { of: plan, entries: { pro: 5 } }`, ['one plan']],
    [
      `key: ip, ${limit}, overrides: { of: header.x-plan, entries: { big: 5 } }`,
      ['one header.x-plan'],
    ],
    [`key: ip, ${limit}, overrides: { of: header.User-Agent, entries: { big: 5 } }`, []],
    [
      `key: ip, policies: { a: { by: plan, free: { kind: unlimited }, else: { kind: unlimited } } }`,
      ['one plan'],
    ],
    [`${limit}, over: { deny: { body: { by: plan, of: user, cost: $points } } }`, []],
    [`key: header.x-key, ${limit}, enabled: false`, []],
    [`when: { path: /a, query.b: c }, then: deny`, []],
  ])('%s: %j', (rule, fields) => {
    expect(missing(rule)).toEqual(fields)
  })

  test('a rule without a key needs the address', () => {
    const { document } = parseRules({
      text: `version: 1\nname: a\nrules:\n  - { id: one, ${limit} }\n  - { id: two, when: { path: /a }, then: deny }\n`,
      format: 'yaml',
      files: new Map(),
    })
    const has = (field: string): boolean => field !== 'ip'
    expect(missingFields(document, { has }, undefined)).toEqual([{ rule: 'one', field: 'ip' }])
  })

  test('a column of a table is a value', () => {
    const rule = `when: { plan: free }, key: ip, ${limit}, cost: $points`
    expect(missing(rule, table)).toEqual(['one points'])
  })
})

const values: RulesDocument['values'] = {
  user: 'string?',
  plan: ['free', 'pro'],
  bytes: 'integer',
  points: 'number',
  isNew: 'boolean?',
  level: [1, 2],
  nothing: 'string?',
}
const document: RulesDocument = { version: 1, name: 'a', values, rules: [] }

describe('RecordFacts', () => {
  const line = combinedLine({ at: start, ip: '192.0.2.1' }).replace(' - - ', ' - alice ')
  const record = cut(readerOf('combined'), line)
  if (typeof record === 'string') throw new Error(record)

  /** A log whose lines have these fields. */
  const withFields = (fields: Readonly<Record<string, unknown>>): LogRecord => ({
    ...record,
    user: undefined,
    field: (name) => fields[name],
  })

  test('a value is that of the table, or of the field with its name', () => {
    const facts = new RecordFacts(record, document, table)
    expect(facts.value('plan')).toBe('pro')
    expect(facts.value('user')).toBe('alice')
    expect(facts.value('bytes')).toBe(123)
    expect(facts.value('nothing')).toBe(undefined)
    expect(new RecordFacts(record, document, undefined).value('plan')).toBe(undefined)
  })

  test('a row can be chosen by a number, and by a field of the log', () => {
    expect(new RecordFacts(withFields({ user: 7 }), document, table).value('plan')).toBe('free')
    expect(new RecordFacts(withFields({}), document, table).value('plan')).toBe(undefined)
  })

  test('the values of a table have their declared types', () => {
    const text =
      'user,points,isNew,level,nothing\nalice,2.5,true,2,\nbob,2,false,1,x\neve,many,yes,3,x\n'
    const rows = tableOf(text, 'user')
    const of = (user: string): unknown[] => {
      const facts = new RecordFacts({ ...record, user }, document, rows)
      return ['points', 'isNew', 'level', 'nothing'].map((name) => facts.value(name))
    }
    expect(of('alice')).toEqual([2.5, true, 2, undefined])
    expect(of('bob')).toEqual([2, false, 1, 'x'])
    expect(() => of('eve')).toThrow('the value "points" is "many"')
  })

  test('the fields of a log have their declared types', () => {
    const fields = { user: 7, bytes: '12', points: 1, isNew: 'true', level: '1', plan: 'pro' }
    const facts = new RecordFacts(withFields(fields), document, undefined)
    const found = Object.keys(fields).map((name) => facts.value(name))
    expect(found).toEqual(['7', 12, 1, true, 1, 'pro'])
  })
})

import { describe, expect, test } from 'vitest'
import type { Facts, RuleSet } from '../../src/index.js'
import { compiled, compiledRules, factsOf, now } from '../compiled.js'

const limit = 'limit: 1, window: 1m'

const document = `version: 1
name: test
values: { user: string, plan: [free, pro], level: integer?, isNew: boolean?, score: number? }
rules:
  - { id: partner, when: { ip: 10.0.0.0/8 }, then: allow }
  - { id: a, when: { method: POST, plan: pro }, key: user, ${limit} }
  - { id: b, when: { level: 3 }, ${limit} }`

interface Counted {
  readonly facts: Facts
  readonly reads: string[]
}

function counted(values: Readonly<Record<string, unknown>>, facts: Partial<Facts> = {}): Counted {
  const reads: string[] = []
  const value = (name: string): unknown => {
    reads.push(name)
    return values[name]
  }
  return { facts: { method: 'POST', url: '/', ip: '203.0.113.9', ...facts, value }, reads }
}

const outcomeOf = async (rules: RuleSet, facts: Facts): Promise<unknown> => {
  try {
    const judgement = await rules.judge(facts, now)
    return judgement.type === 'ask'
      ? judgement.enforced.flatMap((call) => Object.keys(call.policies))
      : judgement.type
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error
  }
}

describe('a value', () => {
  test('is read at most once, and not at all if an exemption ends the search first', async () => {
    const rules = await compiled(document)
    const request = counted({ user: 'ann', plan: 'pro', level: 3 })
    expect(await outcomeOf(rules, request.facts)).toEqual(['a', 'b'])
    expect(request.reads.toSorted()).toEqual(['level', 'plan', 'user'])
    const partner = counted({}, { ip: '10.0.0.1' })
    expect(await outcomeOf(rules, partner.facts)).toBe('pass')
    expect(partner.reads).toEqual([])
  })

  test.each<readonly [string, Readonly<Record<string, unknown>>, unknown]>([
    ['that is required and absent', { user: 'ann' }, 'SLUICE_RULES_VALUE_MISSING'],
    ['that is required and null', { user: 'ann', plan: null }, 'SLUICE_RULES_VALUE_MISSING'],
    ['that is required and empty', { user: '', plan: 'pro' }, 'SLUICE_RULES_VALUE_MISSING'],
    ['that is none of its words', { user: 'ann', plan: 'gold' }, 'SLUICE_RULES_VALUE_INVALID'],
    ['of another type', { user: 7, plan: 'pro' }, 'SLUICE_RULES_VALUE_INVALID'],
    [
      'that is no whole number',
      { user: 'ann', plan: 'free', level: 1.5 },
      'SLUICE_RULES_VALUE_INVALID',
    ],
    [
      'that is a number as a text',
      { user: 'ann', plan: 'free', level: '3' },
      'SLUICE_RULES_VALUE_INVALID',
    ],
    ['that is an id object', { user: new Date(), plan: 'pro' }, 'SLUICE_KEY_OBJECT'],
    ['that is a bigint', { user: 7n, plan: 'pro', level: 3n }, ['a', 'b']],
    ['that is not needed', { plan: 'free' }, 'pass'],
    ['that is optional and absent', { user: 'ann', plan: 'pro' }, ['a']],
  ])('%s', async (_what, values, expected) => {
    const rules = await compiled(document)
    expect(await outcomeOf(rules, counted(values).facts)).toEqual(expected)
  })

  test.each([Infinity, -Infinity, NaN])('that is %s is no number', async (score) => {
    const rules = await compiled(document.replace('level: 3', 'score: 3'))
    const { facts } = counted({ user: 'ann', plan: 'free', score })
    expect(await outcomeOf(rules, facts)).toBe('SLUICE_RULES_VALUE_INVALID')
  })

  test('that is wrong is not an error if the method already excludes the rule', async () => {
    const rules = await compiled(document)
    expect(await outcomeOf(rules, counted({ plan: 'gold' }, { method: 'GET' }).facts)).toBe('pass')
  })

  test('of a function that throws is the error of the request, and counts as one of the rule', async () => {
    const rules = await compiled(document)
    const facts = {
      ...counted({}).facts,
      value: () => {
        throw new RangeError('no database')
      },
    }
    expect(await outcomeOf(rules, facts)).toEqual(new RangeError('no database'))
    expect(rules.stats.get('a')?.errors).toBe(1)
  })
})

describe('a promise of a value', () => {
  const later = (values: Readonly<Record<string, unknown>>) => {
    const reads: string[] = []
    const facts: Facts = {
      ...counted({}).facts,
      value: (name) => {
        reads.push(name)
        return Promise.resolve(values[name])
      },
    }
    return { facts, reads }
  }

  test('is awaited, and read once', async () => {
    const rules = await compiled(document)
    const { facts, reads } = later({ user: 'ann', plan: 'pro', level: 3 })
    const judgement = rules.judge(facts, now)
    expect(judgement).toBeInstanceOf(Promise)
    expect(await judgement).toMatchObject({
      enforced: [{ keys: { a: ['user', 'ann'], b: 'ip:203.0.113.9' } }],
    })
    expect(reads.toSorted()).toEqual(['level', 'plan', 'user'])
    expect(
      [...rules.stats.values()].map(({ matched, asked, errors }) => [matched, asked, errors]),
    ).toEqual([
      [0, 0, 0],
      [1, 1, 0],
      [1, 1, 0],
    ])
  })

  test('that is wrong is the error of the request', async () => {
    const rules = await compiled(document)
    expect(await outcomeOf(rules, later({ user: 'ann', plan: 'gold' }).facts)).toBe(
      'SLUICE_RULES_VALUE_INVALID',
    )
    expect(await outcomeOf(rules, later({ plan: 'pro' }).facts)).toBe('SLUICE_RULES_VALUE_MISSING')
  })

  test('that rejects is the error of the request, if a rule needs the value', async () => {
    const rules = await compiled(document)
    const facts = (method: string): Facts => ({
      ...counted({}, { method }).facts,
      value: (name) => (name === 'level' ? undefined : Promise.reject(new RangeError('gone'))),
    })
    expect(await outcomeOf(rules, facts('POST'))).toEqual(new RangeError('gone'))
    expect(await outcomeOf(rules, facts('GET'))).toBe('pass')
  })

  test('is not read if no rule needs it: the judgement is not a promise', async () => {
    const rules = await compiledRules(`  - { id: a, ${limit} }`)
    expect(rules.judge(factsOf({}), now)).toMatchObject({ type: 'ask' })
  })
})

test('each getter of the facts is read at most once', async () => {
  const rules = await compiledRules(`
  - { id: a, when: { path: '/a/**', method: GET, query.q: x, host: h }, ${limit} }
  - { id: b, when: { path: '/a/:id', method: GET, param.id: b, route: r }, key: [ip, path], ${limit} }
  - { id: c, when: { query.q: x, header.x: '1' }, key: [header.x, ip], ${limit} }`)
  const reads: Record<string, number> = {}
  const read = <T>(name: string, value: T): T => {
    reads[name] = (reads[name] ?? 0) + 1
    return value
  }
  const facts: Facts = {
    get method() {
      return read('method', 'GET')
    },
    get url() {
      return read('url', '/a/b?q=x')
    },
    get route() {
      return read('route', 'r')
    },
    get host() {
      return read('host', 'h')
    },
    get ip() {
      return read('ip', '203.0.113.9')
    },
    header: (name) => read(name, '1'),
  }
  expect(rules.judge(facts, now)).toMatchObject({ type: 'ask', enforced: [{ cost: 1 }] })
  expect(reads).toEqual({ method: 1, url: 1, route: 1, host: 1, ip: 1, x: 1 })
})

test.each([
  [
    'plan: [free, pro]',
    'limit: { by: plan, free: 1, else: 2 }',
    'declare it as { oneOf: [free, pro], optional: true }.',
  ],
  ['plan: integer', 'limit: { by: plan, 1: 1, else: 2 }', 'declare it as "integer?".'],
  ['plan: integer?', 'limit: 1, cost: $plan', '"when: { plan: { present: true } }".'],
])(
  'the error of an absent value has the remedy of its declaration: %s',
  async (values, rule, remedy) => {
    const rules = await compiled(
      `version: 1\nname: test\nvalues: { ${values} }\nrules:\n  - { id: r, window: 1m, ${rule} }`,
    )
    expect(() => rules.judge(factsOf({ values: { plan: undefined } }), 0)).toThrow(remedy)
  },
)

import { describe, expect, test } from 'vitest'
import { asked, compiledRules, judged, type TestFacts } from '../../compiled.js'

test.each([
  ['/?q=a', 'a'],
  ['/?p=1&%71=a', 'a'],
  ['/?q=', undefined],
  ['/?q=&q=', undefined],
  ['/?qq=a&[qq]=a', undefined],
  ['/??x=1&q=a', 'a'],
  [`/?${'&'.repeat(999)}q=a`, 'a'],
])('the parameter q of %s counts as %s', async (url, key) => {
  const rules = await compiledRules(`  - { id: r, key: query.q, limit: 1, window: 1m }`)
  expect(rules.judge({ url }, 0)).toMatchObject(
    key === undefined ? { type: 'pass' } : { enforced: [{ keys: ['query.q', key] }] },
  )
})

const several: readonly (readonly [string, string, TestFacts])[] = [
  ...[
    '/?q=a&q=1',
    '/?q=a&q=a',
    '/?q=a&q=',
    // Express reads a list, others no such parameter.
    '/?q[]=a',
    '/?[q]=a',
    '/?[q][x]=a',
    '/?q=a&q[]=1',
    // Fastify reads a query behind the hash.
    '/?q=a#1',
    '/?q=a#&q=1',
    '/#q=a',
    // Koa 3 ignores a second question mark.
    '/??q=a',
    // Some parsers read the first 1,000 parameters.
    `/?${'&'.repeat(1000)}q=a`,
    `/?q=a${'&'.repeat(1000)}q=1`,
  ].map((url) => [url.replace(/&{1000}/, '&…&'), 'query.q', { url }] as const),
  ['two cookies', 'cookie.c', { cookies: { c: ['a', 'b'] } }],
  ['a cookie that not every parser finds', 'cookie.c', { cookies: { c: ['', 'a'] } }],
]

describe.each(several)('a request with %s', (_what, field, facts) => {
  const repeated = {
    code: 'SLUICE_RULES_VALUE_INVALID',
    status: 400,
    message: `the value "${field}" is a list. It has to be a single value that all frameworks read in the same way.`,
  }

  test.each([
    `key: ${field}, limit: 1`,
    `key: [ip, ${field}], limit: 1`,
    `key: { first: [${field}, ip] }, limit: 1`,
    `key: [], limit: 1, overrides: { of: ${field}, entries: { a: 9 } }`,
  ])('is an error of the request for a rule with %s', async (members) => {
    const enforced = await compiledRules(`  - { id: r, ${members}, window: 1m }`)
    expect(() => judged(enforced, facts)).toThrow(expect.objectContaining(repeated))
    const shadow = await compiledRules(`  - { id: r, ${members}, window: 1m, shadow: true }`)
    expect(judged(shadow, facts)).toMatchObject({ type: 'pass' })
    expect(shadow.stats.get('r')?.errors).toBe(1)
  })

  test('has no exemption for the parameter, and every limit for one of its values', async () => {
    for (const when of [
      `${field}: a`,
      `${field}: { not: b }`,
      `${field}: { present: true }`,
      `${field}: { present: false }`,
      `not: { ${field}: { present: true } }`,
      `not: { ${field}: { present: false } }`,
      `any: [{ ${field}: { contains: a } }]`,
    ]) {
      const rules = await compiledRules(`
  - { id: free, when: { ${when} }, then: allow }
  - { id: present, when: { ${field}: { present: true } }, key: [], limit: 1, window: 1m }
  - { id: others, when: { not: { ${field}: { prefix: a } } }, key: [], limit: 1, window: 1m }
  - { id: r, when: { ${field}: { prefix: a } }, key: [], limit: 1, window: 1m }`)
      expect([when, asked(rules, facts)]).toEqual([when, ['present', 'others', 'r']])
    }
  })
})

test.each([
  ['/?q=a&q=b', []],
  ['/', ['absent']],
  ['/?q=a', []],
  ['/?q[]=a', ['absent']],
  ['/#q=a', ['absent']],
  ['/?q=a&q=', ['absent']],
])('a limit for requests without the parameter q applies to %s: %j', async (url, expected) => {
  const rules = await compiledRules(`
  - { id: absent, when: { query.q: { present: false } }, key: [], limit: 1, window: 1m }
  - { id: r, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { url })).toEqual([...expected, 'r'])
})

test('an exemption of requests without a path does not apply to a path in an unusual spelling', async () => {
  const rules = await compiledRules(`
  - { id: jobs, when: { path: { present: false } }, then: allow }
  - { id: r, key: [], limit: 1, window: 1m }`)
  expect(asked(rules, { url: '' })).toEqual(['pass'])
  expect([asked(rules, { url: '/a' }), asked(rules, { url: '//A' })]).toEqual([['r'], ['r']])
})

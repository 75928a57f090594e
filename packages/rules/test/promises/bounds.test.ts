import { describe, expect, test } from 'vitest'
import { compileRules, parsedOf, parseRules, RulesError } from '../../src/index.js'
import { compiledRules, findingsOf, head } from '../compiled.js'

/** The code of the first mistake. */
function refusal(text: string, format: 'yaml' | 'json' = 'yaml'): string | undefined {
  try {
    parseRules({ text, format, files: new Map() })
  } catch (error) {
    if (error instanceof RulesError) return error.findings?.[0]?.code
    throw error
  }
  return undefined
}

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x]',
  ...'bcdefghi'
    .split('')
    .map((name, i) => `${name}: &${name} [${`*${'abcdefgh'[i]}, `.repeat(8)}*${'abcdefgh'[i]}]`),
].join('\n')

describe('a hostile text is refused', () => {
  const json = 'json' as const
  const yaml = 'yaml' as const
  test.each<readonly [string, string, string, typeof json | typeof yaml]>([
    ['aliases that multiply', bomb, 'SYNTAX', yaml],
    ['more than 10 MB', `# ${'x'.repeat(10 * 1024 * 1024)}`, 'TOO_LARGE', yaml],
    ['64 nested lists', `rules: ${'['.repeat(64)}${']'.repeat(64)}`, 'TOO_LARGE', yaml],
    ['ten million brackets', '['.repeat(10_000_000), 'TOO_LARGE', yaml],
    ['64 nested objects', `rules: ${'{ a: '.repeat(64)}1${' }'.repeat(64)}`, 'TOO_LARGE', yaml],
    [
      '64 nested blocks',
      Array.from({ length: 70 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      'TOO_LARGE',
      yaml,
    ],
    ['compact nested lists', `${'- '.repeat(70)}a`, 'TOO_LARGE', yaml],
    ['nested JSON', `${'{"a":['.repeat(50)}${']}'.repeat(50)}`, 'TOO_LARGE', json],
    [
      'a tag that runs code',
      'version: !!js/function "() => 1"\nname: a\nrules: [{ id: a, then: deny }]',
      'OPTION_INVALID',
      yaml,
    ],
  ])('%s', (_what, text, code, format) => {
    expect(refusal(text, format)).toBe(`SLUICE_RULES_${code}`)
  })
})

test('more than 10,000 rules are refused', () => {
  const rules = Array.from({ length: 10_001 }, (_, i) => ({ id: `r${i}`, then: 'deny' as const }))
  expect(() => parsedOf({ version: 1, name: 'a', rules })).toThrow(
    'too many rules: 10001; at most 10,000',
  )
  expect(() => parsedOf({ version: 1, name: 'a', rules: rules.slice(1) })).not.toThrow()
})

test('a text of exactly 10 MB is accepted', () => {
  const rules = 'version: 1\nname: a\nrules: [{ id: a, then: deny }]\n# '
  expect(refusal(rules.padEnd(10 * 1024 * 1024, 'x'))).toBeUndefined()
})

describe('a list', () => {
  const compileWith = async (entries: string) => {
    const document = {
      version: 1,
      name: 'a',
      lists: { l: { kind: 'text', file: 'l.txt' } },
      rules: [{ id: 'a', when: { ip: '10.0.0.1' }, then: 'deny' }],
    } as const
    return compileRules(parsedOf(document, new Map([['l.txt', entries]])))
  }

  test('of more than a million entries is refused', async () => {
    const million = 'entry\n'.repeat(1_000_000)
    await compileWith(million)
    await expect(compileWith(`${million}one more`)).rejects.toMatchObject({
      findings: [{ code: 'SLUICE_RULES_TOO_LARGE', path: 'lists.l' }],
    })
  })
})

test('predicates nest eight levels', async () => {
  const nested = (levels: number) => `${'{ not: '.repeat(levels)}{ user: a }${' }'.repeat(levels)}`
  const findings = (levels: number) =>
    findingsOf(`${head}\nrules:\n  - { id: r, when: ${nested(levels)}, limit: 1, window: 1m }`)
  expect(await findings(7)).toEqual([])
  expect(await findings(8)).toMatchObject([{ code: 'SLUICE_RULES_TOO_LARGE' }])
})

test('32 rules may apply to one request, and shadow rules do not count', async () => {
  const rules = (count: number, more = '') =>
    compiledRules(
      Array.from(
        { length: count },
        (_, i) => `  - { id: r${i}, when: { user: a }, limit: 1, window: 1m${more} }`,
      ).join('\n'),
    )
  const facts = { ip: '203.0.113.9', value: (name: string) => (name === 'user' ? 'a' : 'free') }
  expect((await rules(32)).judge(facts, 0)).toMatchObject({ type: 'ask' })
  const many = await rules(33)
  expect(() => many.judge(facts, 0)).toThrow(
    expect.objectContaining({ code: 'SLUICE_RULES_TOO_MANY' }),
  )
  expect(many.stats.get('r32')?.errors).toBe(1)
  // A client did not cause it,
  expect(() => many.judge(facts, 0)).toThrow(expect.not.objectContaining({ status: 400 }))
  // unless it sent a parameter several times.
  const byParameter = await compiledRules(
    Array.from(
      { length: 33 },
      (_, i) => `  - { id: r${i}, when: { query.t: t${i} }, limit: 1, window: 1m }`,
    ).join('\n'),
  )
  const url = `/?${Array.from({ length: 33 }, (_, i) => `t=t${i}`).join('&')}`
  expect(() => byParameter.judge({ ...facts, url }, 0)).toThrow(
    expect.objectContaining({ code: 'SLUICE_RULES_TOO_MANY', status: 400 }),
  )
  expect((await rules(40, ', shadow: true')).judge(facts, 0)).toMatchObject({
    type: 'ask',
    enforced: [],
  })
})

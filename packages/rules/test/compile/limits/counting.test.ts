import { expect, test } from 'vitest'
import type { AppliedRule } from '@sluice/rules/internal'
import { compiledRules, findingsOf, head, judged } from '../../compiled.js'

const limit = 'limit: 5, window: 1m'

/** The rules of each check that can deny a request, in the order in which they are made. */
async function checksOf(rules: string): Promise<readonly (readonly string[])[]> {
  const judgement = judged(await compiledRules(rules), {})
  if (judgement.type !== 'ask') throw new Error(`the judgement is "${judgement.type}"`)
  return judgement.enforced.map(({ rules: of }) => Array.from(of.values(), ({ rule }) => rule))
}

test.each<[string, Partial<AppliedRule>]>([
  ['successes', { counts: 'successes' }],
  ['{ when: failures }', { counts: 'failures' }],
  ['{ status: 404 }', { counts: [404] }],
  ['{ status: [401, 404], reserve: true, denied: false }', { counts: [401, 404] }],
  ['{ status: 404, reserve: false }', { counts: [404], reserves: false }],
  ['{ when: all, denied: true }', { counts: 'all', countsDenied: true }],
])('counts: %s', async (counts, expected) => {
  const judgement = judged(await compiledRules(`  - { id: a, counts: ${counts}, ${limit} }`), {})
  const [check] = judgement.type === 'ask' ? judgement.enforced : []
  const outcome = { type: 'deny', status: 429 }
  expect(check.rules.get('a')).toEqual({ rule: 'a', outcome, resetOnSuccess: false, ...expected })
})

test('rules that count attempts or after the response are decided by themselves, before all others', async () => {
  expect(
    await checksOf(`
  - { id: a, ${limit} }
  - { id: scans, counts: { status: 404, reserve: false }, ${limit} }
  - { id: b, counts: failures, ${limit} }
  - { id: tries, counts: { when: all, denied: true }, ${limit} }`),
  ).toEqual([['scans'], ['tries'], ['a', 'b']])
})

test.each([
  ['{ status: 404, when: failures }', limit, 'SLUICE_RULES_OPTION_INVALID'],
  ['{ denied: true }', limit, 'SLUICE_RULES_OPTION_INVALID'],
  ['failures', blocked(`on: exceeded`), 'SLUICE_RULES_OPTIONS_CONFLICT'],
  ['{ status: 401 }', blocked(`on: exceeded`), 'SLUICE_RULES_OPTIONS_CONFLICT'],
  [
    '{ status: 401, reserve: false }',
    `over: { delay: 1s }, ${limit}`,
    'SLUICE_RULES_OPTIONS_CONFLICT',
  ],
  [
    '{ status: 401, reserve: false }',
    'policy: { kind: concurrency, limit: 1, lease: 1m }',
    'SLUICE_RULES_OPTIONS_CONFLICT',
  ],
])('counts: %s with %s is refused', async (counts, members, code) => {
  const found = await findingsOf(`${head}\nrules:\n  - { id: a, counts: ${counts}, ${members} }`)
  expect(found.map((finding) => finding.code)).toEqual([code])
})

test('a block of requests over the limit fits units that no request holds', async () => {
  const counts = '{ status: 401, reserve: false }'
  expect(await checksOf(`  - { id: a, counts: ${counts}, ${blocked('on: exceeded')} }`)).toEqual([
    ['a'],
  ])
})

test('rules that share a count are decided together, or each by itself', async () => {
  const found = await findingsOf(`${head}\nrules:\n
  - { id: a, count: c, ${limit} }
  - { id: b, count: c, counts: { status: 404, reserve: false }, ${limit} }`)
  expect(found.map((finding) => finding.code)).toEqual(['SLUICE_RULES_COUNT'])
})

function blocked(on: string): string {
  return `policy: { kind: fixedWindow, limit: 5, window: 1m, block: { for: 1h, ${on} } }`
}

import { expect, test } from 'vitest'
import type { AppliedRule } from '@sluice/rules/internal'
import { compiledRules, findingsOf, head, judged } from '../compiled.js'

/** The names of policies in responses to a request to which all rules apply. */
async function publicNames(rules: string): Promise<Readonly<Record<string, unknown>>> {
  const judgement = judged(await compiledRules(rules), {})
  if (judgement.type !== 'ask') throw new Error(`the judgement is "${judgement.type}"`)
  const applied: [string, AppliedRule][] = []
  for (const { rules: of } of judgement.enforced) applied.push(...of)
  return Object.fromEntries(applied.map(([policy, { publicName }]) => [policy, publicName]))
}

test('responses contain "limit" instead of an id that is not public', async () => {
  expect(
    await publicNames(`
  - { id: acme, limit: 5, window: 1m, expose: false }
  - { id: all, limit: 9, window: 1m, expose: true }`),
  ).toEqual({ acme: 'limit', all: undefined })
})

test('several such policies of a document are numbered in its order, also those of one rule', async () => {
  const fixed = (limit: number) => `{ kind: fixedWindow, limit: ${limit}, window: 1m }`
  expect(
    await publicNames(`
  - { id: acme, limit: 5, window: 1m, expose: false }
  - { id: all, limit: 9, window: 1m }
  - { id: initech, policies: { a: ${fixed(1)}, b: ${fixed(2)} }, expose: false }
  - { id: shared, count: acme, limit: 5, window: 1m, expose: false }
  - { id: hooli, limit: 3, window: 1m, cost: 2, expose: false }`),
  ).toEqual({
    acme: 'limit',
    all: undefined,
    'initech.a': 'limit-2',
    'initech.b': 'limit-3',
    hooli: 'limit-4',
  })
})

test('a policy has the same public name in all responses', async () => {
  expect(
    await publicNames(`
  - { id: other, when: { user: nobody }, limit: 5, window: 1m, expose: false }
  - { id: acme, limit: 5, window: 1m, expose: false }`),
  ).toEqual({ acme: 'limit-2' })
})

test('a public name is not that of another rule', async () => {
  expect(
    await publicNames(`
  - { id: acme, limit: 5, window: 1m, expose: false }
  - { id: initech, limit: 6, window: 1m, expose: false }
  - { id: limit, limit: 7, window: 1m }
  - { id: limit-3, limit: 8, window: 1m }`),
  ).toEqual({ acme: 'limit-2', initech: 'limit-4', limit: undefined, 'limit-3': undefined })
})

test('a rule without a limit needs no public name', async () => {
  const rules = 'rules:\n  - { id: a, then: deny, expose: false }'
  expect(await findingsOf(`${head}\n${rules}`)).toMatchObject([
    { code: 'SLUICE_RULES_OPTIONS_CONFLICT', path: 'rules[0].expose' },
  ])
})

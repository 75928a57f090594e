import { expect } from 'vitest'
import {
  compileRules,
  parsedOf,
  RulesError,
  type RuleMatch,
  type RuleSet,
} from '../../src/index.js'
import { interpret, type Verdict } from './interpreter.js'
import { Random, randomDocument, randomRequest } from './random.js'

const requestsPerDocument = 100

/** Compares the judgements of random documents about random requests with a walk through the list. A document is that of its seed. */
export async function expectSameJudgements(seeds: readonly number[]): Promise<void> {
  let applied = 0
  let refused = 0
  let failed = 0
  for (const seed of seeds) {
    const random = new Random(seed)
    const document = randomDocument(random, `random-${seed}`)
    const rules = await compileRules(parsedOf(document))
    for (let i = 0; i < requestsPerDocument; i++) {
      const { truth, facts } = randomRequest(random)
      const expected = interpret(document, truth)
      const actual = verdictOf(rules, facts)
      if (JSON.stringify(actual) !== JSON.stringify(expected)) {
        expect({ seed, document, truth, url: facts.url, verdict: actual }).toEqual({
          seed,
          document,
          truth,
          url: facts.url,
          verdict: expected,
        })
      }
      applied += expected.applied.length
      if (expected.refusedBy !== undefined) refused++
      if (expected.failedBy !== undefined) failed++
    }
  }
  // If the random rules never matched the random requests, the comparison would prove nothing.
  const cases = seeds.length * requestsPerDocument
  expect(applied).toBeGreaterThan(cases / 2)
  expect(refused).toBeGreaterThan(cases / 50)
  expect(failed).toBeGreaterThan(cases / 50)
}

function verdictOf(rules: RuleSet, facts: Parameters<RuleSet['judge']>[0]): Verdict {
  const before = errorsOf(rules)
  try {
    const judgement = rules.judge(facts, 0)
    if (judgement instanceof Promise) throw new Error('Nothing in these documents is a promise.')
    return readVerdict(judgement as RuleMatch, rules)
  } catch (error) {
    if (!(error instanceof RulesError) || error.code !== 'SLUICE_RULES_VALUE_INVALID') throw error
    const failed = errorsOf(rules).findIndex((errors, i) => errors > before[i])
    return { failedBy: rules.document.rules[failed].id, tags: [], applied: [] }
  }
}

function errorsOf({ stats }: RuleSet): readonly number[] {
  return [...stats.values()].map(({ errors }) => errors)
}

function readVerdict(judgement: RuleMatch, { document }: RuleSet): Verdict {
  if (judgement.type === 'refuse')
    return { refusedBy: judgement.rule, tags: judgement.tags, applied: [] }
  if (judgement.type === 'pass') return { tags: judgement.tags, applied: [] }
  const { enforced, tagging, shadow, tags } = judgement
  const applied = Object.entries({ enforced, tagging, shadow }).flatMap(([role, consumptions]) =>
    consumptions.flatMap(({ rules, keys, cost }) =>
      [...rules].map(([name, { rule }]) => {
        const key = rules.size > 1 ? (keys as Record<string, unknown>)[name] : keys
        const units = typeof cost === 'number' ? cost : cost[name]
        return [rule, `${rule} ${role} ${JSON.stringify(key)} ${units}`] as const
      }),
    ),
  )
  const order = document.rules.map(({ id }) => id)
  return {
    tags,
    applied: applied
      .toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
      .map(([, words]) => words),
  }
}

import { runs } from '@sluice/test-kit/random'
import { describe, expect, test } from 'vitest'
import { mostApplied, walk } from '../../src/compile/walk.js'
import type { CompiledRule } from '../../src/compile/rule.js'
import { Candidates } from '../../src/match/candidates.js'
import { Request } from '../../src/match/reading.js'
import { type Facts, type RulesDocument, parsedOf } from '../../src/index.js'
import { Random, randomDocument, randomRequest } from '../naive/random.js'

type Search = (request: Request) => () => CompiledRule | undefined

interface Indexed {
  readonly rules: readonly CompiledRule[]
  requestOf(facts: Facts): Request
  /** The search among the enforced rules, or among the shadow rules. */
  search(shadow: boolean): Search
}

function indexed(document: RulesDocument): Indexed {
  const { rules: all, vocabulary } = parsedOf(document)
  const { fields, patterns } = vocabulary
  const rules = all.filter(({ enabled }) => enabled)
  const [enforced, inShadow] = [false, true].map(
    (shadow) => new Candidates(rules.filter((rule) => rule.shadow === shadow)),
  )
  return {
    rules,
    requestOf: (facts) => new Request(facts, 0, patterns, fields.slots),
    search: (shadow) => (request) => (shadow ? inShadow : enforced).of(request),
  }
}

/** The candidates of a request, of which all values are known. */
async function candidatesOf(
  { search, requestOf, rules }: Indexed,
  facts: Facts,
): Promise<string[]> {
  const request = requestOf(facts)
  await request.ask(rules.flatMap(({ values }) => values))
  const next = search(false)(request)
  const ids: string[] = []
  for (let rule = next(); rule !== undefined; rule = next()) ids.push(rule.id)
  return ids
}

describe('the number of candidate rules', () => {
  const limit = { limit: 1, window: '1m' }
  const many = (rule: (i: number) => Partial<RulesDocument['rules'][number]>): RulesDocument => ({
    version: 1,
    name: 'many',
    values: { action: 'string', plan: ['free', 'pro'], level: 'integer' },
    rules: Array.from({ length: 1000 }, (_, i) => ({ id: `r${i}`, ...limit, ...rule(i) })),
  })
  const values =
    (given: Readonly<Record<string, unknown>>): ((name: string) => unknown) =>
    (name) =>
      given[name]

  test.each<readonly [string, RulesDocument, Facts, readonly string[]]>([
    [
      'an action',
      many((i) => ({ when: { method: 'POST', action: `a${i}` } })),
      { method: 'POST', value: values({ action: 'a77' }) },
      ['r77'],
    ],
    [
      'an action among several',
      many((i) => ({ when: { action: [`a${i}`, `b${i}`] } })),
      { value: values({ action: 'b77' }) },
      ['r77'],
    ],
    [
      'a path beside a plan that many share',
      many((i) => ({ when: { plan: 'pro', path: `/v${i}/**` } })),
      { url: '/V77/x', value: values({ plan: 'pro' }) },
      ['r77'],
    ],
    [
      'a path of an exemption',
      {
        ...many((i) => ({ when: { path: `/v${i}` } })),
        rules: many(() => ({})).rules.map(({ id }, i) => ({
          id,
          when: { path: `/v${i}` },
          then: 'allow' as const,
        })),
      },
      { url: '/v77' },
      ['r77'],
    ],
    [
      'an address',
      many((i) => ({ when: { ip: `10.${i >> 8}.${i & 255}.0/24` } })),
      { ip: '10.0.77.9' },
      ['r77'],
    ],
    [
      'a range within a range',
      many((i) => ({ when: { ip: i === 5 ? '10.0.0.0/8' : `10.${i >> 8}.${i & 255}.0/24` } })),
      { ip: '10.0.77.9' },
      ['r5', 'r77'],
    ],
    ['a header', many((i) => ({ when: { 'header.x': `${i}` } })), { header: () => '77' }, ['r77']],
    ['a number', many((i) => ({ when: { level: i } })), { value: values({ level: 77 }) }, ['r77']],
    [
      'a number as a text',
      many((i) => ({ when: { 'query.page': i } })),
      { url: '/?page=77' },
      ['r77'],
    ],
  ])('is one in 1,000 for %s', async (_what, document, facts, expected) => {
    expect(await candidatesOf(indexed(document), facts)).toEqual(expected)
  })
})

test(
  'a search through the index has the same result as one through all rules, including errors and promises',
  { timeout: 120_000 },
  async () => {
    const wrong: readonly unknown[] = [
      undefined,
      null,
      '',
      'gold',
      7,
      true,
      new RangeError('thrown'),
      'free',
      'pro',
      'a',
    ]
    const documents = runs(150)
    let errors = 0
    let waits = 0
    for (let seed = 1; seed <= documents; seed++) {
      const random = new Random(seed)
      const set = indexed(randomDocument(random, 'random'))
      for (let i = 0; i < 40; i++) {
        const { facts: usual } = randomRequest(random)
        const given = new Map<string, unknown>()
        for (const name of ['user', 'plan', 'level', 'score', 'isNew', 'points']) {
          given.set(name, random.chance(0.3) ? random.one(wrong) : usual.value?.(name))
        }
        const late = random.chance(0.3)
        const facts: Facts = {
          ...usual,
          ip: random.chance(0.05) ? undefined : usual.ip,
          value(name) {
            const value = given.get(name)
            if (late) return value instanceof Error ? Promise.reject(value) : Promise.resolve(value)
            if (value instanceof Error) throw value
            return value
          },
        }
        const through = await ending(set, facts, set.search)
        const all = await ending(set, facts, (shadow) => () => {
          const rules = set.rules.filter((rule) => rule.shadow === shadow).values()
          return () => rules.next().value
        })
        expect({ seed, i, ...through }).toEqual({ seed, i, ...all })
        if ('error' in all) errors++
        if (late) waits++
      }
    }
    expect(errors).toBeGreaterThan(3 * documents)
    expect(waits).toBeGreaterThan(3 * documents)
    expect(mostApplied).toBe(32)
  },
)

type Ending =
  | { readonly error: unknown; readonly at: string | undefined }
  | {
      readonly endedBy: string | undefined
      readonly applied: readonly string[]
      readonly tags: readonly string[]
      readonly failed: readonly string[]
    }

async function ending(
  { requestOf }: Indexed,
  facts: Facts,
  search: Indexed['search'],
): Promise<Ending> {
  const request = requestOf(facts)
  let at: string | undefined
  const failed: string[] = []
  try {
    const walked = await walk(search(false)(request), request, (rule) => {
      at = rule.id
    })
    const { endedBy, tags } = walked
    const fail = (rule: CompiledRule): void => void failed.push(rule.id)
    const shadow = await walk(search(true)(request), request, fail, walked)
    const applied = [...walked.applied, ...shadow.applied]
    return {
      endedBy: endedBy?.id,
      applied: applied.map(({ rule, cost, key }) => `${rule.id} ${cost} ${JSON.stringify(key)}`),
      tags,
      failed,
    }
  } catch (error) {
    return { error: error instanceof Error ? error.message : error, at }
  }
}

import { describe, expect, test } from 'vitest'
import { createRuleLimiter, loadRules, staticSource } from '../../src/index.js'
import { compareRules } from '../../src/check/index.js'
import { compiled } from '../compiled.js'

const head = 'version: 1\nname: a\nvalues: { plan: [free, pro], user: string? }\nrules:\n'
const ofPlan = (free: string, pro: string): string =>
  `id: r, policy: { by: plan, free: { ${free} }, pro: { ${pro} } }`
const fixed = 'kind: fixedWindow, limit: 9, window: 1m'
const gcra = 'kind: gcra, limit: 9, window: 1m'
const bucket = 'kind: tokenBucket, capacity: 9, refill: 1, every: 3s'
const sliding = 'kind: slidingWindow, limit: 9, window: 1m'
const staged = (free: string): string =>
  `id: r, policy: { kind: staged, free: { ${free} }, then: { ${gcra} } }`
const overriding = (policy: string): string =>
  `id: r, limit: 9, window: 1m, overrides: { of: user, entries: { ann: ${policy} } }`

describe('a comparison tells whether counts start again as a limiter does', () => {
  test.each<readonly [what: string, old: string, next: string, isKept: boolean]>([
    [
      'another limit',
      `id: r, policy: { ${fixed} }`,
      'id: r, policy: { kind: fixedWindow, limit: 5, window: 1h }',
      true,
    ],
    ['gcra for a bucket', `id: r, policy: { ${bucket} }`, `id: r, policy: { ${gcra} }`, true],
    ['another algorithm', `id: r, policy: { ${fixed} }`, `id: r, policy: { ${gcra} }`, false],
    ['the short form', `id: r, policy: { ${sliding} }`, 'id: r, limit: 9, window: 1m', true],
    [
      'the usual algorithm',
      'id: r, limit: 9, window: 1m',
      'id: r, limit: 9, window: 1m, algorithm: slidingWindow',
      true,
    ],
    [
      'another number of buckets',
      `id: r, policy: { ${sliding} }`,
      `id: r, policy: { ${sliding}, buckets: 6 }`,
      false,
    ],
    [
      'another tail',
      `id: r, policy: { ${sliding} }`,
      `id: r, policy: { ${sliding}, tail: weighted }`,
      false,
    ],
    ['another algorithm of a stage', staged(fixed), staged(sliding), false],
    [
      'other numbers of a stage',
      staged(fixed),
      staged('kind: fixedWindow, limit: 5, window: 1m'),
      true,
    ],
    ['the usual key', `id: r, policy: { ${fixed} }`, `id: r, key: ip, policy: { ${fixed} }`, true],
    [
      'a list of one key',
      `id: r, key: ip, policy: { ${fixed} }`,
      `id: r, key: [ip], policy: { ${fixed} }`,
      true,
    ],
    [
      'a choice of one key',
      `id: r, key: user, policy: { ${fixed} }`,
      `id: r, key: { first: [user] }, policy: { ${fixed} }`,
      true,
    ],
    [
      'another key',
      `id: r, key: ip, policy: { ${fixed} }`,
      `id: r, key: user, policy: { ${fixed} }`,
      false,
    ],
    [
      'a new id with the count',
      `id: r, policy: { ${fixed} }`,
      `id: s, count: r, policy: { ${fixed} }`,
      true,
    ],
    [
      'a count with a new id',
      `id: r, count: s, policy: { ${fixed} }`,
      `id: s, policy: { ${fixed} }`,
      true,
    ],
    [
      'another count',
      `id: r, policy: { ${fixed} }`,
      `id: r, count: s, policy: { ${fixed} }`,
      false,
    ],
    [
      'a policy with a name',
      `id: r, policy: { ${fixed} }`,
      `id: r, policies: { a: { ${fixed} } }`,
      false,
    ],
    [
      'another name of a policy',
      `id: r, policies: { a: { ${fixed} } }`,
      `id: r, policies: { b: { ${fixed} } }`,
      false,
    ],
    ['a plan', `id: r, policy: { ${fixed} }`, ofPlan(fixed, fixed), true],
    ['other algorithms of plans', ofPlan(fixed, gcra), ofPlan(gcra, fixed), false],
    [
      'plans in another order',
      ofPlan(fixed, gcra),
      `id: r, policy: { by: plan, pro: { ${gcra} }, free: { ${fixed} } }`,
      true,
    ],
    ['an override with a number', 'id: r, limit: 9, window: 1m', overriding('5'), true],
    [
      'an override with another algorithm',
      'id: r, limit: 9, window: 1m',
      overriding(`{ ${gcra} }`),
      false,
    ],
    ['no override with another algorithm', overriding(`{ ${gcra} }`), overriding('5'), false],
    [
      'a shadow rule',
      `id: r, policy: { ${fixed} }`,
      `id: r, shadow: true, policy: { ${fixed} }`,
      true,
    ],
  ])('%s', async (_what, old, next, isKept) => {
    const [before, after] = [old, next].map((rule) => `${head}  - { ${rule} }\n`)
    const { added, removed, afresh } = compareRules(await compiled(before), await compiled(after))
    const rules = await loadRules({ source: staticSource(before) })
    const limiter = createRuleLimiter({ rules, clock: () => 1e12 })
    const request = { ip: '192.0.2.1', user: 'ann', plan: 'pro' }
    await limiter.count(request)
    await limiter.count(request)
    await rules.replace(after)
    const { counts } = await limiter.peekCounts(request)
    expect([...counts.values()].map(({ resetMs }) => resetMs > 0)).toEqual([isKept])
    expect({ added, removed, afresh: afresh.length }).toEqual({
      added: [],
      removed: [],
      afresh: isKept ? 0 : 1,
    })
  })
})

test.each<readonly [what: string, old: string, next: string, isKept: boolean]>([
  [
    'a rule joins the count of another',
    '{ id: a, limit: 9, window: 1m }, { id: r, limit: 9, window: 1m }',
    '{ id: a, limit: 9, window: 1m }, { id: r, count: a, limit: 9, window: 1m }',
    true,
  ],
  [
    'a rule joins the count of another with another key',
    '{ id: a, key: user, limit: 9, window: 1m }, { id: r, limit: 9, window: 1m }',
    '{ id: a, limit: 9, window: 1m }, { id: r, count: a, limit: 9, window: 1m }',
    false,
  ],
  [
    'a further policy',
    `{ id: r, policies: { a: { ${fixed} } } }`,
    `{ id: r, policies: { a: { ${fixed} }, b: { ${fixed} } } }`,
    true,
  ],
  [
    'a limit in place of no limit',
    `{ ${ofPlan(fixed, 'kind: unlimited')} }`,
    `{ ${ofPlan(fixed, gcra)} }`,
    true,
  ],
  [
    'a limit in place of an exemption',
    '{ id: r, then: allow }',
    '{ id: r, limit: 9, window: 1m }',
    true,
  ],
])('counts of a rule start again: %s', async (_what, old, next, isKept) => {
  const [before, after] = [old, next].map((list) => `${head}  [${list}]\n`)
  const { afresh } = compareRules(await compiled(before), await compiled(after))
  expect(afresh.some(({ rule }) => rule === 'r')).toBe(!isKept)
})

test('a rule with a new id that keeps its count has changed', async () => {
  const before = await compiled(
    `${head}  - { id: a, limit: 9, window: 1m }\n  - { id: b, limit: 9, window: 1m }\n`,
  )
  const after = await compiled(
    `${head}  - { id: c, count: a, limit: 9, window: 1m }\n  - { id: d, limit: 9, window: 1m }\n`,
  )
  expect(compareRules(before, after)).toEqual({
    added: ['d'],
    removed: ['b'],
    changed: [{ rule: 'c', members: ['id', 'count'], words: 'id a → c, count none → a' }],
    afresh: [],
    declarations: [],
  })
})

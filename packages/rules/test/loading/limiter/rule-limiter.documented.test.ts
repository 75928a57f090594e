import { describe, expect, test } from 'vitest'
import { createRuleLimiter, loadRules, staticSource, type RuleContext } from '../../../src/index.js'

const start = Date.UTC(2030, 0, 1, 12)

/** A limiter at one moment, and a replacement of its rules. */
async function limiterOf(rules: string) {
  const document = (list: string): string => `version: 1\nname: documented\nrules:\n${list}`
  const loaded = await loadRules({ source: staticSource(document(rules)) })
  const limiter = createRuleLimiter({ rules: loaded, clock: () => start })
  return {
    consume: (context: RuleContext = {}) => limiter.consume(context),
    replace: (next: string) => loaded.replace(document(next)),
  }
}

describe('a request over a limit with a delay and another one', () => {
  const fixed = 'key: [], policy: { kind: fixedWindow, limit: 1, window: 1h }'
  const delay = `{ id: delay, ${fixed}, over: { delay: 2h } }`
  const challenge = `{ id: challenge, ${fixed}, over: { challenge: { kind: captcha } } }`

  test.each([
    [delay, challenge, 'delay', { type: 'delay', maxMs: 7_200_000 }],
    [challenge, delay, 'challenge', { type: 'challenge', kind: 'captcha' }],
  ])(
    'is denied at once, with the outcome of the first: %s, %s',
    async (first, second, rule, outcome) => {
      const { consume } = await limiterOf(`  - ${first}\n  - ${second}`)
      expect((await consume()).allowed).toBe(true)
      expect(await consume()).toMatchObject({
        allowed: false,
        rule,
        outcome,
        deniedBy: expect.arrayContaining(['delay', 'challenge']),
      })
    },
  )
})

describe('after a reload with twice the limit', () => {
  test.each([
    // The used share continues,
    ['gcra', (limit: number) => `{ kind: gcra, limit: ${limit}, window: 1h }`, 10],
    [
      'tokenBucket',
      (limit: number) => `{ kind: tokenBucket, capacity: ${limit}, refill: ${limit}, every: 1h }`,
      10,
    ],
    [
      'leakyBucket',
      (limit: number) => `{ kind: leakyBucket, capacity: ${limit}, leak: ${limit}, every: 1h }`,
      10,
    ],
    // or the used units.
    ['fixedWindow', (limit: number) => `{ kind: fixedWindow, limit: ${limit}, window: 1h }`, 15],
    [
      'slidingWindow',
      (limit: number) => `{ kind: slidingWindow, limit: ${limit}, window: 1h }`,
      15,
    ],
    ['slidingLog', (limit: number) => `{ kind: slidingLog, limit: ${limit}, window: 1h }`, 15],
  ])('%s with 5 of 10 used', async (_kind, policy, remaining) => {
    const rules = (limit: number): string => `  - { id: r, key: [], policy: ${policy(limit)} }`
    const { consume, replace } = await limiterOf(rules(10))
    for (let i = 0; i < 5; i++) await consume()
    await replace(rules(20))
    expect((await consume()).remaining).toBe(remaining - 1)
  })
})

describe('a limit of /api/items/:id', () => {
  const perHour = 'policy: { kind: fixedWindow, limit: 1, window: 1h }'

  test('applies to /api/items/, which routers can take for an empty id, but not to /api/items', async () => {
    const { consume } = await limiterOf(
      `  - { id: item, when: { path: '/api/items/:id' }, key: param.id, ${perHour} }`,
    )
    const found = []
    for (const path of ['/api/items/7', '/api/items/', '/api/items/', '/api/items', '/api/items']) {
      found.push((await consume({ path })).allowed)
    }
    expect(found).toEqual([true, true, false, true, true])
  })

  test('has no exemption by /api/items/ either', async () => {
    const { consume } =
      await limiterOf(`  - { id: free, when: { path: '/api/items/:id' }, then: allow }
  - { id: all, key: [], ${perHour} }`)
    expect((await consume({ path: '/api/items/7' })).applied).toEqual([])
    expect((await consume({ path: '/api/items/' })).applied).toEqual(['all'])
  })
})

test('HEAD counts as GET in a key', async () => {
  const { consume } = await limiterOf(
    '  - { id: r, key: [method], policy: { kind: fixedWindow, limit: 1, window: 1h } }',
  )
  const found = []
  for (const method of ['HEAD', 'GET', 'get', 'POST'])
    found.push((await consume({ method })).allowed)
  expect(found).toEqual([true, false, false, true])
})

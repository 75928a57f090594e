import { describe, expect, test, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  type Limiter,
  type Policy,
  type Store,
} from '@sluice/core'
import type { Outcome, RuleDecision } from '../../src/index.js'
import { decideByRules } from '../../src/internal.js'
import { rejectionOf } from './error-of.js'
import { laterStore } from './later-store.js'
import { unlimitedNumbers } from './unlimited-numbers.js'
import { asks, consumption } from './judged.js'
import { start } from './visit.js'

const perMinute = (limit: number): Policy => fixedWindow({ limit, window: '1m' })
const plain = { name: 'rules', policies: perMinute(9), clock: () => start } as const

const stores: [string, () => Store][] = [
  ['at once', () => memoryStore()],
  ['later', laterStore],
]

describe.each(stores)('with a store that replies %s', (_, makeStore) => {
  function limiterOf(): Limiter {
    return createLimiter({ ...plain, store: makeStore() })
  }

  async function used(limiter: Limiter, name: string, key = 'key'): Promise<number> {
    const { policies } = await limiter.status(key, { policies: { [name]: perMinute(9) } })
    return policies[name].used
  }

  test('a request that no rule limits is allowed, with its tags', async () => {
    const limiter = limiterOf()
    const decision = await decideByRules(limiter, { type: 'pass', version: 'v1', tags: ['known'] })
    expect(decision).toEqual({
      ...unlimitedNumbers,
      deniedBy: [],
      policies: {},
      source: 'store',
      rule: undefined,
      outcome: undefined,
      applied: [],
      tags: ['known'],
      rules: 'v1',
    })
    expect(await limiter.refund(decision)).toBe(false)
  })

  test('a request that a rule refuses has no quota, and no time to retry', async () => {
    const limiter = limiterOf()
    const outcome = { type: 'deny', status: 403 } as const
    const refusal = { type: 'refuse', version: 'v1', tags: [], rule: 'bad', outcome } as const
    const decision = await decideByRules(limiter, refusal)
    expect(decision).toMatchObject({ allowed: false, limit: 0, remaining: 0, retryAfterMs: null })
    expect(decision).toMatchObject({ rule: 'bad', outcome, applied: [], deniedBy: [], rules: 'v1' })
    expect(await limiter.refund(decision)).toBe(false)
  })

  test('the decision about one consumption has the numbers of its limiter', async () => {
    const limiter = limiterOf()
    const one = consumption({
      a: { policy: perMinute(3) },
      b: { policy: gcra({ limit: 9, window: '1h' }) },
    })
    const decision = await decideByRules(limiter, asks({ enforced: [one], tags: ['x'] }))
    const { policies } = one
    const expected = await createLimiter({ ...plain, policies }).consume('key')
    expect(decision).toEqual({
      ...expected,
      rule: undefined,
      outcome: undefined,
      applied: ['a', 'b'],
      tags: ['x'],
      rules: 'v1',
    })
    expect(one.told).toEqual(['allowed'])
  })

  test('the first denying rule of the document names the outcome', async () => {
    const limiter = limiterOf()
    const outcome: Outcome = { type: 'challenge', kind: 'captcha' }
    const one = consumption({
      free: { policy: perMinute(9) },
      second: { policy: perMinute(0), outcome, rule: 'two' },
      third: { policy: perMinute(0) },
    })
    const decision = await decideByRules(limiter, asks({ enforced: [one] }))
    expect(decision).toMatchObject({ allowed: false, rule: 'two', outcome })
    expect(decision.applied).toEqual(['free', 'two', 'third'])
    expect(decision.deniedBy).toEqual(['second', 'third'])
    expect(one.told).toEqual(['denied'])
    expect(await used(limiter, 'free')).toBe(0)
  })

  test('after a denial no other consumption is sent to the store', async () => {
    const limiter = limiterOf()
    const one = consumption(
      { first: { policy: perMinute(9) }, second: { policy: perMinute(0) } },
      { cost: { first: 4, second: 1 } },
    )
    const tagging = consumption({ tagging: { policy: perMinute(9) } })
    const shadow = consumption({ shadow: { policy: perMinute(9) } })
    const asked = asks({ enforced: [one], tagging: [tagging], shadow: [shadow] })
    const decision = await decideByRules(limiter, asked)
    expect(decision).toMatchObject({ allowed: false, rule: 'second', limit: 0, remaining: 0 })
    expect([decision.applied, Object.keys(decision.policies)]).toEqual([
      ['first', 'second'],
      ['first', 'second'],
    ])
    expect([one.told, tagging.told, shadow.told]).toEqual([['denied'], [], []])
    for (const name of ['first', 'second', 'tagging', 'shadow']) {
      expect(await used(limiter, name)).toBe(0)
    }
    expect(await limiter.refund(decision)).toBe(false)
  })

  test('the decision of several consumptions is refunded as a whole, or by policy', async () => {
    const limiter = limiterOf()
    const judgement = asks({
      enforced: [
        consumption(
          { a: { policy: perMinute(9) }, b: { policy: perMinute(5) } },
          { cost: { a: 2, b: 3 }, keys: { a: 'key', b: 'ann' } },
        ),
      ],
      tagging: [consumption({ c: { policy: perMinute(8) } }, { cost: 4 })],
    })
    const usedOf = async () => [
      await used(limiter, 'a'),
      await used(limiter, 'b', 'ann'),
      await used(limiter, 'c'),
    ]
    const decision = await decideByRules(limiter, judgement)
    expect(decision).toMatchObject({ allowed: true, limit: 5, remaining: 2, resetMs: 60_000 })
    expect(Object.entries(decision.policies).map(([name, { used }]) => [name, used])).toEqual([
      ['a', 2],
      ['b', 3],
      ['c', 4],
    ])
    expect(await usedOf()).toEqual([2, 3, 4])
    expect(await limiter.refund(decision, { policies: ['b'] })).toBe(true)
    expect(await usedOf()).toEqual([2, 0, 4])
    const unknown = (async () => limiter.refund(decision, { policies: ['a', 'z'] }))()
    expect((await rejectionOf(unknown)).code).toBe('SLUICE_POLICY_NAME_UNKNOWN')
    expect(await limiter.refund(decision, { policies: ['b', 'c'] })).toBe(true)
    expect(await usedOf()).toEqual([2, 0, 0])
    expect(await limiter.refund(decision)).toBe(true)
    expect(await usedOf()).toEqual([0, 0, 0])
    expect(await limiter.refund(decision)).toBe(false)
  })

  test('a denied tagging consumption adds the tag of its rule, and the request is allowed', async () => {
    const limiter = limiterOf()
    const tag = (name: string): Outcome => ({ type: 'tag', tag: name })
    const judgement = asks({
      tags: ['known', 'no-points'],
      enforced: [consumption({ day: { policy: perMinute(3) } })],
      tagging: [
        consumption({ points: { policy: perMinute(0), outcome: tag('no-points') } }),
        consumption({ slow: { policy: perMinute(0), outcome: tag('slow') } }),
        consumption({ fast: { policy: perMinute(9), outcome: tag('fast') } }),
      ],
    })
    const decision = await decideByRules(limiter, judgement)
    expect(decision).toMatchObject({ allowed: true, rule: undefined, deniedBy: [], remaining: 2 })
    expect(decision.tags).toEqual(['known', 'no-points', 'slow'])
    expect(decision.applied).toEqual(['day', 'points', 'slow', 'fast'])
    expect(decision.policies['points'].allowed).toBe(false)
  })

  test('a shadow consumption is counted, and is not in the decision', async () => {
    const limiter = limiterOf()
    const enforced = [consumption({ day: { policy: perMinute(3) } })] as const
    const shadow = consumption({ shadow: { policy: perMinute(1) } })
    const decisions: RuleDecision[] = []
    for (let i = 0; i < 2; i++) {
      decisions.push(await decideByRules(limiter, asks({ enforced, shadow: [shadow] })))
    }
    expect(decisions.map(({ allowed, applied }) => [allowed, applied])).toEqual([
      [true, ['day']],
      [true, ['day']],
    ])
    expect(decisions.map(({ policies }) => Object.keys(policies))).toEqual([['day'], ['day']])
    await vi.waitFor(() => expect(shadow.told).toEqual(['allowed', 'denied']))
  })

  test('an error of the listeners of rules fails no request', async () => {
    const one = consumption({ day: { policy: perMinute(3) } })
    const failing = {
      ...one,
      onDecision: () => {
        throw new Error('of a listener')
      },
    }
    const judgement = asks({ enforced: [failing], tagging: [failing], shadow: [failing] })
    expect((await decideByRules(limiterOf(), judgement)).allowed).toBe(true)
  })

  test('a delay waits until the units are available, for at most the shortest delay', async () => {
    const limiter = createLimiter({ name: 'rules', policies: perMinute(9), store: makeStore() })
    const policy = gcra({ limit: 1, window: '100ms', burst: 1 })
    const within = (maxMs: number): Outcome => ({ type: 'delay', maxMs })
    const waits = consumption({
      pace: { policy, outcome: within(5000) },
      long: { policy: perMinute(5), outcome: within(9000) },
    })
    const judgement = asks({ enforced: [waits] })
    const begun = performance.now()
    expect((await decideByRules(limiter, judgement)).allowed).toBe(true)
    expect((await decideByRules(limiter, judgement)).allowed).toBe(true)
    expect(performance.now() - begun > 95).toBe(true)
    expect(waits.told).toEqual(['allowed', 'allowed'])

    const slow = gcra({ limit: 1, window: '1h', burst: 1 })
    const short = asks({
      enforced: [
        consumption({
          slow: { policy: slow, outcome: within(1) },
          other: { policy: perMinute(9) },
        }),
      ],
    })
    expect((await decideByRules(limiter, short)).allowed).toBe(true)
    const denial = await decideByRules(limiter, short)
    expect(denial).toMatchObject({ allowed: false, rule: 'slow', outcome: within(1) })
  })

  test.each<[string, Outcome, Outcome]>([
    ['a rule denies it at once', { type: 'delay', maxMs: 5000 }, { type: 'deny', status: 429 }],
    [
      'the shortest delay is too short',
      { type: 'delay', maxMs: 5000 },
      { type: 'delay', maxMs: 1 },
    ],
  ])('a request is not delayed if %s', async (_, first, second) => {
    const limiter = limiterOf()
    const policy = gcra({ limit: 1, window: '3s', burst: 1 })
    const both = { a: { policy, outcome: first }, b: { policy, outcome: second } }
    const judgement = asks({ enforced: [consumption(both)] })
    expect((await decideByRules(limiter, judgement)).allowed).toBe(true)
    const decision = await decideByRules(limiter, judgement)
    expect(decision).toMatchObject({ allowed: false, rule: 'a', deniedBy: ['a', 'b'] })
  })

  test.each<[string, Outcome]>([
    ['has no delay', { type: 'challenge', kind: 'captcha' }],
    ['has a shorter delay', { type: 'delay', maxMs: 500 }],
  ])(
    'a request that waits is denied at once when a limit denies it that %s',
    async (_, outcome) => {
      const limiter = createLimiter({ name: 'rules', policies: perMinute(9), store: makeStore() })
      const waits = consumption({
        few: { policy: gcra({ limit: 1, window: '1h', burst: 2 }), outcome },
        pace: {
          policy: gcra({ limit: 1, window: '100ms', burst: 1 }),
          outcome: { type: 'delay', maxMs: 5000 },
        },
      })
      const decide = () => decideByRules(limiter, asks({ enforced: [waits] }))
      const decisions = await Promise.all([decide(), decide(), decide()])
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false])
      expect(decisions[2]).toMatchObject({ deniedBy: ['few', 'pace'], rule: 'few', outcome })
    },
  )

  test.each<[string, Outcome, Policy]>([
    ['a delay', { type: 'delay', maxMs: 70_000 }, perMinute(1)],
    [
      'a leaky queue',
      { type: 'deny', status: 429 },
      leakyQueue({ leak: 1, every: '5s', maxDelay: '10s' }),
    ],
  ])('a signal ends %s, and nothing is consumed', async (_, outcome, policy) => {
    const limiter = createLimiter({ name: 'rules', policies: perMinute(9), store: makeStore() })
    const one = consumption({ before: { policy: perMinute(9) }, pace: { policy, outcome } })
    const pace = { policies: { pace: policy } }
    await limiter.consume('key', pace)
    const tagging = consumption({ tagging: { policy: perMinute(9) } })
    const abort = new AbortController()
    const judgement = asks({ enforced: [one], tagging: [tagging] })
    const decided = Promise.resolve(decideByRules(limiter, judgement, { signal: abort.signal }))
    setTimeout(() => abort.abort(new Error('gone')), 20)
    await expect(decided).rejects.toThrow('gone')
    expect([await used(limiter, 'before'), await used(limiter, 'tagging')]).toEqual([0, 0])
    expect((await limiter.peek('key', pace)).policies['pace'].used).toBe(1)
    expect(one.told.includes('gone')).toBe(false)
  })

  test('the leases of all parts are released together', async () => {
    const limiter = limiterOf()
    const leased = (name: string) =>
      consumption({ [name]: { policy: concurrency({ limit: 1, lease: '1m' }) } })
    const judgement = asks({ enforced: [leased('a')], tagging: [leased('b')] })
    const { lease } = await decideByRules(limiter, judgement)
    expect((await decideByRules(limiter, judgement)).allowed).toBe(false)
    expect(lease?.lengthMs).toBe(60_000)
    expect([await lease?.renew(), await lease?.release(), await lease?.release()]).toEqual([
      true,
      true,
      false,
    ])
    expect((await decideByRules(limiter, judgement)).allowed).toBe(true)
  })

  test('a wrong consumption is the error of the request, and refunds the others', async () => {
    const limiter = limiterOf()
    const first = consumption({ first: { policy: perMinute(9) } })
    const wrong = consumption({ wrong: { policy: perMinute(9) } }, { cost: 0.5 })
    const tagging = consumption({ tagging: { policy: perMinute(9) } })
    for (const judgement of [
      asks({ enforced: [wrong] }),
      asks({ enforced: [first], tagging: [tagging, wrong] }),
    ]) {
      const error = await rejectionOf((async () => decideByRules(limiter, judgement))())
      expect(error.code).toBe('SLUICE_COST_INVALID')
      expect([await used(limiter, 'first'), await used(limiter, 'tagging')]).toEqual([0, 0])
    }
    expect(wrong.told.map((message) => message.slice(0, 35))).toEqual(
      Array(2).fill('limiter "rules": the cost is 0.5. P'),
    )
    const shadow = asks({ enforced: [first], shadow: [wrong] })
    expect((await decideByRules(limiter, shadow)).allowed).toBe(true)
    await vi.waitFor(() => expect(wrong.told.length).toBe(3))
  })
})

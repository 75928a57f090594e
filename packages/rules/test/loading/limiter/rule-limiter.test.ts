import { createLimiter, fixedWindow, memoryStore, redisStore, type Store } from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { describe, expect, test, vi } from 'vitest'
import {
  createRuleLimiter,
  loadRules,
  staticSource,
  type RuleContext,
  type RuleLimiter,
} from '../../../src/index.js'

const document = `
version: 1
name: forum
values:
  user: string
  plan: [free, pro]
  action: string?
  points: integer?
rules:
  - { id: staff, when: { user: root }, then: allow }
  - { id: banned, when: { user: mallory }, then: deny }
  - { id: day, when: { action: [ask, answer] }, key: user, policy: { kind: calendarWindow, limit: 3, period: day, timeZone: UTC } }
  - { id: spacing, when: { action: ask }, key: user, limit: { by: plan, free: 1, pro: 2 }, window: 10s, over: { challenge: { kind: captcha } } }
  - { id: heavy, when: { action: export }, key: user, limit: 10, window: 1h, cost: 4 }
  - { id: exports, when: { action: export }, key: user, limit: 5, window: 1m }
  - { id: points, when: { action: share }, key: user, limit: 30, window: 1h, cost: $points, over: { tag: no-points } }
  - { id: queue, when: { action: send }, key: user, policy: { kind: leakyQueue, leak: 1, every: 1s, maxDelay: 3s }, over: { delay: 5s } }
  - { id: units, when: { action: load }, key: user, limit: 1, window: 1m }
  - { id: bytes, when: { action: load }, key: user, limit: 10, window: 1m, cost: 10 }
  - { id: calls, when: { action: load }, key: user, limit: 1, window: 1m }
  - { id: trial, when: { action: ask }, key: user, limit: 1, window: 1h, shadow: true }
`
const start = Date.UTC(2030, 0, 1, 12)

async function forum(store?: Store): Promise<{
  limiter: RuleLimiter
  stats(rule: string): unknown
  pass(ms: number): void
}> {
  let now = start
  const clock = (): number => now
  const rules = await loadRules({ source: staticSource(document), clock })
  const limiter = createRuleLimiter({ rules, clock, ...(store === undefined ? {} : { store }) })
  return {
    limiter,
    stats: (rule) => rules.stats().get(rule),
    pass(ms) {
      now += ms
    },
  }
}

const redis = useRedis()
let names = 0
const stores: readonly (readonly [string, () => Store | undefined])[] = [
  ['memory', () => undefined],
  ['Redis', () => redisStore(redis.connection, { prefix: `test${names++}`, timeout: '10s' })],
]

const ada = { user: 'ada', plan: 'free' }
const asking = { ...ada, action: 'ask' }
const answering = { ...ada, action: 'answer' }

describe.each(stores)('over %s', (_name, storeOf) => {
  test('denies the request that would exceed a limit, and names the rule and its outcome', async () => {
    const { limiter, pass } = await forum(storeOf())
    expect(await limiter.consume(asking)).toMatchObject({
      allowed: true,
      applied: ['day', 'spacing'],
      rule: undefined,
      outcome: undefined,
    })
    const denied = await limiter.consume(asking)
    expect(denied).toMatchObject({
      allowed: false,
      rule: 'spacing',
      outcome: { type: 'challenge', kind: 'captcha' },
      retryAfterMs: 10_000,
      deniedBy: ['spacing'],
    })
    pass(10_000)
    expect((await limiter.consume(asking)).allowed).toBe(true)
    expect((await limiter.consume(answering)).remaining).toBe(0)
  })

  test('calls no store for a rule that allows or refuses', async () => {
    const { limiter } = await forum(storeOf())
    expect(await limiter.consume({ user: 'root', plan: 'pro', action: 'ask' })).toMatchObject({
      allowed: true,
      applied: [],
    })
    expect(await limiter.consume({ user: 'mallory', plan: 'pro', action: 'ask' })).toMatchObject({
      allowed: false,
      rule: 'banned',
      outcome: { type: 'deny', status: 403 },
      retryAfterMs: null,
    })
  })

  test('peeks as consume would decide, and counts nothing', async () => {
    const { limiter } = await forum(storeOf())
    for (let i = 0; i < 3; i++) {
      expect(await limiter.peek(asking)).toMatchObject({
        allowed: true,
        applied: ['day', 'spacing'],
        remaining: 1,
      })
    }
    await limiter.consume(asking)
    expect(await limiter.peek(asking)).toMatchObject({
      allowed: false,
      rule: 'spacing',
      retryAfterMs: 10_000,
    })
  })

  test('an exempt count allows, and the other rules still decide', async () => {
    const store = storeOf() ?? memoryStore()
    const { limiter } = await forum(store)
    const spacing = createLimiter({
      name: 'forum',
      policies: { spacing: fixedWindow({ limit: 1, window: '10s' }) },
      store,
      clock: () => start,
    })
    await spacing.exempt(['user', 'ada'], '1h')
    expect((await limiter.peek(asking)).exempt).toBeUndefined()
    for (let i = 0; i < 3; i++) expect((await limiter.consume(asking)).allowed).toBe(true)
    expect(await limiter.consume(asking)).toMatchObject({ allowed: false, rule: 'day' })
    expect(await limiter.peekAll(asking)).toMatchObject([{ rule: 'day' }])
    expect((await limiter.consume({ ...asking, user: 'bob' })).allowed).toBe(true)
    expect(await limiter.consume({ ...asking, user: 'bob' })).toMatchObject({ rule: 'spacing' })
  })

  test('peeks at rules of different costs, and refunds no units of other requests', async () => {
    const { limiter } = await forum(storeOf())
    const exporting = { ...ada, action: 'export' }
    await limiter.consume(exporting)
    await limiter.consume(exporting)
    for (let i = 0; i < 2; i++) {
      expect(await limiter.peek(exporting)).toMatchObject({ allowed: false, rule: 'heavy' })
    }
    expect((await limiter.consume({ ...exporting, user: 'bob' })).policies).toMatchObject({
      heavy: { remaining: 6 },
      exports: { remaining: 4 },
    })
  })

  test('peeks at many contexts, and answers in their order', async () => {
    const { limiter } = await forum(storeOf())
    await limiter.consume(asking)
    const decisions = await limiter.peekMany([asking, { ...asking, user: 'bob' }, answering])
    expect(decisions.map(({ allowed }) => allowed)).toEqual([false, true, true])
  })

  test('does not wait in a peek, which reports that the request would wait', async () => {
    const { limiter } = await forum(storeOf())
    const sending = { ...ada, action: 'send' }
    await limiter.consume(sending)
    expect(await limiter.peek(sending)).toMatchObject({ allowed: true, delayMs: 1000 })
  })

  test('names every exceeded rule, in the order of the document', async () => {
    const { limiter, pass } = await forum(storeOf())
    expect(await limiter.peekAll(asking)).toEqual([])
    for (let i = 0; i < 2; i++) {
      await limiter.consume(answering)
    }
    await limiter.consume(asking)
    pass(1000)
    expect(await limiter.peekAll(asking)).toEqual([
      { rule: 'day', outcome: { type: 'deny', status: 429 }, retryAfterMs: 12 * 3_600_000 - 1000 },
      { rule: 'spacing', outcome: { type: 'challenge', kind: 'captcha' }, retryAfterMs: 9000 },
    ])
    expect(await limiter.peekAll({ user: 'mallory', plan: 'free' })).toEqual([
      { rule: 'banned', outcome: { type: 'deny', status: 403 }, retryAfterMs: null },
    ])
  })

  test('names exceeded rules of different costs in the order of the document', async () => {
    const { limiter } = await forum(storeOf())
    const loading = { ...ada, action: 'load' }
    await limiter.consume(loading)
    const exceeded = await limiter.peekAll(loading)
    expect(exceeded.map(({ rule }) => rule)).toEqual(['units', 'bytes', 'calls'])
  })

  test('adds the tag of an exceeded rule, and allows', async () => {
    const { limiter } = await forum(storeOf())
    const sharing = { ...ada, action: 'share', points: 20 }
    expect((await limiter.consume(sharing)).tags).toEqual([])
    const decision = await limiter.consume(sharing)
    expect([decision.allowed, decision.tags]).toEqual([true, ['no-points']])
    expect((await limiter.peekAll(sharing)).map(({ rule }) => rule)).toEqual(['points'])
  })

  test('counts in all rules that apply, even above their limits', async () => {
    const { limiter } = await forum(storeOf())
    for (let i = 0; i < 5; i++) await limiter.count(asking)
    expect((await limiter.peekAll(asking)).map(({ rule }) => rule)).toEqual(['day', 'spacing'])
    await limiter.count({ ...ada, user: 'root', action: 'ask' })
    await limiter.count({ ...ada, action: 'share', points: 0 })
  })

  test('exempts the keys of all rules that apply, shadow rules included, until that ends', async () => {
    const { limiter, pass } = await forum(storeOf())
    await limiter.exempt(asking, '1h')
    for (let i = 0; i < 5; i++) {
      expect(await limiter.consume(asking)).toMatchObject({ allowed: true, exempt: true })
    }
    const { counts } = await limiter.peekCounts(asking)
    expect([...counts.keys()].sort()).toEqual(['day', 'spacing', 'trial'])
    for (const { remaining, allowed } of counts.values()) {
      expect([remaining > 0, allowed]).toEqual([true, true])
    }
    const other = await limiter.consume({ ...asking, user: 'bob' })
    expect([other.allowed, other.exempt]).toEqual([true, undefined])
    await limiter.unexempt(asking)
    const first = await limiter.consume(asking)
    expect([first.allowed, first.exempt]).toEqual([true, undefined])
    expect((await limiter.consume(asking)).allowed).toBe(false)
    await limiter.exempt(asking, '1h')
    pass(3_600_000)
    expect((await limiter.consume(asking)).exempt).toBe(undefined)
  })

  test('grants units to the keys of all rules that apply, and adjusts what a decision took', async () => {
    const { limiter } = await forum(storeOf())
    await limiter.grant(asking, 2, { for: '1h' })
    const seen = []
    for (let i = 0; i < 3; i++) seen.push(await limiter.consume(asking))
    expect(seen.map(({ allowed }) => allowed)).toEqual([true, true, true])
    await limiter.ungrant(asking)
    expect((await limiter.peek(asking)).allowed).toBe(false)
    expect(await limiter.adjust(seen[0], 0)).toBe(true)
    expect(await limiter.adjust(seen[0], 0)).toBe(false)
  })

  test('exempts no request that a rule refuses, and none that no rule limits', async () => {
    const { limiter } = await forum(storeOf())
    for (const user of ['mallory', 'root']) {
      await limiter.exempt({ ...asking, user }, '1h')
      await limiter.unexempt({ ...asking, user })
    }
    expect((await limiter.consume({ ...asking, user: 'mallory' })).allowed).toBe(false)
  })

  test('refunds a decision, or the counts that it names', async () => {
    const { limiter } = await forum(storeOf())
    const decision = await limiter.consume(asking)
    expect(await limiter.refund(decision, { policies: ['spacing'] })).toBe(true)
    expect(await limiter.refund(decision, { policies: ['spacing'] })).toBe(false)
    expect((await limiter.peek(asking)).policies).toMatchObject({
      day: { remaining: 2 },
      spacing: { remaining: 1 },
    })
    expect(await limiter.refund(decision)).toBe(true)
    expect((await limiter.peek(asking)).policies).toMatchObject({ day: { remaining: 3 } })
  })

  test('refunds nothing for a peek', async () => {
    const { limiter } = await forum(storeOf())
    await limiter.consume(asking)
    expect(await limiter.refund(await limiter.peek(answering))).toBe(false)
  })
})

test.each([
  [
    'second: { kind: fixedWindow, limit: 1, window: 1s }, minute: { kind: fixedWindow, limit: 1, window: 1m }',
  ],
  [
    'minute: { kind: fixedWindow, limit: 1, window: 1m }, second: { kind: fixedWindow, limit: 1, window: 1s }',
  ],
])('an exceeded rule is so until the last of its policies allows: %s', async (policies) => {
  const rules = await loadRules({
    source: staticSource(`
version: 1
name: both
rules: [{ id: both, key: [], policies: { ${policies} } }]`),
  })
  const limiter = createRuleLimiter({ rules, clock: () => start })
  await limiter.consume({})
  const outcome = { type: 'deny', status: 429 }
  expect(await limiter.peekAll({})).toEqual([{ rule: 'both', outcome, retryAfterMs: 60_000 }])
})

test('an exceeded rule of which one policy never allows has no wait', async () => {
  const rules = await loadRules({
    source: staticSource(`
version: 1
name: never
rules: [{ id: never, key: [], policies: { none: { kind: fixedWindow, limit: 0, window: 1s }, minute: { kind: fixedWindow, limit: 1, window: 1m } } }]`),
  })
  const limiter = createRuleLimiter({ rules, clock: () => start })
  await limiter.count({})
  const outcome = { type: 'deny', status: 429 }
  expect(await limiter.peekAll({})).toEqual([{ rule: 'never', outcome, retryAfterMs: null }])
})

test('an exemption leaves out rules without a limit', async () => {
  const rules = await loadRules({
    source: staticSource(`
version: 1
name: unlimited
rules:
  - { id: free, key: [], policy: { kind: unlimited } }
  - { id: tagged, key: [], limit: 0, window: 1m, over: { tag: often } }`),
  })
  const limiter = createRuleLimiter({ rules })
  expect((await limiter.consume({})).tags).toEqual(['often'])
  await limiter.exempt({}, '1h')
  expect((await limiter.consume({})).tags).toEqual([])
})

test('exceeded rules that tag are in the order of the document as well', async () => {
  const rules = await loadRules({
    source: staticSource(`
version: 1
name: tags
rules:
  - { id: tagged, key: [], limit: 1, window: 1m, over: { tag: often } }
  - { id: denied, key: [], limit: 1, window: 1m }`),
  })
  const limiter = createRuleLimiter({ rules })
  await limiter.consume({})
  const exceeded = await limiter.peekAll({})
  expect(exceeded.map(({ rule }) => rule)).toEqual(['tagged', 'denied'])
})

test('counts each consume in the statistics, including shadow rules, and no peek', async () => {
  const { limiter, stats, pass } = await forum()
  await limiter.consume(asking)
  pass(10_000)
  await limiter.consume(asking)
  expect(stats('trial')).toMatchObject({ asked: 2, allowed: 1, shadowDenied: 1 })
  pass(10_000)
  expect((await limiter.peek(asking)).allowed).toBe(true)
  await limiter.peekAll(asking)
  await limiter.count(asking)
  for (const rule of ['day', 'trial']) {
    expect(stats(rule)).toMatchObject({ allowed: rule === 'day' ? 2 : 1, denied: 0 })
  }
  expect(stats('trial')).toMatchObject({ shadowDenied: 1 })
  const sharing = { ...ada, action: 'share', points: 20 }
  await limiter.consume(sharing)
  await limiter.peek(sharing)
  expect(stats('points')).toMatchObject({ allowed: 1, denied: 0 })
})

test('counts in shadow rules, too', async () => {
  const { limiter, stats } = await forum()
  await limiter.count(asking)
  await limiter.consume({ ...asking, plan: 'pro' })
  expect(stats('trial')).toMatchObject({ allowed: 0, shadowDenied: 1 })
})

test('waits for a value that is a promise', async () => {
  const { limiter } = await forum()
  const context = { ...asking, user: Promise.resolve('ada'), plan: Promise.resolve('pro') }
  expect(await limiter.consume(context)).toMatchObject({ allowed: true, remaining: 1 })
  expect((await limiter.peek({ ...asking, plan: 'pro' })).remaining).toBe(1)
})

test.each(stores)(
  'over %s, a rule whose algorithm changes has another count, and the first one again when it changes back',
  async (_name, storeOf) => {
    const rules = await loadRules({ source: staticSource(document) })
    const store = storeOf()
    const limiter = createRuleLimiter({ rules, ...(store === undefined ? {} : { store }) })
    const inGcra = document.replace('window: 1m }', 'window: 1m, algorithm: gcra }')
    const exporting = { ...ada, action: 'export' }
    const used = async (): Promise<number | undefined> =>
      (await limiter.peekCounts(exporting)).counts.get('exports')?.used
    await limiter.count(exporting)
    await limiter.count(exporting)
    await rules.replace(inGcra)
    expect(await used()).toBe(0)
    await limiter.count(exporting)
    expect(await used()).toBe(1)
    await rules.replace(document)
    expect(await used()).toBe(2)
  },
)

test('waits for its turn, and ends the wait when it is aborted', async () => {
  const rules = await loadRules({ source: staticSource(document) })
  const limiter = createRuleLimiter({ rules })
  const sending = { ...ada, action: 'send' }
  await limiter.consume(sending)
  const controller = new AbortController()
  const waiting = limiter.consume(sending, { signal: controller.signal })
  controller.abort(new Error('gone'))
  await expect(waiting).rejects.toThrow('gone')
})

test.each<[string, RuleContext, string]>([
  ['lacks a required value', { plan: 'free', action: 'ask' }, 'SLUICE_RULES_VALUE_MISSING'],
  ['has an unknown plan', { ...asking, plan: 'gold' }, 'SLUICE_RULES_VALUE_INVALID'],
  ['has a value of a wrong type', { ...asking, action: 7 }, 'SLUICE_RULES_VALUE_INVALID'],
  ['misspells a value', { ...asking, user: undefined, usr: 'ada' }, 'SLUICE_RULES_VALUE_UNKNOWN'],
])('rejects a context that %s', async (_case, context, code) => {
  const { limiter } = await forum()
  for (const call of [limiter.consume, limiter.peek, limiter.peekAll, limiter.count]) {
    await expect(call(context)).rejects.toMatchObject({ code })
  }
})

test('follows the rules that were loaded last', async () => {
  const rules = await loadRules({ source: staticSource(document) })
  const limiter = createRuleLimiter({ rules })
  await limiter.consume(asking)
  expect((await limiter.consume(asking)).allowed).toBe(false)
  await rules.replace(document.replace('free: 1', 'free: 2'))
  const decision = await limiter.consume(asking)
  expect([decision.allowed, decision.rules]).toEqual([true, rules.state().version])
})

test('shares its counts with another limiter of the same rules and store', async () => {
  const rules = await loadRules({ source: staticSource(document) })
  const store = redisStore(redis.connection, { prefix: `shared${names++}`, timeout: '10s' })
  const [one, other] = [createRuleLimiter({ rules, store }), createRuleLimiter({ rules, store })]
  await one.consume(asking)
  expect((await other.consume(asking)).rule).toBe('spacing')
})

test.each([
  [{ stores: 1 }, 'createRuleLimiter: there is no option "stores"'],
  [{ rules: undefined }, 'createRuleLimiter: "rules" is missing'],
  [{ rules: { name: 'a' } }, 'createRuleLimiter: "rules" is'],
  [{ rules: Promise.resolve({}) }, 'loadRules returns. This is a promise: await it.'],
  [{ localShare: 2 }, '"localShare" is 2'],
])('refuses the options %j', async (options, message) => {
  const rules = await loadRules({ source: staticSource(document) })
  expect(() => createRuleLimiter({ rules, ...options } as never)).toThrow(message)
})

test('closes the store that it created, and no other', async () => {
  const rules = await loadRules({ source: staticSource(document) })
  const store = memoryStore()
  const close = vi.spyOn(store, 'close')
  await createRuleLimiter({ rules, store }).close()
  await createRuleLimiter({ rules }).close()
  expect(close).not.toHaveBeenCalled()
})

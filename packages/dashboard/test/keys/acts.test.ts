import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  createLimiter,
  fixedWindow,
  memoryStore,
  redisStore,
  unlimited,
  type Limiter,
} from '@sluice/core'
import { chosenPerCall } from '@sluice/core/internal'
import { startRedis } from '@sluice/test-kit/redis'
import { createRuleLimiter, loadRules, staticSource } from '@sluice/rules'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { ActEvent } from '../../src/index.js'
import { serveDashboard } from '../served.js'

const name = 'acts'

function limited(limit = 10): ReturnType<typeof made> {
  return made(limit)
}

function made(limit: number) {
  return createLimiter({ name, policies: fixedWindow({ limit, window: '1h' }) })
}

/** The events of acts, until the test ends. */
function actEvents(): readonly ActEvent[] {
  const events: ActEvent[] = []
  const listen = (event: unknown): void => void events.push(event as ActEvent)
  subscribe('sluice:act', listen)
  onTestFinished(() => void unsubscribe('sluice:act', listen))
  return events
}

test('block and unblock', async () => {
  const limiter = limited()
  const board = await serveDashboard({ limiters: { limiter } })
  const blocked = await board.act(act({ act: 'block', length: '10m' }))
  expect(blocked.body.key?.policies).toMatchObject([
    { name: 'default', blockedMs: expect.closeTo(600_000, -3) },
  ])
  expect(limiter.consume('ann').allowed).toBe(false)
  const unblocked = await board.act(act({ act: 'unblock' }))
  expect(unblocked.body.key?.policies).toMatchObject([{ blockedMs: 0 }])
  expect(limiter.consume('ann').allowed).toBe(true)
})

test('an act on a key that no store has counted says so', async () => {
  const limiter = limited()
  const board = await serveDashboard({ limiters: { limiter } })
  limiter.consume('bob')
  limiter.block('cat', '1h')
  limiter.exempt('dan', '1h')
  const counted = async (key: string, asked: object) =>
    (await board.act(act({ ...asked, key }))).body.wasCounted
  for (const asked of [
    { act: 'block', length: '1m' },
    { act: 'unblock' },
    { act: 'reset' },
    { act: 'exempt', length: '1m' },
    { act: 'unexempt' },
    { act: 'ungrant' },
    { act: 'grant', units: 5, length: '1m' },
    { act: 'penalize', units: 1 },
  ]) {
    expect(await counted(`nobody ${asked.act}`, asked)).toBe(false)
  }
  expect(await counted('bob', { act: 'block', length: '1m' })).toBe(true)
  expect(await counted('bob', { act: 'unblock' })).toBe(true)
  expect(await counted('cat', { act: 'unblock' })).toBe(true)
  expect(await counted('dan', { act: 'unexempt' })).toBe(true)
})

test('reset, which a blocked key refuses', async () => {
  const limiter = limited()
  const board = await serveDashboard({ limiters: { limiter } })
  limiter.consume('ann')
  expect((await board.act(act({ act: 'reset' }))).body.key?.policies).toMatchObject([{ used: 0 }])
  limiter.consume('ann')
  limiter.block('ann', '1m')
  const refused = await board.act(act({ act: 'reset' }))
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { code: 'SLUICE_VIEW_KEY_BLOCKED' } },
  })
  expect(limiter.status('ann').policies['default'].used).toBe(1)
})

test('a reset that one policy refuses changes none of the others', async () => {
  const policies = { base: fixedWindow({ limit: 5, window: '1h' }) }
  const limiter = createLimiter({ name, policies })
  const board = await serveDashboard({ limiters: { limiter } })
  const options = { policies: { pro: fixedWindow({ limit: 50, window: '1h' }) } }
  limiter.consume('ann')
  limiter.consume('ann', options)
  limiter.block('ann', '1h', options)
  expect((await board.act(act({ act: 'reset' }))).body.error?.code).toBe('SLUICE_VIEW_KEY_BLOCKED')
  expect(limiter.status('ann').policies['base'].used).toBe(1)
})

test('penalize', async () => {
  const limiter = limited()
  const board = await serveDashboard({ limiters: { limiter } })
  const { body } = await board.act(act({ act: 'penalize', units: 7 }))
  expect(body.key?.policies).toMatchObject([{ used: 7, remaining: 3, limit: 10 }])
})

test('exempt allows a key without counting it, and unexempt ends that', async () => {
  const limiter = limited()
  const board = await serveDashboard({ limiters: { limiter } })
  const exempted = await board.act(act({ act: 'exempt', length: '1h' }))
  expect(exempted.status).toBe(200)
  expect(exempted.body.key?.policies[0].exemptMs).toBeGreaterThan(3_590_000)
  expect(limiter.consume('ann', { cost: 11 })).toMatchObject({ allowed: true, exempt: true })
  const ended = await board.act(act({ act: 'unexempt' }))
  expect(ended.body.key?.policies).toMatchObject([{ used: 0, exemptMs: 0 }])
  expect(limiter.consume('ann', { cost: 11 }).allowed).toBe(false)
})

test('grant gives a key units beside its quota, and ungrant ends that', async () => {
  const limiter = limited()
  const board = await serveDashboard({ limiters: { limiter } })
  const granted = await board.act(act({ act: 'grant', units: 500, length: '1h' }))
  expect(granted.body.key?.policies).toMatchObject([{ used: 0, granted: 500, remaining: 510 }])
  expect(limiter.consume('ann', { cost: 500 })).toMatchObject({ allowed: true, remaining: 10 })
  expect((await board.act(act({ act: 'grant', units: 500 }))).status).toBe(400)
  expect((await board.act(act({ act: 'grant', length: '1h' }))).status).toBe(400)
  const ended = await board.act(act({ act: 'ungrant' }))
  expect(ended.body.key?.policies[0]).not.toHaveProperty('granted')
  expect([ended.body.wasCounted, ended.body.key?.policies[0].remaining]).toEqual([true, 10])
})

test('an act is published with its key, its reason and its author', async () => {
  const events = actEvents()
  const limiter = limited()
  const clock = (): number => 1_767_268_800_000
  const authorize = () => ({ role: 'write' as const, name: 'ann@example.com' })
  const board = await serveDashboard({ limiters: { limiter }, authorize, clock })
  await board.act(act({ act: 'block', length: '10m', reason: 'attacks' }))
  await board.act(act({ act: 'penalize', units: 3 }))
  const by = { role: 'write', name: 'ann@example.com' }
  expect(events).toEqual([
    {
      limiter: name,
      key: 'ann',
      act: 'block',
      length: '10m',
      reason: 'attacks',
      by,
      at: clock(),
      ok: true,
    },
    {
      limiter: name,
      key: 'ann',
      act: 'penalize',
      units: 3,
      reason: 'a test',
      by,
      at: clock(),
      ok: true,
    },
  ])
})

test('an act that fails is published with its error', async () => {
  const events = actEvents()
  const limiter = limited()
  const board = await serveDashboard({ limiters: { limiter } })
  limiter.block('ann', '1m')
  await board.act(act({ act: 'reset' }))
  await board.act(act({ act: 'reset', limiter: 'other' }))
  expect(events).toMatchObject([{ ok: false, error: { code: 'SLUICE_VIEW_KEY_BLOCKED' } }])
})

test('a length that is too long is an answer with the bound', async () => {
  const board = await serveDashboard({ limiters: { limiter: limited() } })
  const { body } = await board.act(act({ act: 'block', length: '9999d' }))
  expect(body.error?.message).toContain('at most ten years')
})

test('an error of the limiter is the answer', async () => {
  const limiter = createLimiter({ name, policies: unlimited() })
  const board = await serveDashboard({ limiters: { limiter } })
  const { status, body } = await board.act(act({ act: 'block', length: '1m' }))
  expect([status, body.error?.code]).toEqual([400, 'SLUICE_OPTION_INVALID'])
})

test('a limiter that does not answer is not waited for', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  let asked = 0
  const status = async (): Promise<never> => (asked++, new Promise(() => {}))
  const limiter = Object.assign(limited(), { status })
  const board = await serveDashboard({ limiters: { limiter } })
  const answer = board.act(act({ act: 'unblock' }))
  // About the key, and about one that was never counted.
  await vi.waitFor(() => expect(asked).toBe(2))
  await vi.advanceTimersByTimeAsync(5000)
  expect(await answer).toMatchObject({ status: 503, body: { error: { code: 'SLUICE_VIEW_LATE' } } })
})

test.each(['local', 'allow', 'deny'] as const)(
  'an act fails while the store is unavailable, and changes nothing: onStoreError %s',
  async (onStoreError) => {
    const server = await startRedis()
    onTestFinished(async () => server.stop())
    const client = server.client({ maxRetriesPerRequest: 0, retryStrategy: () => 20 })
    const limiterIn = (timeout: number): Limiter =>
      createLimiter({
        name,
        limit: 5,
        window: '1h',
        store: redisStore(client, { timeout }),
        onStoreError,
      })
    const [patient, limiter] = [limiterIn(10_000), limiterIn(250)]
    const [before, board] = [
      await serveDashboard({ limiters: { patient } }),
      await serveDashboard({ limiters: { limiter } }),
    ]
    expect((await before.act(act({ act: 'penalize', units: 2 }))).status).toBe(200)
    process.kill(server.pid, 'SIGSTOP')
    const { status, body } = await board.act(act({ act: 'block', length: '1h' }))
    const { allowed } = await limiter.consume('ann')
    process.kill(server.pid, 'SIGCONT')
    expect(allowed).toBe(onStoreError !== 'deny')
    expect(status).toBe(503)
    expect(body.error?.code).toMatch(/^SLUICE_(?:VIEW_)?STORE_/)
    expect((await patient.status('ann')).policies['default']).toMatchObject({
      used: 2,
      blockedMs: 0,
    })
  },
)

test('the policies of a limiter that each call chooses are those of its decisions', async () => {
  const limiter: Limiter = createLimiter({ name, policies: chosenPerCall })
  const board = await serveDashboard({ limiters: { limiter } })
  const early = await board.act(act({ act: 'block', length: '1m' }))
  expect(early).toMatchObject({
    status: 400,
    body: { error: { code: 'SLUICE_VIEW_POLICIES_UNSEEN' } },
  })
  const policies = { plan: fixedWindow({ limit: 3, window: '1h' }) }
  await limiter.consume('ann', { policies })
  expect(await board.key(name, { key: 'ann' })).toMatchObject({
    policies: [{ name: 'plan', used: 1, limit: 3 }],
  })
  expect((await board.act(act({ act: 'block', length: '1m' }))).status).toBe(200)
  expect((await limiter.peek('ann', { policies })).allowed).toBe(false)
})

test('an act before the first decision reaches all policies of the limiter', async () => {
  const policies = {
    second: fixedWindow({ limit: 1, window: '1s' }),
    hour: fixedWindow({ limit: 9, window: '1h' }),
  }
  const store = memoryStore()
  // Another process, before it ended.
  createLimiter({ name, policies: { hour: policies.hour }, store }).consume('ann')
  const limiter: Limiter = createLimiter({ name, policies, store })
  const board = await serveDashboard({ limiters: { limiter } })
  const { body } = await board.act(act({ act: 'exempt', length: '1h' }))
  expect(body.key?.policies.map((one) => one.name)).toEqual(['second', 'hour'])
  for (let i = 0; i < 3; i++) expect((await limiter.consume('ann')).allowed).toBe(true)
})

test('a penalty is refused if the limit depends on the request', async () => {
  const limiter: Limiter = createLimiter({ name, policies: chosenPerCall })
  const board = await serveDashboard({ limiters: { limiter } })
  for (const [key, limit] of [
    ['ann', 3],
    ['bob', 9],
  ] as const) {
    await limiter.consume(key, { policies: { plan: fixedWindow({ limit, window: '1h' }) } })
  }
  const refused = await board.act(act({ act: 'penalize', units: 1 }))
  expect(refused).toMatchObject({
    status: 400,
    body: { error: { code: 'SLUICE_VIEW_LIMIT_VARIES' } },
  })
  expect((await board.act(act({ act: 'block', length: '1m' }))).status).toBe(200)
})

test('a penalty of a key whose limit is not known is accepted an hour after the limit has changed', async () => {
  const clock = Object.assign(() => clock.now, { now: 1_767_268_800_000 })
  const limiter: Limiter = createLimiter({ name, policies: chosenPerCall, clock })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  const consume = async (key: string, limit: number): Promise<unknown> =>
    limiter.consume(key, { policies: { plan: fixedWindow({ limit, window: '1d' }) } })
  await consume('ann', 3)
  await consume('ann', 9)
  expect((await board.key(name, { key: 'ann' })).policies[0].limit).toBe(9)
  const penalize = async (key: string) =>
    (await board.act(act({ act: 'penalize', key, units: 1 }))).status
  expect([await penalize('eve'), await penalize('ann')]).toEqual([400, 200])
  clock.now += 3_600_000
  await consume('ann', 9)
  expect(await penalize('eve')).toBe(200)
})

test('the share of a limit that a fallback has is not its limit', async () => {
  const server = await startRedis()
  onTestFinished(async () => server.stop())
  const client = server.client({ maxRetriesPerRequest: 0, retryStrategy: () => 20 })
  const store = redisStore(client, { timeout: 250 })
  const limiter = createLimiter({ name, limit: 10, window: '1h', store, localShare: 0.5 })
  const board = await serveDashboard({ limiters: { limiter } })
  await limiter.consume('ann')
  process.kill(server.pid, 'SIGSTOP')
  expect(await limiter.consume('ann')).toMatchObject({ source: 'fallback', limit: 5 })
  for (let i = 0; i < 6; i++) await limiter.consume('ann')
  process.kill(server.pid, 'SIGCONT')
  await vi.waitFor(async () => {
    expect((await board.act(act({ act: 'penalize', units: 1 }))).status).toBe(200)
  }, 10_000)
  expect((await board.view()).limiters[0].policies[0].limit).toBe(10)
})

test.each([
  ['a plan', 'limit: { by: plan, free: 5, else: 50 }, window: 1m', 400],
  [
    'a plan, as a policy',
    'policy: { by: plan, free: { kind: fixedWindow, limit: 5, window: 1m }, else: { kind: unlimited } }',
    400,
  ],
  ['an override', 'limit: 5, window: 1m, overrides: { of: plan, entries: { pro: 50 } }', 400],
  ['a value', 'limit: $quota, window: 1m', 400],
  ['nothing', 'limit: 5, window: 1m', 200],
])('rules: a penalty of a key whose limit depends on %s', async (_, limit, status) => {
  const source = staticSource(
    `version: 1\nname: ${name}\nvalues: { plan: string, quota: integer }\nrules:\n  - { id: all, key: plan, ${limit} }`,
  )
  const rules = await loadRules({ source, values: { plan: () => '', quota: () => 5 } })
  onTestFinished(() => rules.close())
  const limiter: Limiter = createLimiter({ name, policies: chosenPerCall })
  const board = await serveDashboard({ limiters: { limiter }, rules })
  expect((await board.act(act({ act: 'penalize', units: 1 }))).status).toBe(status)
})

test('rules: an act reaches the counts of the key, and the answer has the rules', async () => {
  const source = staticSource(`version: 1
name: ${name}
values: { user: string, team: string }
rules:
  - { id: per-user, key: user, limit: 2, window: 1h, note: One hour }
  - { id: per-team, key: team, limit: 9, window: 1h }
  - { id: watched, key: user, limit: 1, window: 1m, shadow: true }`)
  const rules = await loadRules({ source, values: { user: () => '', team: () => '' } })
  const store = memoryStore()
  const limiter = createRuleLimiter({ rules, store })
  const memory: Limiter = createLimiter({ name, policies: chosenPerCall, store })
  const board = await serveDashboard({ limiters: { memory }, rules })
  // Without decisions, the policies are those of the rules.
  expect((await board.key(name, { key: 'ann' })).policies.map((one) => one.name)).toEqual([
    'per-user',
    'per-team',
    'watched',
  ])
  for (let i = 0; i < 3; i++) await limiter.consume({ user: 'ann', team: 'red' })
  const view = await board.view()
  expect(view.rules).toMatchObject({
    name,
    version: rules.state().version,
    from: 'source',
    loadedAt: rules.state().loadedAt.getTime(),
    rules: [
      {
        id: 'per-user',
        description: 'One hour',
        shadow: false,
        enabled: true,
        stats: { matched: 3, asked: 3, allowed: 2, denied: 1 },
      },
      { id: 'per-team', stats: { allowed: 3, denied: 0 } },
      { id: 'watched', shadow: true, stats: { shadowDenied: 1 } },
    ],
  })
  expect(view.rules?.refused).toBe(undefined)
  // The shadow rule denies no request.
  const [{ denied, series, policies, top }] = view.limiters
  expect([series.allowed, series.denied, series.wouldDeny].map((all) => all.at(-1))).toEqual([
    2, 1, 1,
  ])
  expect(denied.map(({ key, policies }) => [key, policies])).toEqual([['|user|ann', ['per-user']]])
  expect(policies.map((one) => [one.name, one.denied.at(-1), one.wouldDeny?.at(-1)])).toEqual([
    ['per-user', 1, undefined],
    ['per-team', 0, undefined],
    ['watched', 0, 1],
  ])
  expect(top.requests.keys.map(({ key, count }) => [key, count])).toEqual([
    ['|team|red', 3],
    ['|user|ann', 3],
  ])
  // A key is looked at with the rules that count by it.
  const looked = await board.key(name, { exact: denied[0].key })
  expect(looked.policies.map((one) => one.name)).toEqual(['per-user', 'watched'])
  expect(looked.rules).toEqual([{ id: 'per-user', description: 'One hour' }, { id: 'watched' }])
  rules.close()
})

test('rules that were refused say since when, and why', async () => {
  const rules = await loadRules({ source: staticSource(document(1)) })
  const clock = Object.assign(() => clock.now, { now: 1_767_268_800_000 })
  const stale = {
    code: 'SLUICE_RULES_INVALID',
    message: 'rule "a": the limit is missing',
    findings: [],
  }
  const refused = { ...rules, current: rules.current, state: () => ({ ...rules.state(), stale }) }
  const board = await serveDashboard({ rules: refused, clock })
  await board.view()
  clock.now += 60_000
  expect((await board.view()).rules?.refused).toEqual({
    at: clock.now - 60_000,
    code: stale.code,
    message: stale.message,
  })
  rules.close()
})

test('rules that are refused again say since when they are refused again', async () => {
  const rules = await loadRules({ source: staticSource(document(1)) })
  onTestFinished(() => rules.close())
  const clock = Object.assign(() => clock.now, { now: 1_767_268_800_000 })
  const invalid = { code: 'SLUICE_RULES_INVALID', message: 'no limit', findings: [] }
  let stale: typeof invalid | undefined
  const state = () => ({ ...rules.state(), stale })
  const board = await serveDashboard({
    rules: { ...rules, current: rules.current, state },
    clock,
  })
  const refused = async () => (await board.view()).rules?.refused
  for (let i = 0; i < 3; i++) {
    stale = invalid
    const at = clock.now
    expect(await refused()).toMatchObject({ at })
    clock.now += 60_000
    expect(await refused()).toMatchObject({ at })
    stale = undefined
    expect(await refused()).toBeUndefined()
  }
})

function document(limit: number): string {
  return `version: 1\nname: ${name}\nrules:\n  - { id: a, key: [], limit: ${limit}, window: 1m }`
}

function act(changes: object): object {
  return { limiter: name, key: 'ann', reason: 'a test', ...changes }
}

import { createLimiter, fixedWindow, notLimited } from '@sluice/core'
import { expect, test } from 'vitest'
import type { LimiterView } from '../src/index.js'
import { serveDashboard } from './served.js'

/** A clock that only the test moves. Minutes and steps begin at its start. */
function testClock(): { (): number; now: number } {
  const clock = (): number => clock.now
  clock.now = Date.UTC(2026, 0, 1, 12)
  return clock
}

const none = { allowed: [0, 0, 0], denied: [0, 0, 0], exempt: [0, 0, 0], wouldDeny: [0, 0, 0] }

const names = { a: 'view-a', b: 'view-b' }

test('the view has the decisions of each limiter, step by step', async () => {
  const clock = testClock()
  const limiter = createLimiter({ name: names.a, limit: 2, window: '1m', clock })
  const other = createLimiter({ name: names.b, limit: 9, window: '1m', clock })
  const board = await serveDashboard({ limiters: { a: limiter }, clock })
  for (let i = 0; i < 5; i++) limiter.consume('ann')
  clock.now += 20_000
  limiter.consume('bob')
  other.consume('ann')
  const view = await board.view()
  expect(view).toMatchObject({
    at: clock.now,
    role: 'write',
    processes: 1,
    share: { state: 'none', notMerged: 0 },
    stores: [],
  })
  const [a, b] = view.limiters
  expect([a.name, a.canAct, b.name, b.canAct]).toEqual([names.a, true, names.b, false])
  expect(a.series).toMatchObject({ startsAt: clock.now - 3_590_000, stepMs: 10_000 })
  expect(tailOf(a)).toEqual({ ...none, allowed: [2, 0, 1], denied: [3, 0, 0] })
  expect(a.policies).toEqual([{ name: 'default', limit: 2, denied: a.series.denied }])
  expect(countsOf(a.top.requests.keys)).toEqual(['ann 5', 'bob 1'])
  expect(countsOf(a.top.denials.keys)).toEqual(['ann 3'])
  expect(tailOf(b).allowed).toEqual([0, 0, 1])
})

test('a denied key has the time at which it is allowed again, and its denials', async () => {
  const clock = testClock()
  const limiter = createLimiter({ name: names.a, policies: minute(1), clock })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  limiter.consume('ann')
  const firstDeniedAt = clock.now
  limiter.consume('ann')
  clock.now += 5000
  limiter.consume('ann')
  const [{ denied }] = (await board.view()).limiters
  expect(denied).toEqual([
    {
      key: 'ann',
      policies: ['default'],
      untilAt: firstDeniedAt + 60_000,
      denials: 2,
      firstDeniedAt,
      lastDeniedAt: clock.now,
      source: 'store',
      isBlocked: false,
    },
  ])
  clock.now = firstDeniedAt + 60_000
  expect((await board.view()).limiters[0].denied).toEqual([])
})

test('the view says whether a key is blocked or over its quota', async () => {
  const clock = testClock()
  const blocking = fixedWindow({ limit: 1, window: '1m', block: { for: '10m', on: 'exceeded' } })
  const limiter = createLimiter({ name: names.a, policies: blocking, clock })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  limiter.block('eve', '1h')
  for (const key of ['ann', 'ann', 'eve']) limiter.consume(key)
  const [{ denied }] = (await board.view()).limiters
  expect(denied.map(({ key, isBlocked, untilAt }) => [key, isBlocked, untilAt])).toEqual([
    ['ann', true, clock.now + 600_000],
    ['eve', true, clock.now + 3_600_000],
  ])
})

test('a key that is never allowed with its cost has no end', async () => {
  const limiter = createLimiter({ name: names.a, policies: minute(1) })
  const board = await serveDashboard({ limiters: { limiter } })
  limiter.consume('ann', { cost: 2 })
  expect((await board.view()).limiters[0].denied).toMatchObject([{ key: 'ann', untilAt: null }])
})

test('a key is no longer listed once it is allowed before its time', async () => {
  const clock = testClock()
  const limiter = createLimiter({ name: names.a, policies: minute(1), clock })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  for (const key of ['ann', 'ann']) limiter.consume(key)
  limiter.reset('ann')
  limiter.consume('ann')
  expect((await board.view()).limiters[0].denied).toEqual([])
})

test('denials are counted for the policies that deny, and for their keys', async () => {
  const limiter = createLimiter({
    name: names.a,
    policies: { user: minute(1), address: minute(2) },
  })
  const board = await serveDashboard({ limiters: { limiter } })
  for (let i = 0; i < 2; i++) limiter.consume({ user: 'ann', address: '192.0.2.1' })
  limiter.consume({ user: notLimited, address: '192.0.2.1' })
  limiter.consume({ user: notLimited, address: '192.0.2.1' })
  const [view] = (await board.view()).limiters
  expect(view.policies.map(({ name, denied }) => [name, denied.at(-1)])).toEqual([
    ['user', 1],
    ['address', 1],
  ])
  expect(countsOf(view.top.denials.keys)).toEqual(['192.0.2.1 1', 'ann 1'])
  // A map, because the order of equal numbers depends on the time.
  expect(new Map(view.denied.map(({ key, policies }) => [key, policies]))).toEqual(
    new Map([
      ['192.0.2.1', ['address']],
      ['ann', ['user']],
    ]),
  )
})

test('a part of the allowed decisions reaches the frequent keys, and all denials do', async () => {
  // A step that ends meanwhile would divide the counts.
  const clock = (): number => Date.UTC(2026, 0, 1)
  const limiter = createLimiter({ name: names.a, policies: minute(5000), clock })
  // Two decisions for each request, as of two limits.
  const second = createLimiter({ name: names.b, policies: minute(9000), clock })
  const board = await serveDashboard({ limiters: { limiter }, sample: 0.4, clock })
  for (let i = 0; i < 6000; i++) {
    limiter.consume('ann')
    second.consume('ann')
  }
  const [one, two] = (await board.view()).limiters
  expect(tailOf(one)).toMatchObject({ allowed: [0, 0, 5000], denied: [0, 0, 1000] })
  expect(countsOf(one.top.denials.keys)).toEqual(['ann 1000'])
  for (const { top } of [one, two]) {
    // Six standard deviations are about 500.
    expect(top.requests.keys[0].count).toBeGreaterThan(5200)
    expect(top.requests.keys[0].count).toBeLessThan(6800)
  }
})

test('a key that is allowed again is not listed, whether or not that decision is in the sample', async () => {
  const limiter = createLimiter({ name: names.a, policies: minute(1) })
  const board = await serveDashboard({ limiters: { limiter }, sample: 0.000_001 })
  for (let i = 0; i < 2; i++) limiter.consume('ann')
  limiter.reset('ann')
  limiter.consume('ann')
  expect((await board.view()).limiters[0].denied).toEqual([])
})

test('an exempt decision is counted by itself', async () => {
  const limiter = createLimiter({ name: names.a, policies: minute(1) })
  const board = await serveDashboard({ limiters: { limiter } })
  const { publishExempt } = await import('./exempt.js')
  limiter.consume('ann')
  publishExempt(names.a, 'ann')
  const [view] = (await board.view()).limiters
  expect(tailOf(view)).toEqual({ ...none, allowed: [0, 0, 1], exempt: [0, 0, 1] })
})

test('denials that deny no request are counted apart: those of a dry run are allowed requests', async () => {
  const limiter = createLimiter({
    name: names.a,
    policies: { user: minute(1), address: minute(2) },
  })
  const board = await serveDashboard({ limiters: { limiter } })
  for (let i = 0; i < 4; i++) limiter.consume('ann', { mode: 'dryRun' })
  const all = { allowed: [0, 0, 4], denied: [0, 0, 0], exempt: [0, 0, 0], wouldDeny: [0, 0, 3] }
  const [dry] = (await board.view()).limiters
  expect(tailOf(dry)).toEqual(all)
  expect(countsOf(dry.top.requests.keys)).toEqual(['ann 4'])
  for (const mode of ['shadow', 'tagging'] as const) limiter.consume('ann', { mode })
  for (const mode of ['shadow', 'tagging'] as const) limiter.consume('bob', { mode })
  const [view] = (await board.view()).limiters
  expect(tailOf(view)).toEqual({ ...all, wouldDeny: [0, 0, 6] })
  expect(
    view.policies.map(({ name, wouldDeny, denied }) => [name, wouldDeny?.at(-1), denied.at(-1)]),
  ).toEqual([
    ['user', 6, 0],
    ['address', undefined, 0],
  ])
  expect([view.denied, view.top.denials.keys]).toEqual([[], []])
})

test('frequent keys are those of the last minutes', async () => {
  const clock = testClock()
  const limiter = createLimiter({ name: names.a, limit: 100, window: '1h', clock })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  const began = clock.now
  for (let i = 0; i < 9; i++) limiter.consume('old')
  clock.now += 300_000
  limiter.consume('new')
  const soon = (await board.view()).limiters[0].top.requests
  expect([countsOf(soon.keys), soon.sinceAt]).toEqual([['old 9', 'new 1'], began])
  clock.now += 300_000
  const later = (await board.view()).limiters[0].top.requests
  expect([countsOf(later.keys), later.sinceAt]).toEqual([['new 1'], began + 300_000])
})

test('counts end after an hour, also if nothing is decided meanwhile', async () => {
  const clock = testClock()
  const limiter = createLimiter({ name: names.a, limit: 1, window: '1m', clock })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  for (const key of ['ann', 'ann']) limiter.consume(key)
  const sums = async (): Promise<readonly number[]> => {
    const [{ series, policies }] = (await board.view()).limiters
    return [series.allowed, series.denied, policies[0].denied].map((counts) =>
      counts.reduce((sum, count) => sum + count, 0),
    )
  }
  clock.now += 3_590_000
  expect(await sums()).toEqual([1, 1, 1])
  clock.now += 10_000
  expect(await sums()).toEqual([0, 0, 0])
})

test('the series start again at the new time if the clock is set back', async () => {
  const clock = testClock()
  const limiter = createLimiter({ name: names.a, policies: minute(1) })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  clock.now += 3_600_000
  for (let i = 0; i < 3; i++) limiter.consume('ann')
  clock.now -= 50_000
  limiter.consume('ann')
  expect(tailOf((await board.view()).limiters[0]).denied).toEqual([0, 0, 3])
  clock.now -= 3_550_000
  limiter.consume('bob')
  clock.now += 10_000
  limiter.consume('bob')
  const { at, limiters } = await board.view()
  const [api] = limiters
  expect(at - api.series.startsAt).toBe(3_590_000)
  expect(tailOf(api)).toEqual({ ...none, allowed: [0, 1, 0], denied: [0, 0, 1] })
  expect(countsOf(api.top.requests.keys)).toEqual(['bob 2'])
  expect(api.denied.map(({ key }) => key)).toEqual(['bob'])
})

test('after 49 limiters, the decisions of others are counted together', async () => {
  const board = await serveDashboard()
  for (let i = 0; i < 60; i++) {
    createLimiter({ name: `many-${i}`, limit: 1, window: '1m' }).consume('ann')
  }
  const { limiters } = await board.view()
  expect(limiters.length).toBe(50)
  const others = limiters.find(({ name }) => name === 'other limiters')
  expect(others && tailOf(others).allowed).toEqual([0, 0, 11])
})

test('two dashboards of a process share what they collect, until both are closed', async () => {
  const limiter = createLimiter({ name: names.a, limit: 1, window: '1m' })
  const [first, second] = [await serveDashboard(), await serveDashboard()]
  limiter.consume('ann')
  await first.dashboard.close()
  await first.dashboard.close()
  limiter.consume('bob')
  expect(tailOf((await second.view()).limiters[0]).allowed).toEqual([0, 0, 2])
  await second.dashboard.close()
  limiter.consume('eve')
  expect(tailOf((await second.view()).limiters[0]).allowed).toEqual([0, 0, 2])
})

test('`mask` changes the text of keys for the role `read`, and hides them if it fails', async () => {
  const limiter = createLimiter({ name: names.a, limit: 1, window: '1m' })
  const mask = (key: string): string => {
    if (key === 'eve') throw new Error('no mask')
    return `${key.slice(0, 2)}…`
  }
  const board = await serveDashboard({ limiters: { limiter }, mask, authorize: () => 'read' })
  expect((await board.view()).isMasked).toBe(true)
  for (const key of ['ann', 'ann', 'eve', 'eve', 'eve']) limiter.consume(key)
  const text = JSON.stringify(await board.view())
  expect(text).not.toContain('"ann"')
  expect(text).not.toContain('"eve"')
  const [{ denied }] = (await board.view()).limiters
  expect(denied.map(({ key }) => key)).toEqual(['(hidden)', 'an…'])
})

function minute(limit: number) {
  return fixedWindow({ limit, window: '1m' })
}

/** The last three steps. */
function tailOf({ series: { allowed, denied, exempt, wouldDeny } }: LimiterView) {
  const [a, d, e, w] = [allowed, denied, exempt, wouldDeny].map((counts) => counts.slice(-3))
  return { allowed: a, denied: d, exempt: e, wouldDeny: w }
}

function countsOf(keys: LimiterView['top']['requests']['keys']): readonly string[] {
  return keys.map(({ key, count }) => `${key} ${count}`)
}

test('a denied key stays in the list until all policies of its last denial allow it', async () => {
  const clock = testClock()
  const limiter = createLimiter({ name: names.a, policies: { site: minute(9) }, clock })
  const board = await serveDashboard({ limiters: { limiter }, clock })
  const options = { policies: { login: minute(1) } }
  for (let i = 0; i < 3; i++) limiter.consume('ann', options)
  limiter.consume('ann')
  const both = { policies: { ...options.policies, site: minute(9) } }
  limiter.consume({ site: 'ann', login: 'bob' }, both)
  const denied = async (): Promise<unknown> =>
    (await board.view()).limiters[0].denied.map(({ key, policies, denials }) => [
      key,
      policies,
      denials,
    ])
  expect(await denied()).toEqual([['ann', ['login'], 2]])
  limiter.reset('ann', options)
  limiter.consume('ann', options)
  expect(await denied()).toEqual([])
})

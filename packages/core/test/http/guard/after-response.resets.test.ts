import { expect, test, vi } from 'vitest'
import { fixedWindow, memoryStore, notLimited } from '../../../src/index.js'
import type { ResponseOutcome } from '../../../src/http/index.js'
import { startHttp1 } from '../servers.js'
import { endings, five, limiterOf, site, slots, watchedStore } from './site.js'

test('a success resets the failures before it, of the same key only', async () => {
  const store = memoryStore()
  const limiter = limiterOf(five, store)
  const { handler, over } = site(
    {
      policies: five,
      store,
      count: 'failures',
      resetOn: 'success',
      key: ({ user }) => [user ?? ''],
    },
    (response, user) => (user === 'ada' ? response.end() : endings['bad'](response)),
  )
  limiter.consume(['ada'], { cost: 4 })
  limiter.consume(['bob'], { cost: 3 })
  const ask = await startHttp1(handler)
  await ask('/ada').whole()
  await ask('/bob').whole()
  await over(2)
  expect(limiter.status(['ada']).policies['default'].used).toBe(0)
  expect(limiter.status(['bob']).policies['default'].used).toBe(4)
})

test('a success resets each policy by its own key, except policies without a key and leases of other requests', async () => {
  const store = memoryStore()
  const policies = Object.fromEntries([
    ['user', five],
    ['address', five],
    ['__proto__', five],
    ['constructor', five],
    ['slots', slots],
  ])
  const limiter = limiterOf(policies, store)
  const keys = Object.fromEntries(Object.keys(policies).map((policy) => [policy, `the ${policy}`]))
  limiter.consume(keys)
  const { handler, over } = site(
    { policies, store, resetOn: 'success', key: { ...keys, address: notLimited } },
    (response) => response.end(),
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  const used = Object.entries(limiter.status(keys).policies).map(([policy, { used }]) => [
    policy,
    used,
  ])
  expect(used).toEqual([
    ['user', 0],
    ['address', 1],
    ['__proto__', 0],
    ['constructor', 0],
    ['slots', 1],
  ])
})

test('a success resets only the named policies, so that it gives no new attempts at other accounts', async () => {
  const store = memoryStore()
  const policies = { account: five, address: five }
  const limiter = limiterOf(policies, store)
  const { handler, over } = site(
    {
      policies,
      store,
      key: { account: ({ user = '' }) => user, address: 'one' },
      count: 'failures',
      resetOn: { success: ['account'] },
    },
    (response, user) => (user === 'mallory' ? response.end() : endings['bad'](response)),
  )
  const ask = await startHttp1(handler)
  for (const user of ['ada', 'mallory', 'ada', 'mallory']) await ask(`/${user}`).whole()
  await over(4)
  const used = (account: string) =>
    Object.values(limiter.status({ account, address: 'one' }).policies).map(({ used }) => used)
  expect([used('ada'), used('mallory')]).toEqual([
    [2, 2],
    [0, 2],
  ])
})

test('the success of a denied request that continues resets the failures before it', async () => {
  const { store, verbs, memory } = watchedStore()
  const { handler, over } = site(
    {
      policies: { five, slots },
      store,
      key: 'all',
      count: 'failures',
      resetOn: 'success',
      onDenied: () => 'continue',
    },
    (response) => response.end(),
  )
  limiterOf({ five, slots }, memory).penalize({ five: 'all', slots: notLimited }, 9)
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  await vi.waitFor(() => expect(verbs).toEqual(['consume', 'reset']))
  expect(limiterOf(five, memory).status('all').policies['default'].used).toBe(0)
})

test('listens to the end of a denied request that continues only for `resetOn`', async () => {
  const { store, verbs } = watchedStore()
  const outcomes: ResponseOutcome[] = []
  const { handler, over } = site(
    {
      policies: fixedWindow({ limit: 0, window: '1m' }),
      store,
      count: (outcome) => outcomes.push(outcome) > 0,
      resetOn: 'success',
      onDenied: () => 'continue',
    },
    (response) => ((response.statusCode = 401), response.end()),
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  expect([verbs, outcomes]).toEqual([['consume'], []])
})

test('the success of a denied request that continues allows no request early', async () => {
  const { store, verbs } = watchedStore()
  const { handler, over, actions } = site(
    {
      policies: { five: fixedWindow({ limit: 0, window: '1m' }), slots },
      store,
      count: 'failures',
      resetOn: 'success',
      onDenied: () => 'degraded',
    },
    () => {},
  )
  const ask = await startHttp1(handler)
  await ask().whole()
  await over(1)
  expect(actions.map(({ type }) => type)).toEqual(['handle'])
  expect(verbs).toEqual(['consume'])
})

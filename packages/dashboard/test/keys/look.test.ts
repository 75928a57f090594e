import {
  concurrency,
  createLimiter,
  fixedWindow,
  tokenBucket,
  unlimited,
  type Limiter,
  type MemoryStore,
  type Policies,
} from '@sluice/core'
import { chosenPerCall } from '@sluice/core/internal'
import { expect, test } from 'vitest'
import type { DashboardOptions } from '../../src/index.js'
import { serveDashboard, type Served } from '../served.js'

const name = 'plans'

const free = fixedWindow({ limit: 100, window: '1h' })
const pro = fixedWindow({ limit: 10_000, window: '1h' })

interface Plans extends Served {
  readonly limiter: Limiter<MemoryStore>
  use(key: string, policies: Policies, times?: number): void
}

/** A limiter whose calls choose their policies. */
async function planned(options: Partial<DashboardOptions> = {}): Promise<Plans> {
  const limiter = createLimiter({ name, policies: chosenPerCall })
  const board = await serveDashboard({ limiters: { limiter }, ...options })
  return {
    ...board,
    limiter,
    use(key, policies, times = 1) {
      for (let i = 0; i < times; i++) limiter.consume(key, { policies })
    },
  }
}

test.each([
  ['before', ['free', 'pro']],
  ['after', ['pro', 'free']],
])(
  'a key shows the limit of its own last decision, %s a decision by another plan',
  async (_, order) => {
    const board = await planned()
    for (const plan of order) {
      if (plan === 'free') board.use('ann', { quota: free }, 101)
      else board.use('bob', { quota: pro }, 100)
    }
    const { policies } = await board.key(name, { key: 'ann' })
    expect(policies).toMatchObject([{ name: 'quota', used: 100, limit: 100, remaining: 0 }])
    expect(policies[0].isUncertain).toBeUndefined()
  },
)

test('a key whose plan changes shows the limit of the new plan', async () => {
  const board = await planned()
  board.use('ann', { quota: free }, 101)
  board.use('ann', { quota: pro })
  expect((await board.key(name, { key: 'ann' })).policies).toMatchObject([
    { used: 101, limit: 10_000, remaining: 9899 },
  ])
})

test('a key whose last decision is not known says so', async () => {
  const board = await planned()
  board.use('ann', { quota: free })
  board.use('bob', { quota: pro })
  const [ann] = (await board.key(name, { key: 'ann' })).policies
  expect(ann).toMatchObject({ used: 1, isUncertain: true })
  const [bob] = (await board.key(name, { key: 'bob' })).policies
  expect([bob.limit, bob.isUncertain]).toEqual([10_000, undefined])
  const penalize = { limiter: name, act: 'penalize', units: 1, reason: 'a test' }
  expect((await board.act({ ...penalize, key: 'ann' })).body.error?.code).toBe(
    'SLUICE_VIEW_LIMIT_VARIES',
  )
  expect((await board.act({ ...penalize, key: 'bob' })).body.key?.policies).toMatchObject([
    { used: 2, remaining: 9998 },
  ])
})

test('without different limits, no key is uncertain', async () => {
  const board = await planned()
  board.use('ann', { quota: free })
  for (const key of ['ann', 'eve']) {
    expect((await board.key(name, { key })).policies[0].isUncertain).toBeUndefined()
  }
})

test('plans of different algorithms each show their own counts', async () => {
  const board = await planned()
  const bucket = tokenBucket({ capacity: 5, refill: 1, every: '1h' })
  board.use('bob', { quota: pro }, 3)
  board.use('ann', { quota: bucket }, 6)
  board.use('cat', { quota: unlimited() })
  expect((await board.key(name, { key: 'ann' })).policies).toMatchObject([
    { used: 5, limit: 5, remaining: 0 },
  ])
  expect((await board.key(name, { key: 'cat' })).policies).toEqual([])
})

test('`policiesOf` names the policies of a key', async () => {
  const asked: string[] = []
  const board = await planned({
    async policiesOf(key, limiter) {
      asked.push(`${limiter} ${key}`)
      if (key === 'eve') return undefined
      return key === '|user|ann'
        ? free
        : { default: pro, slots: concurrency({ limit: 3, lease: '1m' }) }
    },
  })
  board.limiter.consume(['user', 'ann'], { policies: free })
  board.use('bob', pro)
  expect((await board.key(name, { key: '|user|ann' })).policies).toMatchObject([
    { name: 'default', used: 1, limit: 100 },
  ])
  const bob = await board.key(name, { key: 'bob' })
  expect(bob.policies).toMatchObject([
    { name: 'default', used: 1, limit: 10_000 },
    { name: 'slots', used: 0, limit: 3 },
  ])
  expect(bob.policies.some(({ isUncertain }) => isUncertain)).toBe(false)
  expect((await board.key(name, { key: 'eve' })).policies[0].isUncertain).toBe(true)
  expect(asked).toEqual(expect.arrayContaining(['plans |user|ann', 'plans bob', 'plans eve']))
})

test('an error of `policiesOf` is an answer without its message', async () => {
  const board = await planned({
    policiesOf: async () => Promise.reject(new Error('no plan of ann')),
  })
  board.use('ann', free)
  const response = await fetch(`${board.url}api/key?limiter=${name}&key=ann`)
  const text = await response.text()
  expect([response.status, text.includes('SLUICE_VIEW_FAILED'), text.includes('ann')]).toEqual([
    500,
    true,
    false,
  ])
})

test('policies of a call replace those of the limiter by their names', async () => {
  const limiter = createLimiter({ name, policies: { quota: free, burst: free } })
  const board = await serveDashboard({ limiters: { limiter } })
  for (const policies of [
    { quota: pro, burst: free },
    { quota: free, burst: free },
  ]) {
    limiter.consume('bob', { policies })
  }
  limiter.consume('ann', { policies: { quota: pro, burst: free } })
  const shown = async () =>
    (await board.key(name, { key: 'ann' })).policies.map(({ name: one, used, limit }) => [
      one,
      used,
      limit,
    ])
  expect(new Set(await shown())).toEqual(
    new Set([
      ['quota', 1, 10_000],
      ['burst', 1, 100],
    ]),
  )
  const act = { limiter: name, key: 'ann', act: 'penalize', units: 5, reason: 'a test' }
  expect((await board.act(act)).status).toBe(200)
  expect(new Set(await shown())).toEqual(
    new Set([
      ['quota', 6, 10_000],
      ['burst', 6, 100],
    ]),
  )
})

test('the policies of at most 1,000 keys are kept, those of the last decisions', async () => {
  const board = await planned()
  board.use('ann', { quota: pro })
  board.use('first', { quota: free })
  board.use('bob', { quota: pro })
  for (let i = 0; i < 999; i++) board.use(`key ${i}`, { quota: free })
  const isUncertain = async (key: string) =>
    (await board.key(name, { key })).policies[0].isUncertain === true
  expect(await Promise.all(['first', 'bob', 'key 0'].map(isUncertain))).toEqual([
    true,
    false,
    false,
  ])
})

import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  notLimited,
  slidingWindow,
  type MemoryStore,
  type Policies,
} from '@sluice/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

let now: number
let store: MemoryStore
beforeEach(() => {
  now = 1_763_683_200_000
  store = memoryStore()
})
afterEach(() => void vi.restoreAllMocks())

const clock = () => now

/** More than enough requests to sweep every table, whatever the number of tables. */
const many = 10_000

test('a peek changes nothing, not even a row that has expired', () => {
  const policies = fixedWindow({ limit: 2, window: 100 })
  const limiter = createLimiter({ name: 'api', policies, store, clock })
  for (let i = 0; i < 50; i++) limiter.consume(`${i}`)
  now += 10_000
  for (let i = 0; i < many; i++) limiter.peek('another')
  expect(store.size).toBe(50)
  for (let i = 0; i < many; i++) limiter.consume('another')
  expect(store.size).toBe(1)
})

test('state that expired less than a second ago is found again after the clock steps back', () => {
  const policies = fixedWindow({ limit: 2, window: 100 })
  const limiter = createLimiter({ name: 'api', policies, store, clock })
  limiter.consume('key', { cost: 2 })
  now += 1099
  for (let i = 0; i < many; i++) limiter.refund('another')
  now -= 1000
  expect(limiter.consume('key').allowed).toBe(false)
  now += 1001
  for (let i = 0; i < many; i++) limiter.refund('another')
  expect(store.size).toBe(0)
})

test('a row is swept as soon as it has expired', () => {
  // The process's own clock: the limiters of the other tests have one that is injected.
  vi.spyOn(Date, 'now').mockImplementation(clock)
  const policies = fixedWindow({ limit: 2, window: 100 })
  const limiter = createLimiter({ name: 'api', policies, store })
  limiter.consume('key')
  now += 1099
  for (let i = 0; i < many; i++) limiter.refund('another')
  expect(store.size).toBe(1)
  now += 1
  for (let i = 0; i < many; i++) limiter.refund('another')
  expect(store.size).toBe(0)
})

test('counts and blocks are swept', () => {
  const policies = {
    window: fixedWindow({ limit: 1, window: 100, block: { for: 200 } }),
    pace: gcra({ limit: 5, window: 300 }),
  }
  const limiter = createLimiter({ name: 'api', policies, store, clock })
  for (let i = 0; i < 20; i++) {
    limiter.consume(`${i}`)
  }
  expect(store.size).toBe(20 * 3)
  now += 5000
  for (let i = 0; i < many; i++) limiter.refund('another')
  expect(store.size).toBe(0)
})

test('if the store is full, a key that has quota left is evicted before a key that has none, whatever their algorithms', () => {
  store = memoryStore({ maxKeys: 20 })
  const some = createLimiter({
    name: 'some',
    policies: slidingWindow({ limit: 5, window: '1h' }),
    store,
    clock,
  })
  const one = createLimiter({
    name: 'one',
    policies: fixedWindow({ limit: 1, window: '1h' }),
    store,
    clock,
  })
  for (let i = 0; i < 10; i++) some.consume(`${i}`)
  for (let i = 0; i < 20; i++) one.consume(`${i}`)
  expect([store.size, store.evicted]).toEqual([20, 0])
  const again = Array.from({ length: 20 }, (_, i) => one.peek(`${i}`).allowed)
  expect(again).toEqual(Array(20).fill(false))
})

const spendable: Readonly<Record<string, Policies>> = {
  'one policy': fixedWindow({ limit: 4, window: '1h' }),
  'several policies': {
    burst: fixedWindow({ limit: 2, window: '1m' }),
    total: fixedWindow({ limit: 4, window: '1h' }),
  },
}

describe.each(Object.entries(spendable))('a decision by %s', (name, policies) => {
  const rowsPerKey = name === 'one policy' ? 1 : 2

  /** A limiter over a store for this many keys, and keys that have spent the quota of each policy. */
  function setUp(maxKeys: number, spentKeys: number) {
    // Not by a clock of the limiter, which would have rows of its own.
    vi.spyOn(Date, 'now').mockImplementation(() => now)
    const full = memoryStore({ maxKeys: maxKeys * rowsPerKey })
    const limiter = createLimiter({ name: 'api', policies, store: full })
    const spent = Array.from({ length: spentKeys }, (_, i) => `spent ${i}`)
    for (let round = 0; round < 4; round++) {
      if (round === 2) now += 60_000
      for (const key of spent) limiter.consume(key)
    }
    return { full, limiter, spent }
  }

  test('evicts the only key that has quota left, and none of those that have none', () => {
    const { full, limiter, spent } = setUp(3000, 2999)
    for (let i = 0; i < 100; i++) limiter.consume(`new ${i}`)
    expect(spent.filter((key) => limiter.peek(key).allowed)).toEqual([])
    expect([full.size, full.evicted]).toEqual([3000 * rowsPerKey, 0])
  })

  test('evicts a key that has no quota left if all keys are such', () => {
    const { full, limiter } = setUp(10, 10)
    limiter.consume('new')
    expect([full.size, full.evicted]).toEqual([10 * rowsPerKey, 1])
  })
})

test('a decision by several policies finds a row again that the insertion of another one has moved', () => {
  const policies = {
    burst: fixedWindow({ limit: 50, window: '1m' }),
    total: fixedWindow({ limit: 100, window: '1h' }),
  }
  for (let i = 0; i < 10; i++) {
    const limiter = createLimiter({ name: 'api', policies })
    const keys = Array.from({ length: 1500 }, (_, id) => `${id}`)
    for (const key of keys) limiter.consume({ burst: notLimited, total: key })
    // Each decision inserts a row of `burst` into the table of `total`, and some of them split a segment.
    for (const key of keys) limiter.consume(key)
    expect(keys.filter((key) => limiter.status(key).policies['total'].used !== 2)).toEqual([])
  }
})

test('a block that has ended is kept for as long as it makes the next one longer', () => {
  const block = { for: '1m', on: 'exceeded', escalate: 2 } as const
  const policies = fixedWindow({ limit: 1, window: '1s', block })
  const limiter = createLimiter({ name: 'api', policies, store, clock })
  const blockedMs = () => {
    limiter.consume('key', { cost: 1 })
    limiter.consume('key')
    return limiter.status('key').policies['default'].blockedMs
  }
  expect(blockedMs()).toBe(60_000)
  now += 110_000
  for (let i = 0; i < many; i++) limiter.refund('another')
  expect(blockedMs()).toBe(120_000)
})

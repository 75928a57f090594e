import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  slidingWindow,
  type MemoryStore,
} from '@sluice/core'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'

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

test('a row that the direct way has written is swept as soon as it has expired', () => {
  // A limiter with a clock never uses the direct way.
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

test('counts, blocks and records of resets are swept', () => {
  const policies = {
    window: fixedWindow({ limit: 1, window: 100, block: { for: 200 } }),
    pace: gcra({ limit: 5, window: 300 }),
  }
  const limiter = createLimiter({ name: 'api', policies, store, clock })
  for (let i = 0; i < 20; i++) {
    limiter.consume(`${i}`)
    limiter.reset(`${i}`, { unblock: true })
    limiter.consume(`${i}`)
  }
  expect(store.size).toBe(20 * 5)
  now += 5000
  for (let i = 0; i < many; i++) limiter.refund('another')
  expect(store.size).toBe(0)
})

test('a second reset does not shorten the record of the first', () => {
  const options = { name: 'api', store, clock }
  const long = createLimiter({ ...options, policies: fixedWindow({ limit: 5, window: '1h' }) })
  const short = createLimiter({ ...options, policies: fixedWindow({ limit: 5, window: 100 }) })
  const early = long.consume('key', { cost: 3 })
  now += 10
  long.reset('key')
  short.consume('key')
  short.reset('key')
  now += 5000
  for (let i = 0; i < many; i++) long.refund('another')
  expect(store.size).toBe(1)
  expect(long.refund(early)).toBe(true)
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

import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  notLimited,
  type Policies,
} from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'

const hourly = fixedWindow({ limit: 2, window: '1h' })

describe('maxKeys', () => {
  test('is never exceeded, whatever the policies, keys and times', () => {
    const call = fc.record({
      key: fc.nat(60).map(String),
      cost: fc.nat(3),
      waitMs: fc.constantFrom(0, 0, 0, 1, 500, 5000),
      verb: fc.constantFrom('consume', 'consume', 'consume', 'peek', 'reset'),
    })
    const maxKeys = fc.integer({ min: 1, max: 40 })
    fc.assert(
      fc.property(maxKeys, fc.array(call, { maxLength: 200, size: 'max' }), (maxKeys, calls) => {
        const { store, limiter, time } = setup(maxKeys, {
          window: fixedWindow({ limit: 2, window: 1000 }),
          pace: gcra({ limit: 2, window: 4000 }),
        })
        for (const { key, cost, waitMs, verb } of calls) {
          time.now += waitMs
          if (verb === 'reset') limiter.reset(key)
          else limiter[verb](key, { cost })
          expect(store.size <= maxKeys).toBe(true)
        }
      }),
      { numRuns: runs(200) },
    )
  })

  test('counts one for each policy of each key', () => {
    const { store, limiter, time } = setup(100, {
      window: hourly,
      pace: gcra({ limit: 2, window: '1h' }),
    })
    for (const key of ['a', 'b', 'c']) limiter.consume(key)
    expect(store.size).toBe(6)
    limiter.reset('a', { policies: { window: hourly } })
    expect(store.size).toBe(5)
    time.now += 3_600_000 + 1000
    for (let i = 0; i < 10_000; i++) limiter.consume('a')
    expect(store.size).toBe(2)
  })

  test('evicts nothing before it is full', () => {
    const { store, limiter } = setup(1000, hourly)
    for (let i = 0; i < 1000; i++) limiter.consume(`${i}`, { cost: 2 })
    const denied = Array.from({ length: 1000 }, (_, i) => !limiter.peek(`${i}`).allowed)
    expect([store.size, store.evicted, denied.every(Boolean)]).toEqual([1000, 0, true])
  })
})

describe('when the store is full', () => {
  test('expired state is evicted first', () => {
    const { store, limiter, time } = setup(1000, {
      short: fixedWindow({ limit: 2, window: 1000 }),
      long: hourly,
    })
    const shortly = (key: string) => limiter.consume({ short: key, long: notLimited })
    const forLong = (key: string) => limiter.consume({ short: notLimited, long: key })
    for (let i = 0; i < 500; i++) shortly(`short ${i}`)
    for (let i = 0; i < 500; i++) forLong(`long ${i}`)
    time.now += 1000
    for (let i = 0; i < 400; i++) forLong(`new ${i}`)
    const kept = Array.from({ length: 500 }, (_, i) => `long ${i}`).filter(
      (key) => limiter.peek({ short: notLimited, long: key }).remaining === 1,
    )
    expect([kept.length, store.evicted]).toEqual([500, 0])
  })

  test('a flood of new keys does not evict a key that is over its limit', () => {
    const maxKeys = 200
    const { store, limiter, time } = setup(maxKeys, hourly)
    limiter.consume('over', { cost: 2 })
    for (let i = 0; i < 5 * maxKeys; i++) {
      if (i % 50 === 0) time.now++
      limiter.consume(`new ${i}`)
    }
    expect(limiter.consume('over').allowed).toBe(false)
    expect([store.size, store.evicted]).toEqual([maxKeys, 0])
  })

  test('and every key is over its limit, the key that expires first is evicted, and counted', () => {
    const { store, limiter, time } = setup(10, hourly)
    const start = time.now
    const order = [5, 2, 8, 0, 9, 1, 7, 3, 6, 4]
    for (const i of order) {
      time.now = start + i
      limiter.consume(`${i}`, { cost: 2 })
    }
    time.now = start + 20
    for (let i = 0; i < 4; i++) {
      expect(limiter.peek(`${i}`).allowed).toBe(false)
      limiter.consume(`new ${i}`, { cost: 2 })
      expect([limiter.peek(`${i}`).allowed, store.evicted]).toEqual([true, i + 1])
    }
    const still = [4, 5, 6, 7, 8, 9].map((i) => limiter.peek(`${i}`).allowed)
    expect([still, store.size]).toEqual([Array(6).fill(false), 10])
  })
})

describe('a memory store', () => {
  test('returns values, not promises', () => {
    const { limiter } = setup(10, hourly)
    expect([limiter.consume('a').remaining, limiter.peek('a').remaining]).toEqual([1, 1])
    expect([limiter.reset('a'), limiter.close()]).toEqual([true, undefined])
  })

  test('is the default store, separate for each limiter', () => {
    const one = createLimiter({ name: 'api', policies: hourly })
    const other = createLimiter({ name: 'api', policies: hourly })
    expect([one.consume('a').remaining, other.consume('a').remaining]).toEqual([1, 1])
  })

  test('keeps limiters apart, even if a key contains the name of another limiter', () => {
    const store = memoryStore()
    const once = fixedWindow({ limit: 1, window: '1h' })
    const one = createLimiter({ name: 'one', policies: once, store })
    const two = createLimiter({ name: 'two', policies: once, store })
    for (let id = 0; id < 10; id++) {
      expect(one.consume(JSON.stringify(['two', 'default', id])).allowed).toBe(true)
      expect(two.consume(JSON.stringify(['one', 'default', id])).allowed).toBe(true)
    }
  })

  test('does not keep the process alive', async () => {
    const program = `
      import { createLimiter, fixedWindow } from '@sluice/core'
      const policies = fixedWindow({ limit: 1, window: '1h' })
      const { allowed } = createLimiter({ name: 'api', policies }).consume('key')
      process.stdout.write(String(allowed))
    `
    const options = { cwd: import.meta.dirname, timeout: 10_000 }
    const args = ['--input-type=module', '--eval', program]
    const { stdout } = await promisify(execFile)(process.execPath, args, options)
    expect(stdout).toBe('true')
  })
})

function setup(maxKeys: number, policies: Policies) {
  const time = { now: 1_763_683_200_000 }
  const store = memoryStore({ maxKeys })
  const limiter = createLimiter({ name: 'limiter', policies, store, clock: () => time.now })
  return { store, limiter, time }
}

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  createLimiter,
  fixedWindow,
  gcra,
  notLimited,
  redisStore,
  slidingWindow,
} from '@sluice/core'
import { costs, runs, sizedAlgorithms } from '@sluice/conformance'
import { useRedis } from '@sluice/conformance/redis'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

const server = useRedis()
beforeEach(() => server.connection.flushall())

function storeOf() {
  return redisStore(server.connection, { timeout: '10s' })
}

describe('time to live', () => {
  test('every key has one after any traffic, which is not much longer than its quota needs', async () => {
    const policies = Object.fromEntries(
      sizedAlgorithms.map(({ sample }, i) => [`${i}`, sample(20, 60_000).policy]),
    )
    const limiters = ['one', 'two'].map((name) =>
      createLimiter({ name, policies, store: storeOf() }),
    )
    const key = fc.constantFrom('ann', 'bob', 'eve', notLimited)
    const keys = fc.record(Object.fromEntries(sizedAlgorithms.map((_, i) => [`${i}`, key])))
    const call = fc.tuple(fc.constantFrom(...limiters), keys, costs, fc.nat(9))
    await fc.assert(
      fc.asyncProperty(call, async ([limiter, keys, cost, dice]) => {
        if (dice === 0) await limiter.reset(keys)
        else await limiter.consume(keys, { cost: typeof cost === 'number' ? cost : 1 })
      }),
      { numRuns: runs(300) },
    )
    const found = await server.connection.keys('*')
    // All rows of a key are one string. The body of a log is a separate key.
    const strings = found.filter((key) => key.endsWith('}'))
    expect(strings.sort()).toEqual(
      ['one', 'two'].flatMap((name) =>
        ['ann', 'bob', 'eve'].map((key) => `sluice:${name}:{${key}}`),
      ),
    )
    for (const key of found) {
      const livesMs = await server.connection.pttl(key)
      expect(livesMs).toBeGreaterThan(0)
      // The longest of them, a weighted sliding window, counts for two windows. The rest is a margin.
      expect(livesMs).toBeLessThanOrEqual(2 * 60_000 + 1000)
    }
  })

  test('expired state is deleted soon, by the server’s clock', async () => {
    const limiters = sizedAlgorithms.map(({ name, sample }) =>
      createLimiter({ name, policies: sample(2, 40).policy, store: storeOf() }),
    )
    for (const limiter of limiters) {
      expect((await limiter.consume('key', { cost: 2 })).remaining).toBe(0)
    }
    const strings = (await server.connection.keys('*')).filter((key) => key.endsWith('}'))
    expect(strings.length).toBe(sizedAlgorithms.length)
    await delay(2 * 40 + 10)
    for (const limiter of limiters) expect((await limiter.peek('key')).remaining).toBe(2)
    await delay(1000)
    expect(await server.connection.keys('*')).toEqual([])
  })

  test('a peek, a denial, and a reset of an unused key create no key', async () => {
    const limiter = createLimiter({
      name: 'untouched',
      policies: fixedWindow({ limit: 2, window: '1h' }),
      store: storeOf(),
    })
    await limiter.peek('looked at')
    await limiter.consume('denied', { cost: 3 })
    await limiter.consume('nothing taken', { cost: 0 })
    await limiter.reset('reset')
    expect(await server.connection.keys('*')).toEqual([])
  })

  test('a reset is recorded for as long as the deleted units would have counted', async () => {
    const policies = fixedWindow({ limit: 2, window: '1h' })
    const limiter = createLimiter({ name: 'reset', policies, store: storeOf() })
    await limiter.consume('key')
    const livesMs = await server.connection.pttl('sluice:reset:{key}')
    await limiter.reset('key')
    expect(await server.connection.strlen('sluice:reset:{key}')).toBe(15)
    expect(await server.connection.pttl('sluice:reset:{key}')).toBeGreaterThan(livesMs - 5000)
    expect(await server.connection.pttl('sluice:reset:{key}')).toBeLessThanOrEqual(livesMs)
  })
})

describe('one key', () => {
  const policies = {
    window: fixedWindow({ limit: 5, window: '1h' }),
    sliding: slidingWindow({ limit: 5, window: '1h' }),
    pace: gcra({ limit: 5, window: '10d' }),
  }

  test('is one string, for any number of policies', async () => {
    await createLimiter({ name: 'api', policies, store: storeOf() }).consume('user')
    expect(await server.connection.keys('*')).toEqual(['sluice:api:{user}'])
    expect(await server.connection.type('sluice:api:{user}')).toBe('string')
  })

  test('keeps the counts of policies that a call excludes, and their expiry', async () => {
    const limiter = createLimiter({ name: 'api', policies, store: storeOf() })
    await limiter.consume('user', { cost: 3 })
    const livesMs = await server.connection.pttl('sluice:api:{user}')
    await limiter.consume({ window: 'user', sliding: notLimited, pace: notLimited })
    await limiter.reset({ window: notLimited, sliding: 'user', pace: notLimited })
    const { policies: verdicts } = await limiter.peek('user')
    expect(Object.values(verdicts).map(({ remaining }) => remaining)).toEqual([1, 5, 2])
    expect(await server.connection.pttl('sluice:api:{user}')).toBeLessThanOrEqual(livesMs)
    expect(await server.connection.pttl('sluice:api:{user}')).toBeGreaterThan(livesMs - 5000)
  })

  test('keeps the counts of policies of another release of the limiter', async () => {
    const { window, ...rest } = policies
    const before = createLimiter({ name: 'api', policies: rest, store: storeOf() })
    const after = createLimiter({ name: 'api', policies: { window }, store: storeOf() })
    await before.consume('user', { cost: 2 })
    await after.consume('user', { cost: 4 })
    const { policies: verdicts } = await before.peek('user')
    expect(Object.values(verdicts).map(({ remaining }) => remaining)).toEqual([3, 3])
    expect((await after.peek('user')).remaining).toBe(1)
  })

  test('is found under the prefix and the name, with the key as the hash tag', async () => {
    const store = redisStore(server.connection, { prefix: 'app:{x}', timeout: '10s' })
    const policy = fixedWindow({ limit: 1, window: '1h' })
    await createLimiter({ name: 'a:b', policies: policy, store }).consume(['user', '{4}2'])
    expect(await server.connection.keys('*')).toEqual(['app%3A%7Bx%7D:a%3Ab:{|user|%7B4%7D2}'])
  })
})

describe('a rolling deploy', () => {
  test('to another algorithm under the same name starts a new count, whichever process decides', async () => {
    const name = randomUUID()
    const before = { name, policies: fixedWindow({ limit: 5, window: '1h' }), store: storeOf() }
    const after = { name, policies: gcra({ limit: 5, window: '10d' }), store: storeOf() }
    await createLimiter(before).consume('user', { cost: 5 })
    expect((await createLimiter(after).peek('user')).remaining).toBe(5)
    expect((await createLimiter(after).consume('user', { cost: 4 })).remaining).toBe(1)
    expect((await createLimiter(after).peek('user')).remaining).toBe(1)
  })
})

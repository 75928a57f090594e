import { useRedis } from '@sluice/test-kit/redis'
import {
  concurrency,
  createLimiter,
  memoryStore,
  redisStore,
  type Decision,
  type HeldLease,
  type Store,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'

const server = useRedis()

describe('leases in Redis', () => {
  test('leave no key after they end, and every key has a TTL', async () => {
    await server.connection.flushall()
    const store = redisStore(server.connection, { timeout: 10_000 })
    let now = Date.now()
    const limiter = createLimiter({
      name: 'real',
      policies: concurrency({ limit: 9, lease: '10s' }),
      store,
      clock: () => now,
    })
    await limiter.consume('k', { owner: 'a', cost: 2 })
    await limiter.consume('k', { owner: 'a' })
    await limiter.consume('k')
    const keys = await server.connection.keys('*')
    expect(keys.length).toBe(4)
    for (const key of keys) expect(await server.connection.pttl(key)).toBeGreaterThan(0)
    now += 10_000
    expect((await limiter.peek('k')).remaining).toBe(9)
    await held(await limiter.consume('k')).release()
    expect((await server.connection.keys('*')).length).toBe(1)
  })

  // The script reads the units of at most 500 holders at a time, and deletes the grants of an owner by a thousand.
  test.each([499, 500, 501, 1001, 1600])(
    'of which %i have ended count as in memory, and so do the waits for so many others',
    async (count) => {
      const results = await Promise.all(
        [memoryStore(), redisStore(server.connection, { timeout: '20s' })].map((store) =>
          endedLeases(store, count),
        ),
      )
      expect(results[1]).toEqual(results[0])
      expect(results[0].slice(0, 2)).toEqual([2 * count + 9, 2 * count + 9])
    },
  )

  test('leases without their row do not count', async () => {
    await server.connection.flushall()
    const store = redisStore(server.connection, { timeout: 10_000 })
    const limiter = createLimiter({
      name: 'lost',
      policies: concurrency({ limit: 1, lease: '1h' }),
      store,
    })
    const lease = held(await limiter.consume('k', { owner: 'a' }))
    const row = (await server.connection.keys('*')).find((key) => key.endsWith('}')) ?? ''
    expect(await server.connection.del(row)).toBe(1)
    expect((await limiter.consume('k')).allowed).toBe(true)
    expect(await lease.release()).toBe(false)
    expect((await limiter.peek('k')).remaining).toBe(0)
  })

  test('leases that Redis has evicted do not count', async () => {
    await server.connection.flushall()
    const store = redisStore(server.connection, { timeout: 10_000 })
    const limiter = createLimiter({
      name: 'gone',
      policies: concurrency({ limit: 1, lease: '1h' }),
      store,
    })
    await limiter.consume('k')
    const body = (await server.connection.keys('*')).find((key) => !key.endsWith('}')) ?? ''
    expect(await server.connection.del(body)).toBe(1)
    expect((await limiter.consume('k')).allowed).toBe(true)
  })
})

function held({ lease }: Decision): HeldLease {
  if (lease === undefined) throw new Error('no lease was granted')
  return lease
}

/** What a limiter says of leases, of which some end one after another, and then all at once. */
async function endedLeases(store: Store, count: number): Promise<readonly (number | null)[]> {
  let now = 1_763_683_200_000
  const policies = concurrency({ limit: 2 * count + 9, lease: 10_000 })
  const limiter = createLimiter({ name: `ended ${count}`, policies, store, clock: () => now })
  const many = Array.from({ length: count }, () => ({ key: 'k', cost: 2 }))
  const used = async () => (await limiter.status('k')).policies['default'].used
  await limiter.consume('k', { owner: 'a', cost: 9 })
  for (let i = 0; i < count; i++) await limiter.consume('k', { owner: 'a' })
  for (const call of many) {
    now++
    await limiter.consume(call.key, { cost: call.cost })
  }
  const all = await used()
  const waits: (number | null)[] = []
  for (const units of [1, 2 * count - 3, 2 * count - 1, 2 * count, 2 * count + 9]) {
    waits.push((await limiter.peek('k', { cost: units })).retryAfterMs)
  }
  now += 5000
  await limiter.consume('k', { owner: 'a', cost: 9 })
  const before = await used()
  now += 5000
  const left = await used()
  await limiter.consume('k')
  return [all, before, left, await used(), ...waits]
}

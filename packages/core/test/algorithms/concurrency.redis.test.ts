import { useRedis } from '@sluice/test-kit/redis'
import { concurrency, createLimiter, redisStore, type Decision, type HeldLease } from '@sluice/core'
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

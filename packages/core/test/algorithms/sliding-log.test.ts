import { useRedis } from '@sluice/test-kit/redis'
import {
  createLimiter,
  memoryStore,
  redisStore,
  slidingLog,
  SluiceError,
  type Limiter,
  type Policies,
  type Store,
} from '@sluice/core'
import { describe, expect, it } from 'vitest'

const server = useRedis()

describe('slidingLog, the builder', () => {
  it('reads durations and freezes', () => {
    const policy = slidingLog({ limit: 3, window: '1m' })
    expect(policy).toEqual({ kind: 'slidingLog', limit: 3, window: 60_000 })
    expect(Object.isFrozen(policy)).toBe(true)
  })

  it.each([-1, 1.5, NaN, 2 ** 32, '3', null])('refuses a limit of %s', (limit) => {
    const build = (): unknown => Reflect.apply(slidingLog, undefined, [{ limit, window: 1000 }])
    expect(build).toThrow(SluiceError)
    expect(build).toThrow(/slidingLog: "limit" is .* below 2\^32/)
  })

  it('refuses a window shorter than 1 ms', () => {
    expect(() => slidingLog({ limit: 1, window: 0 })).toThrow(SluiceError)
  })
})

const stores: [string, () => Store][] = [
  ['memory', () => memoryStore()],
  ['redis', () => redisStore(server.connection, { timeout: 10_000 })],
]

describe.each(stores)('slidingLog over %s', (_, createStore) => {
  const start = 1_700_000_000_000
  let now = start
  let named = 0

  function limiterOf(policies: Policies, store = createStore()): Limiter {
    now = start
    return createLimiter({ name: `log-${named++}`, policies, store, clock: () => now })
  }

  it('allows again one window after the first allowed request, and not a millisecond earlier', async () => {
    const limiter = limiterOf(slidingLog({ limit: 2, window: 1000 }))
    await limiter.consume('k')
    now += 400
    await limiter.consume('k')
    now += 599
    const denied = await limiter.consume('k')
    expect(denied).toMatchObject({ allowed: false, remaining: 0, retryAfterMs: 1, resetMs: 401 })
    now += 1
    const admitted = await limiter.consume('k')
    expect(admitted).toMatchObject({ allowed: true, remaining: 0, resetMs: 1000 })
    expect(admitted.policies['default'].nextMs).toBe(400)
  })

  it('returns the time at which a cost fits, over many records', async () => {
    const limiter = limiterOf(slidingLog({ limit: 500, window: 10_000 }))
    for (let i = 0; i < 250; i++) {
      await limiter.consume('k', { cost: 2 })
      now += 10
    }
    for (const cost of [1, 2, 3, 100, 249, 250, 499, 500]) {
      const { allowed, retryAfterMs } = await limiter.peek('k', { cost })
      const leaving = Math.ceil(cost / 2)
      expect([cost, allowed, retryAfterMs]).toEqual([cost, false, 7500 + (leaving - 1) * 10])
    }
    expect(await limiter.peek('k', { cost: 501 })).toMatchObject({ retryAfterMs: null })
  })

  it('refunds the newest units in place of those of a decision, once, and none of one that has ended', async () => {
    const limiter = limiterOf(slidingLog({ limit: 10, window: 1000 }))
    const first = await limiter.consume('k', { cost: 4 })
    now += 100
    await limiter.consume('k', { cost: 3 })
    expect(await limiter.refund(first)).toBe(true)
    expect(await limiter.refund(first)).toBe(false)
    expect(await limiter.peek('k', { cost: 0 })).toMatchObject({ remaining: 7, resetMs: 900 })
    now += 1000
    const late = await limiter.consume('k', { cost: 2 })
    now += 1000
    await limiter.consume('k')
    await limiter.refund(late)
    expect(await limiter.peek('k')).toMatchObject({ remaining: 9 })
  })

  it('refunds the newest units first', async () => {
    const limiter = limiterOf(slidingLog({ limit: 10, window: 1000 }))
    await limiter.consume('k', { cost: 4 })
    now += 100
    await limiter.consume('k', { cost: 3 })
    await limiter.refund('k', 4)
    expect(await limiter.peek('k')).toMatchObject({ remaining: 7, resetMs: 900 })
    await limiter.refund('k', 100)
    expect(await limiter.peek('k')).toMatchObject({ remaining: 10, resetMs: 0 })
  })

  it('waits until a debt has expired', async () => {
    const limiter = limiterOf(slidingLog({ limit: 2, window: 1000 }))
    await limiter.penalize('k', 5)
    now += 10
    await limiter.penalize('k', 1)
    expect(await limiter.peek('k', { cost: 0 })).toMatchObject({
      allowed: false,
      retryAfterMs: 990,
    })
    expect(await limiter.peek('k', { cost: 2 })).toMatchObject({ retryAfterMs: 1000 })
    // A debt stops growing before its units exceed the modulus of the running totals.
    for (let i = 0; i < 3; i++) await limiter.penalize('k', 2 ** 31)
    const { policies } = await limiter.status('k')
    expect(policies['default'].used).toBe(2 ** 32 - 1)
  })

  it('never becomes looser when the clock steps back', async () => {
    const limiter = limiterOf(slidingLog({ limit: 2, window: 1000 }))
    await limiter.consume('k')
    now -= 300
    expect(await limiter.consume('k')).toMatchObject({ allowed: true, resetMs: 1300 })
    expect(await limiter.consume('k')).toMatchObject({ allowed: false, retryAfterMs: 1300 })
    now += 1300
    expect(await limiter.peek('k', { cost: 2 })).toMatchObject({ allowed: true })
  })

  it('keeps the units used when the limit changes', async () => {
    const limiter = limiterOf(slidingLog({ limit: 2, window: 1000 }))
    await limiter.consume('k', { cost: 2 })
    const wider = slidingLog({ limit: 5, window: 1000 })
    expect(await limiter.consume('k', { policies: wider })).toMatchObject({ remaining: 2 })
  })

  it('keeps records that are months apart', async () => {
    const day = 24 * 60 * 60 * 1000
    const limiter = limiterOf(slidingLog({ limit: 200, window: '3000d' }))
    for (let i = 0; i < 100; i++) {
      await limiter.consume('k')
      now += 20 * day + i
    }
    for (const cost of [101, 102, 163, 200]) {
      const leaves =
        start + (cost - 101) * 20 * day + ((cost - 101) * (cost - 102)) / 2 + 3000 * day
      expect(await limiter.peek('k', { cost })).toMatchObject({ retryAfterMs: leaves - now })
    }
  })

  it('keeps no state of a denied request', async () => {
    const limiter = limiterOf(slidingLog({ limit: 3, window: 1000 }))
    await limiter.consume('k', { cost: 2 })
    now += 500
    await limiter.consume('k')
    now += 500
    await limiter.consume('k', { cost: 3 })
    // The denied request found the first record expired, but did not delete it: the clock steps back to a time at which it still counts.
    now -= 1
    expect(await limiter.peek('k')).toMatchObject({ allowed: false, retryAfterMs: 1 })
  })
})

describe('slidingLog in Redis', () => {
  it('uses about ten bytes for each allowed request, and reads no more from a long log', async () => {
    const [small, large] = [await bytesOf('small', 1000), await bytesOf('large', 10_000)]
    expect(small).toBeLessThan(11)
    expect(large).toBeLessThan(10)
    const policies = slidingLog({ limit: 10_000, window: '1h' })
    await server.connection.config('RESETSTAT')
    const store = redisStore(server.connection, { timeout: 10_000 })
    const limiter = createLimiter({ name: 'large', policies, store, clock: () => 10_000 })
    expect(await limiter.peek('k', { cost: 5000 })).toMatchObject({ retryAfterMs: 3_595_000 })
    const [, calls] =
      /cmdstat_hget:calls=(\d+)/.exec(await server.connection.info('commandstats')) ?? []
    expect(calls).toBe('2')
  })

  it('starts again if its records were evicted, and leaves no key without a TTL', async () => {
    const policies = slidingLog({ limit: 1, window: '1m' })
    const limiter = createLimiter({
      name: 'evicted',
      policies,
      store: redisStore(server.connection, { timeout: '10s' }),
    })
    await limiter.consume('k')
    const [body] = await server.connection.keys('sluice:evicted:1{k}:*')
    expect(await server.connection.pttl(body)).toBeGreaterThan(0)
    await server.connection.del(body)
    expect(await limiter.consume('k')).toMatchObject({ allowed: true })
    expect(await limiter.consume('k')).toMatchObject({ allowed: false })
    await limiter.reset('k')
    expect(await server.connection.keys('sluice:evicted:1{*')).toEqual([])
  })

  async function bytesOf(name: string, admissions: number): Promise<number> {
    let now = 0
    const policies = slidingLog({ limit: admissions, window: '1h' })
    const store = redisStore(server.connection, { timeout: 10_000 })
    const limiter = createLimiter({ name, policies, store, clock: () => now })
    for (let i = 0; i < admissions; i += 100) {
      await Promise.all(Array.from({ length: 100 }, () => (now++, limiter.consume('k'))))
    }
    let bytes = 0
    for (const key of await server.connection.keys(`sluice:${name}:1{*`)) {
      bytes += Number(await server.connection.call('MEMORY', 'USAGE', key, 'SAMPLES', '0'))
    }
    return bytes / admissions
  }
})

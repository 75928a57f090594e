import {
  createLimiter,
  fixedWindow,
  gcra,
  notLimited,
  slidingLog,
  slidingWindow,
  tokenBucket,
  unlimited,
  type Costs,
  type Decision,
  type Limiter,
  type Policies,
  type Store,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { randomFrom } from '@sluice/test-kit/random'

const start = 1_763_683_200_000

const policies = {
  burst: fixedWindow({ limit: 3, window: '10s' }),
  hour: slidingWindow({ limit: 10, window: '1h' }),
}

/** Costs by policy, on a store: random traffic is decided as memory does. */
export function describeCosts(where: string, storeOf: () => Store): void {
  describe(`a cost for each policy, over ${where}`, () => {
    let now = start
    const limiterOf = (own: Policies = policies): Limiter =>
      createLimiter({
        name: crypto.randomUUID(),
        policies: own,
        store: storeOf(),
        clock: () => now,
      })
    const remaining = (decision: Decision): unknown =>
      Object.fromEntries(
        Object.entries(decision.policies).map(([name, verdict]) => [name, verdict.remaining]),
      )

    test('is taken from each policy', async () => {
      const limiter = limiterOf()
      const cost = { burst: 1, hour: 4 }
      expect(remaining(await limiter.consume('key', { cost }))).toEqual({ burst: 2, hour: 6 })
      expect(remaining(await limiter.consume('key', { cost: { hour: 2 } }))).toEqual({
        burst: 1,
        hour: 4,
      })
      const asked = await limiter.peek('key', { cost: { burst: 0, hour: 5 } })
      expect([asked.allowed, asked.deniedBy]).toEqual([false, ['hour']])
    })

    test('is all or nothing, and each policy states the wait for its own cost', async () => {
      const limiter = limiterOf()
      await limiter.consume('key', { cost: { burst: 2, hour: 9 } })
      const denied = await limiter.consume('key', { cost: { burst: 1, hour: 2 } })
      expect(denied).toMatchObject({ allowed: false, deniedBy: ['hour'], retryAfterMs: 3_600_000 })
      expect(denied.policies['burst']).toMatchObject({
        allowed: true,
        remaining: 1,
        retryAfterMs: 0,
      })
      const both = await limiter.consume('key', { cost: { burst: 2, hour: 2 } })
      expect(both).toMatchObject({ deniedBy: ['burst', 'hour'], retryAfterMs: 3_600_000 })
      expect(remaining(await limiter.peek('key'))).toEqual({ burst: 1, hour: 1 })
    })

    test('is refunded as it was taken, also by policy', async () => {
      const limiter = limiterOf()
      const cost = { burst: 1, hour: 4 }
      const [first, second] = [
        await limiter.consume('key', { cost }),
        await limiter.consume('key', { cost }),
      ]
      expect(await limiter.refund(first, { policies: ['hour'] })).toBe(true)
      expect(remaining(await limiter.peek('key'))).toEqual({ burst: 1, hour: 6 })
      expect(await limiter.refund(second)).toBe(true)
      expect(remaining(await limiter.peek('key'))).toEqual({ burst: 2, hour: 10 })
    })

    test('works with a key for each policy, policies without a count, and many requests', async () => {
      const limiter = limiterOf({ ...policies, free: unlimited() })
      const key = { burst: 'one', hour: 'other', free: notLimited }
      const cost = { burst: 2, hour: 5, free: 7 }
      const [one, two] = await limiter.consumeMany([
        { key, cost },
        { key, cost },
      ])
      expect([one.allowed, two.deniedBy]).toEqual([true, ['burst']])
      const waited = await limiter.acquire(key, { cost: { hour: 5 }, maxWait: 0 })
      expect(remaining(waited)).toEqual({ burst: 0, hour: 0 })
    })

    test.each<[string, unknown, string]>([
      ['an unknown name', { minute: 1 }, 'SLUICE_POLICY_NAME_UNKNOWN'],
      ['a name that every object inherits', { constructor: 1 }, 'SLUICE_POLICY_NAME_UNKNOWN'],
      ['a fraction', { hour: 1.5 }, 'SLUICE_COST_INVALID'],
      ['nothing', { hour: undefined }, 'SLUICE_COST_INVALID'],
      ['a list', [1, 2], 'SLUICE_COST_INVALID'],
    ])('that contains %s is an error', async (_, cost, code) => {
      const limiter = limiterOf()
      const call = async (): Promise<unknown> => limiter.consume('key', { cost: cost as Costs })
      await expect(call()).rejects.toMatchObject({ code })
      expect(remaining(await limiter.peek('key'))).toEqual({ burst: 3, hour: 10 })
    })

    test('decides random traffic as memory does', async () => {
      const own = {
        ...policies,
        log: slidingLog({ limit: 8, window: '20s' }),
        paced: gcra({ limit: 30, window: '1m', burst: 6 }),
        born: tokenBucket({ capacity: 9, refill: 3, every: '5s', initial: 5 }),
      }
      const limiter = limiterOf(own)
      const twin = createLimiter({ name: 'twin', policies: own, clock: () => now })
      const random = randomFrom(where.length)
      const below = (n: number): number => Math.floor(random() * n)
      const past: [Decision, Decision][] = []
      for (let step = 0; step < 150; step++) {
        now += below(4) * 1000 + below(3)
        const names = Object.keys(own).filter(() => below(3) > 0)
        const cost = Object.fromEntries(names.map((name) => [name, below(4)]))
        const made = [
          await limiter.consume('key', { cost }),
          twin.consume('key', { cost }),
        ] as const
        expect({ ...made[0], source: 'store' }, `step ${step}`).toEqual(made[1])
        past.push([made[0], made[1]])
        if (below(4) !== 0) continue
        const [ours, theirs] = past[below(past.length)]
        expect(await limiter.refund(ours)).toBe(twin.refund(theirs))
      }
      expect(past.some(([{ allowed }]) => allowed)).toBe(true)
      expect(past.some(([{ allowed }]) => !allowed)).toBe(true)
    })
  })
}

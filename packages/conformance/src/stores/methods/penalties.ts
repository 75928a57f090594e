import { fixedWindow, gcra, notLimited } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import { today, type OpenSetup } from '../setup.js'

export function describePenalties(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: penalties', ({ sample }) => {
    const { policy, createModel } = sample(5, 1000)

    test('take units beyond the quota, and a debt denies even a cost of 0', async () => {
      const limiter = (await open()).limiter(policy)
      await limiter.consume('key', { cost: 3 })
      await limiter.penalize('key', 2)
      expect(await limiter.peek('key', { cost: 0 })).toMatchObject({ allowed: true, remaining: 0 })
      await limiter.penalize('key', 4)
      expect(await limiter.peek('key', { cost: 0 })).toMatchObject({ allowed: false, remaining: 0 })
      expect((await limiter.status('key')).policies['default']).toMatchObject({
        used: 9,
        remaining: 0,
      })
    })

    test('expire exactly at the time of the waits', async () => {
      const setup = await open()
      const limiter = setup.limiter(policy)
      const model = createModel()
      model.penalize(today, 12)
      await limiter.penalize('key', 12)
      for (const cost of [0, 1, 5]) {
        setup.now = today
        const { retryAfterMs } = model.peek(today, cost)
        expect((await limiter.peek('key', { cost })).retryAfterMs).toBe(retryAfterMs)
        setup.now += Number(retryAfterMs) - 1
        expect((await limiter.peek('key', { cost })).retryAfterMs).toBe(1)
        setup.now += 1
        expect((await limiter.peek('key', { cost })).allowed).toBe(true)
      }
    })

    test('add up, however large they are', async () => {
      const limiter = (await open()).limiter(policy)
      for (let i = 0; i < 3; i++) await limiter.penalize('key', 10 ** 9)
      expect((await limiter.status('key')).policies['default'].used).toBe(3 * 10 ** 9)
    })

    test('are refunded by count, first the debt and then the quota', async () => {
      const limiter = (await open()).limiter(policy)
      await limiter.penalize('key', 8)
      await limiter.refund('key', 2)
      expect((await limiter.peek('key', { cost: 0 })).allowed).toBe(false)
      await limiter.refund('key', 2)
      expect(await limiter.peek('key')).toMatchObject({ allowed: true, remaining: 1 })
    })
  })

  test('a penalty applies to every policy that the key does not exclude', async () => {
    const limiter = (await open()).limiter({
      window: fixedWindow({ limit: 5, window: '1h' }),
      pace: gcra({ limit: 5, window: '1d' }),
    })
    await limiter.penalize({ window: 'key', pace: notLimited }, 2)
    await limiter.penalize('key', 1)
    const { policies } = await limiter.status('key')
    expect([policies['window'].used, policies['pace'].used]).toEqual([3, 1])
  })
}

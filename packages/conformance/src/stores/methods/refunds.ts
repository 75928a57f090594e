import { concurrency, fixedWindow, gcra, notLimited, slidingWindow, staged } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import type { OpenSetup } from '../setup.js'

export function describeRefunds(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: refunds', ({ sample }) => {
    const { policy } = sample(5, 1000)

    test('a decision is refunded once, by the units that it took', async () => {
      const limiter = (await open()).limiter(policy)
      const first = await limiter.consume('key', { cost: 2 })
      await limiter.consume('key')
      expect(await limiter.refund(first)).toBe(true)
      expect((await limiter.peek('key')).remaining).toBe(4)
      expect(await limiter.refund(first)).toBe(false)
      expect((await limiter.peek('key')).remaining).toBe(4)
    })

    test('a denial and a peek refund nothing', async () => {
      const limiter = (await open()).limiter(policy)
      await limiter.consume('key', { cost: 4 })
      expect(await limiter.refund(await limiter.consume('key', { cost: 2 }))).toBe(false)
      expect(await limiter.refund(await limiter.peek('key'))).toBe(false)
      expect((await limiter.peek('key')).remaining).toBe(1)
    })

    test('returns nothing once the unit has expired', async () => {
      const setup = await open()
      const limiter = setup.limiter(policy)
      const first = await limiter.consume('key', { cost: 5 })
      setup.now += first.resetMs
      await limiter.consume('key', { cost: 3 })
      const before = await limiter.peek('key')
      await limiter.refund(first)
      expect(await limiter.peek('key')).toEqual(before)
      expect(before.remaining).toBe(2)
    })

    test('a decision from before a reset returns nothing once its units would have expired', async () => {
      const setup = await open()
      const limiter = setup.limiter(policy)
      const first = await limiter.consume('key', { cost: 4 })
      await limiter.reset('key')
      setup.now += first.resetMs
      await limiter.consume('key', { cost: 3 })
      const before = await limiter.peek('key')
      expect(await limiter.refund(first)).toBe(true)
      expect(await limiter.peek('key')).toEqual(before)
      expect(before.remaining).toBe(2)
    })

    test('by count, returns the newest units, and never more than were used', async () => {
      const limiter = (await open()).limiter(policy)
      await limiter.consume('key', { cost: 4 })
      await limiter.refund('key')
      expect((await limiter.peek('key')).remaining).toBe(2)
      await limiter.refund('key', 2)
      expect((await limiter.peek('key')).remaining).toBe(4)
      await limiter.refund('key', 100)
      expect(await limiter.peek('key')).toMatchObject({ remaining: 5, resetMs: 0 })
      await limiter.refund('never seen', 3)
      expect((await limiter.peek('never seen')).remaining).toBe(5)
    })
  })

  describe('a refund', () => {
    test('returns the units to their policies and keys, and to no others', async () => {
      const limiter = (await open()).limiter({
        address: fixedWindow({ limit: 5, window: '1m' }),
        user: gcra({ limit: 5, window: '1d' }),
      })
      await limiter.consume('other', { cost: 2 })
      const decision = await limiter.consume({ address: 'ip', user: 'ann' }, { cost: 3 })
      const alone = await limiter.consume({ address: notLimited, user: 'ann' })
      expect(await limiter.refund(decision)).toBe(true)
      expect(await remaining({ address: 'ip', user: 'ann' })).toEqual([5, 4])
      expect(await limiter.refund(alone)).toBe(true)
      expect(await remaining({ address: 'ip', user: 'ann' })).toEqual([5, 5])
      expect(await remaining('other')).toEqual([3, 3])

      async function remaining(key: string | { address: string; user: string }) {
        const { policies } = await limiter.peek(key, { cost: 0 })
        return [policies['address'].remaining, policies['user'].remaining]
      }
    })

    test('of some policies returns only their units, each of them once', async () => {
      const limiter = (await open()).limiter({
        a: fixedWindow({ limit: 5, window: '1m' }),
        b: gcra({ limit: 5, window: '1d' }),
        c: slidingWindow({ limit: 5, window: '1m' }),
      })
      await limiter.consume('key')
      const decision = await limiter.consume('key', { cost: 3 })
      expect(await remaining()).toEqual([1, 1, 1])
      expect(await limiter.refund(decision, { policies: [] })).toBe(false)
      expect(await limiter.refund(decision, { policies: ['b'] })).toBe(true)
      expect(await remaining()).toEqual([1, 4, 1])
      expect(await limiter.refund(decision, { policies: ['b'] })).toBe(false)
      expect(await remaining()).toEqual([1, 4, 1])
      expect(await limiter.refund(decision, { policies: ['b', 'c'] })).toBe(true)
      expect(await remaining()).toEqual([1, 4, 4])
      expect(await limiter.refund(decision)).toBe(true)
      expect(await remaining()).toEqual([4, 4, 4])
      expect(await limiter.refund(decision)).toBe(false)
      expect(await limiter.refund(decision, { policies: ['a'] })).toBe(false)
      expect(await remaining()).toEqual([4, 4, 4])

      async function remaining() {
        const { policies } = await limiter.peek('key', { cost: 0 })
        return ['a', 'b', 'c'].map((name) => policies[name].remaining)
      }
    })

    test('of some policies returns the units of each to its own key', async () => {
      const limiter = (await open()).limiter({
        address: fixedWindow({ limit: 5, window: '1m' }),
        user: fixedWindow({ limit: 5, window: '1m' }),
      })
      const decision = await limiter.consume({ address: 'ip', user: 'ann' }, { cost: 3 })
      await limiter.refund(decision, { policies: ['user'] })
      const { policies } = await limiter.peek({ address: 'ip', user: 'ann' })
      expect([policies['address'].remaining, policies['user'].remaining]).toEqual([2, 5])
    })

    test('of another policy does not release the lease', async () => {
      const limiter = (await open()).limiter({
        leases: concurrency({ limit: 2, lease: '1m' }),
        minute: fixedWindow({ limit: 5, window: '1m' }),
      })
      const decision = await limiter.consume('key')
      await limiter.refund(decision, { policies: ['minute'] })
      expect(await decision.lease?.renew()).toBe(true)
      await limiter.refund(decision, { policies: ['leases'] })
      expect(await decision.lease?.renew()).toBe(false)
      const { policies } = await limiter.peek('key', { cost: 0 })
      expect([policies['leases'].remaining, policies['minute'].remaining]).toEqual([2, 5])
    })

    test('of some policies of a denial returns nothing', async () => {
      const limiter = (await open()).limiter({ minute: fixedWindow({ limit: 1, window: '1m' }) })
      await limiter.consume('key')
      const denial = await limiter.consume('key')
      expect(await limiter.refund(denial, { policies: ['minute'] })).toBe(false)
      expect((await limiter.peek('key')).remaining).toBe(0)
    })

    test('of a policy that the decision does not have is refused, and returns nothing', async () => {
      const limiter = (await open()).limiter({
        a: fixedWindow({ limit: 5, window: '1m' }),
        b: fixedWindow({ limit: 5, window: '1m' }),
      })
      const decision = await limiter.consume({ a: 'key', b: notLimited })
      for (const name of ['b', 'c', 'constructor']) {
        const call = async () => limiter.refund(decision, { policies: ['a', name] })
        await expect(call()).rejects.toMatchObject({ code: 'SLUICE_POLICY_NAME_UNKNOWN' })
      }
      expect((await limiter.peek({ a: 'key', b: notLimited })).remaining).toBe(4)
      expect(await limiter.refund(decision)).toBe(true)
    })

    test('returns the unit to the sub-window in which it was taken', async () => {
      const setup = await open()
      const limiter = setup.limiter(slidingWindow({ limit: 10, window: 1000, buckets: 5 }))
      const first = await limiter.consume('key', { cost: 4 })
      setup.now += 200
      await limiter.consume('key', { cost: 5 })
      await limiter.refund(first)
      expect((await limiter.peek('key')).remaining).toBe(5)
      setup.now += 1000
      expect((await limiter.peek('key')).remaining).toBe(5)
      setup.now += 40
      expect((await limiter.peek('key')).remaining).toBe(6)
    })

    test('ends the block that its consumption started', async () => {
      const block = { for: '1h' } as const
      const limiter = (await open()).limiter(fixedWindow({ limit: 2, window: '1m', block }))
      await limiter.consume('key')
      const last = await limiter.consume('key')
      expect((await limiter.peek('key')).retryAfterMs).toBe(3_600_000)
      await limiter.refund(last)
      expect(await limiter.peek('key')).toMatchObject({ allowed: true, remaining: 1 })
    })

    test('of units that `then` took does not change the free ones', async () => {
      const limiter = (await open()).limiter(
        staged({
          free: fixedWindow({ limit: 2, window: '1h' }),
          then: gcra({ limit: 3, window: '1h' }),
        }),
      )
      await limiter.consume('key', { cost: 2 })
      const decision = await limiter.consume('key')
      expect(decision.remaining).toBe(0)
      await limiter.refund(decision)
      expect((await limiter.peek('key')).remaining).toBe(1)
    })

    test('of another limiter’s decision is refused', async () => {
      const setup = await open()
      const policy = fixedWindow({ limit: 2, window: '1h' })
      const decision = await setup.limiter(policy).consume('key')
      const call = async () => setup.limiter(policy).refund(decision)
      await expect(call()).rejects.toMatchObject({ code: 'SLUICE_DECISION_FOREIGN' })
    })
  })
}

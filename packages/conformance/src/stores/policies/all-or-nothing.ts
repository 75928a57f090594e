import { fixedWindow, gcra, notLimited, slidingWindow, tokenBucket } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenSetup } from '../setup.js'

const policies = {
  minute: fixedWindow({ limit: 4, window: '1m' }),
  hour: slidingWindow({ limit: 6, window: '1h' }),
  pace: gcra({ limit: 5, window: '1d' }),
  bucket: tokenBucket({ capacity: 3, refill: 3, every: '2d' }),
}

export function describeAllOrNothing(open: OpenSetup): void {
  describe('several policies', () => {
    test('count each allowed request in all of them', async () => {
      const limiter = (await open()).limiter(policies)
      const { allowed, policies: verdicts } = await limiter.consume('key', { cost: 2 })
      const remaining = Object.entries(verdicts).map(([name, verdict]) => [name, verdict.remaining])
      expect([allowed, remaining]).toEqual([
        true,
        [
          ['minute', 2],
          ['hour', 4],
          ['pace', 3],
          ['bucket', 1],
        ],
      ])
    })

    test('a request that one policy denies takes no units of the others, in any order of the policies', async () => {
      const setup = await open()
      for (const spent of Object.keys(policies)) {
        const limits = Object.fromEntries(
          Object.entries(policies).map(([name, policy]) => [
            name,
            name === spent ? fixedWindow({ limit: 1, window: '1m' }) : policy,
          ]),
        )
        const limiter = setup.limiter(limits)
        await limiter.consume('key')
        const before = await limiter.peek('key', { cost: 0 })
        const denied = await limiter.consume('key')
        expect([denied.allowed, denied.deniedBy]).toEqual([false, [spent]])
        expect(await limiter.peek('key', { cost: 0 })).toEqual(before)
      }
    })

    test('a denial names each policy that denies, and has the verdict that each policy would have alone', async () => {
      const limiter = (await open()).limiter(policies)
      await limiter.consume('key', { cost: 2 })
      const { deniedBy, policies: verdicts } = await limiter.consume('key', { cost: 3 })
      expect(deniedBy).toEqual(['minute', 'bucket'])
      expect(verdicts['hour']).toMatchObject({ allowed: true, remaining: 4, retryAfterMs: 0 })
      expect(verdicts['minute']).toMatchObject({ allowed: false, remaining: 2 })
      expect(verdicts['minute'].retryAfterMs).toBe(60_000)
      expect(verdicts['bucket'].retryAfterMs).toBe((2 * 2 * 86_400_000) / 3)
    })

    test('the summary has the least remaining with its limit, and the longest waits', async () => {
      const limiter = (await open()).limiter(policies)
      expect(await limiter.consume('key', { cost: 2 })).toMatchObject({
        limit: 3,
        remaining: 1,
        retryAfterMs: 0,
        resetMs: (2 * 2 * 86_400_000) / 3,
      })
      expect(await limiter.consume('key', { cost: 3 })).toMatchObject({
        limit: 3,
        remaining: 1,
        retryAfterMs: (2 * 2 * 86_400_000) / 3,
        resetMs: (2 * 2 * 86_400_000) / 3,
      })
    })

    test('a cost that one of them can never allow is never allowed', async () => {
      const limiter = (await open()).limiter(policies)
      expect(await limiter.consume('key', { cost: 5 })).toMatchObject({
        allowed: false,
        retryAfterMs: null,
        deniedBy: ['minute', 'bucket'],
      })
      expect((await limiter.peek('key', { cost: 3 })).allowed).toBe(true)
    })
  })

  describe('a key for each policy', () => {
    const perAddressAndUser = {
      address: fixedWindow({ limit: 3, window: '1m' }),
      user: fixedWindow({ limit: 2, window: '1m' }),
    }

    test('counts each policy on its own key', async () => {
      const limiter = (await open()).limiter(perAddressAndUser)
      await limiter.consume({ address: 'ip', user: 'ann' })
      await limiter.consume({ address: 'ip', user: 'ann' })
      const { allowed, policies: verdicts } = await limiter.consume({ address: 'ip', user: 'bob' })
      expect([allowed, verdicts['address'].remaining, verdicts['user'].remaining]).toEqual([
        true,
        0,
        1,
      ])
    })

    test('is all or nothing across the keys', async () => {
      const limiter = (await open()).limiter(perAddressAndUser)
      await limiter.consume({ address: 'other', user: 'ann' }, { cost: 2 })
      const denied = await limiter.consume({ address: 'ip', user: 'ann' })
      expect([denied.allowed, denied.deniedBy]).toEqual([false, ['user']])
      expect(
        (await limiter.peek({ address: 'ip', user: 'bob' })).policies['address'].remaining,
      ).toBe(3)
    })

    test('"notLimited" excludes a policy: it neither decides nor counts', async () => {
      const limiter = (await open()).limiter(perAddressAndUser)
      await limiter.consume({ address: 'ip', user: 'ann' }, { cost: 2 })
      const { allowed, policies: verdicts } = await limiter.consume({
        address: 'ip',
        user: notLimited,
      })
      expect([allowed, Object.keys(verdicts)]).toEqual([true, ['address']])
      const after = await limiter.peek({ address: 'ip', user: 'ann' }, { cost: 0 })
      expect([after.policies['address'].remaining, after.policies['user'].remaining]).toEqual([
        0, 0,
      ])
    })

    test('two policies on the same key count separately', async () => {
      const limiter = (await open()).limiter(perAddressAndUser)
      await limiter.consume({ address: 'same', user: 'same' })
      const { policies: verdicts } = await limiter.peek({ address: 'same', user: 'same' })
      expect([verdicts['address'].remaining, verdicts['user'].remaining]).toEqual([2, 1])
    })
  })
}

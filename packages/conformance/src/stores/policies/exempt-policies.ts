import {
  concurrency,
  fixedWindow,
  gcra,
  leakyQueue,
  notLimited,
  slidingLog,
  slidingWindow,
  tokenBucket,
  unlimited,
  type Limiter,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenSetup } from '../setup.js'

const minute = fixedWindow({ limit: 4, window: '1m' })

/** Exemptions of some policies of a request, and of policies that delay or hold leases. */
export function describeExemptPolicies(open: OpenSetup): void {
  describe.each([
    { name: 'windows', policies: { minute, other: slidingWindow({ limit: 2, window: '1h' }) } },
    {
      name: 'many buckets',
      policies: { minute, other: slidingWindow({ limit: 2, window: '1h', buckets: 30 }) },
    },
    { name: 'a log', policies: { minute, other: slidingLog({ limit: 2, window: '1h' }) } },
    { name: 'leases', policies: { minute, other: concurrency({ limit: 2, lease: '1h' }) } },
    {
      name: 'a bucket that is not born full',
      policies: {
        minute,
        other: tokenBucket({ capacity: 4, refill: 1, every: '1h', initial: 2 }),
      },
    },
    {
      name: 'blocks',
      policies: {
        minute: fixedWindow({ limit: 4, window: '1m', block: { for: '1h', on: 'exceeded' } }),
        other: slidingWindow({ limit: 2, window: '1h', block: { for: '2h' } }),
      },
    },
  ])('an exempt policy beside another: $name', ({ policies }) => {
    const keysOf = {
      'one key': { minute: 'same', other: 'same' },
      'two keys': { minute: 'ann', other: 'ip' },
    }

    test.each(Object.entries(keysOf))(
      'counts nothing, and the other decides (%s)',
      async (_, keys) => {
        const limiter = (await open()).limiter(policies)
        await limiter.consume(keys)
        const before = await limiter.status(keys)
        await limiter.exempt({ ...keys, other: notLimited }, '1h')
        const allowed = await limiter.consume(keys)
        expect([allowed.allowed, 'exempt' in allowed]).toEqual([true, false])
        expect(allowed.policies['minute']).toMatchObject({ allowed: true, used: 1, remaining: 3 })
        expect(await usedIn(limiter, keys)).toEqual([1, usedBy(before, 'other') + 1])
        for (let i = 0; i < 2; i++) {
          const denied = await limiter.consume(keys, { cost: 2 })
          expect([denied.deniedBy, 'exempt' in denied]).toEqual([['other'], false])
        }
        expect(await usedIn(limiter, keys)).toEqual([1, usedBy(before, 'other') + 1])
        const status = await limiter.status(keys)
        expect([status.policies['minute'].blockedMs, status.policies['other'].exemptMs]).toEqual([
          0, 0,
        ])
      },
    )

    test.each(Object.entries(keysOf))('is not refunded with the other (%s)', async (_, keys) => {
      const limiter = (await open()).limiter(policies)
      await limiter.consume(keys)
      const [, used] = await usedIn(limiter, keys)
      await limiter.exempt({ ...keys, other: notLimited }, '1h')
      const decision = await limiter.consume(keys)
      await limiter.unexempt(keys)
      expect(await limiter.refund(decision, { policies: ['minute'] })).toBe(false)
      expect(await limiter.refund(decision)).toBe(true)
      expect(await usedIn(limiter, keys)).toEqual([1, used])
    })

    test.each(Object.entries(keysOf))('both exempt: nothing is counted (%s)', async (_, keys) => {
      const limiter = (await open()).limiter(policies)
      await limiter.consume(keys)
      const before = await usedIn(limiter, keys)
      await limiter.exempt(keys, '1h')
      for (const cost of [1, 9, { minute: 9, other: 1 }]) {
        expect(await limiter.consume(keys, { cost })).toMatchObject({
          allowed: true,
          exempt: true,
          retryAfterMs: 0,
          delayMs: 0,
          deniedBy: [],
        })
      }
      await limiter.unexempt(keys)
      expect(await usedIn(limiter, keys)).toEqual(before)
    })
  })

  describe('exemptions of several policies', () => {
    test('a policy without a limit does not count: the decision is exempt', async () => {
      const limiter = (await open()).limiter({ none: unlimited(), minute })
      await limiter.exempt('key', '1h')
      expect(await limiter.consume('key', { cost: 9 })).toMatchObject({ exempt: true })
      const free = await limiter.consume('key', { policies: unlimited() })
      expect('exempt' in free).toBe(false)
    })

    test('a call can choose the exempt policy or the other one', async () => {
      const limiter = (await open()).limiter({ minute, hour: gcra({ limit: 1, window: '1h' }) })
      await limiter.exempt('key', '1h', { policies: { minute } })
      const chosen = await limiter.consume('key', { policies: { minute }, cost: 9 })
      expect(chosen).toMatchObject({ allowed: true, exempt: true })
      await limiter.consume('key')
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, deniedBy: ['hour'] })
    })

    test('an exemption holds for all forms of the name of a policy', async () => {
      const limiter = (await open()).limiter(fixedWindow({ limit: 1, window: '1h' }))
      const others = [
        gcra({ limit: 1, window: '1h' }),
        slidingWindow({ limit: 1, window: '1h', buckets: 6 }),
        slidingLog({ limit: 1, window: '1h' }),
        concurrency({ limit: 1, lease: '1h' }),
      ]
      await limiter.consume('key')
      await limiter.exempt('key', '1h', { policies: others[0] })
      for (const policies of [undefined, ...others]) {
        const choice = policies === undefined ? {} : { policies }
        const decision = await limiter.consume('key', { cost: 2, ...choice })
        expect(decision).toMatchObject({ allowed: true, exempt: true })
      }
      await limiter.unexempt('key', { policies: others[1] })
      for (const policies of others) {
        expect((await limiter.status('key', { policies })).policies['default'].used).toBe(0)
      }
      expect((await limiter.consume('key')).allowed).toBe(false)
    })

    test('six policies: those that are not exempt count, in any combination', async () => {
      const setup = await open()
      const names = ['a', 'b', 'c', 'd', 'e', 'f']
      const limiter = setup.limiter(
        Object.fromEntries(
          names.map((name, i) => [name, fixedWindow({ limit: 4 + i, window: (1 + i) * 60_000 })]),
        ),
      )
      for (const chosen of [['a'], ['f'], ['b', 'd'], ['a', 'c', 'e'], names.slice(1), names]) {
        const key = chosen.join()
        const exempt = names.map((name) => [name, chosen.includes(name) ? key : notLimited])
        await limiter.exempt(Object.fromEntries(exempt), '1h')
        const decision = await limiter.consume(key)
        expect([decision.allowed, decision.exempt === true]).toEqual([true, chosen === names])
        const { policies } = await limiter.status(key)
        const counted = names.filter((name) => policies[name].used === 1)
        expect(counted).toEqual(names.filter((name) => !chosen.includes(name)))
      }
    })
  })

  describe('exemptions of policies with a delay or a lease', () => {
    test('an exempt request is not delayed, and takes no place in the queue', async () => {
      const queue = leakyQueue({ leak: 1, every: '1s', maxDelay: '2s' })
      const limiter = (await open()).limiter(queue)
      for (let i = 0; i < 3; i++) await limiter.consume('key')
      await limiter.exempt('key', '1h')
      for (let i = 0; i < 3; i++) {
        expect(await limiter.consume('key')).toMatchObject({
          allowed: true,
          exempt: true,
          delayMs: 0,
          policies: { default: { used: 3, delayMs: 0, retryAfterMs: 0 } },
        })
      }
      expect(await limiter.acquire('key', { maxWait: 0 })).toMatchObject({ exempt: true })
      await limiter.unexempt('key')
      expect((await limiter.status('key')).policies['default'].used).toBe(3)
    })

    test('an exempt request has no lease, and takes no unit of those that hold one', async () => {
      const limiter = (await open()).limiter(concurrency({ limit: 1, lease: '1h' }))
      const holder = await limiter.consume('key')
      await limiter.exempt('key', '1h')
      const decision = await limiter.consume('key', { owner: 'worker' })
      expect([decision.exempt, 'lease' in decision, decision.remaining]).toEqual([true, false, 0])
      expect(await holder.lease?.renew()).toBe(true)
      expect(await holder.lease?.release()).toBe(true)
      expect((await limiter.status('key')).policies['default'].used).toBe(0)
    })

    test('a lease beside an exempt one is that of the other policy', async () => {
      const seats = concurrency({ limit: 2, lease: '1h' })
      const short = concurrency({ limit: 2, lease: '1m' })
      const limiter = (await open()).limiter({ short, seats })
      await limiter.exempt({ short: 'key', seats: notLimited }, '1h')
      const { lease } = await limiter.consume('key')
      expect(lease?.lengthMs).toBe(3_600_000)
      expect(await usedIn(limiter, { short: 'key', seats: 'key' })).toEqual([0, 1])
      expect([await lease?.renew(), await lease?.release()]).toEqual([true, true])
      expect(await usedIn(limiter, { short: 'key', seats: 'key' })).toEqual([0, 0])
    })
  })
}

type Status = Awaited<ReturnType<Limiter['status']>>

function usedBy({ policies }: Status, name: string): number {
  return policies[name].used
}

async function usedIn(
  limiter: Limiter,
  keys: Readonly<Record<string, string>>,
): Promise<readonly number[]> {
  const status = await limiter.status(keys)
  return Object.keys(keys).map((name) => usedBy(status, name))
}

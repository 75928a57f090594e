import {
  concurrency,
  fixedWindow,
  leakyQueue,
  staged,
  tokenBucket,
  unlimited,
  type Limiter,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import type { OpenSetup } from '../setup.js'

const hourMs = 3_600_000
const window = fixedWindow({ limit: 2, window: '1m' })

export function describeGrants(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: grants', ({ sample }) => {
    test('units of a grant are taken when the policy itself would deny, and the cost of a request comes whole from one of the two', async () => {
      const limiter = (await open()).limiter(sample(5, hourMs).policy)
      await limiter.grant('key', 4, { for: '2h' })
      expect(await numbersOf(limiter)).toEqual({ used: 0, remaining: 9, granted: 4 })
      expect(await limiter.consume('key', { cost: 3 })).toMatchObject({ allowed: true })
      expect(await limiter.peek('key', { cost: 3 })).toMatchObject({ allowed: true })
      const paid = await limiter.consume('key', { cost: 3 })
      expect(paid).toMatchObject({ allowed: true, remaining: 3, retryAfterMs: 0, deniedBy: [] })
      expect(paid.policies['default']).toMatchObject({ used: 3, limit: 5, granted: 1 })
      expect(await limiter.consume('key', { cost: 3 })).toMatchObject({ allowed: false })
      expect(await limiter.consume('key', { cost: 2 })).toMatchObject({ allowed: true })
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 0 })
      expect(await numbersOf(limiter)).toEqual({ used: 5, remaining: 0, granted: 0 })
      expect((await limiter.consume('key')).retryAfterMs).toBeGreaterThan(0)
      expect((await limiter.consume('other', { cost: 6 })).allowed).toBe(false)
    })

    test('a refund returns units to where they were taken, once', async () => {
      const limiter = (await open()).limiter(sample(5, hourMs).policy)
      await limiter.grant('key', 3, { for: '1h' })
      const counted = await limiter.consume('key', { cost: 5 })
      const paid = await limiter.consume('key', { cost: 2 })
      expect([await limiter.refund(paid), await limiter.refund(paid)]).toEqual([true, false])
      expect(await numbersOf(limiter)).toEqual({ used: 5, remaining: 3, granted: 3 })
      expect(await limiter.refund(counted)).toBe(true)
      expect(await numbersOf(limiter)).toEqual({ used: 0, remaining: 8, granted: 3 })
    })

    test('a grant ends exactly at its time, and a request that it paid for counts nowhere then', async () => {
      const setup = await open()
      const limiter = setup.limiter(sample(5, hourMs).policy)
      await limiter.grant('key', 3, { for: 9000 })
      await limiter.consume('key', { cost: 5 })
      setup.now += 8999
      const paid = await limiter.consume('key', { cost: 2 })
      expect(paid.policies['default'].granted).toBe(1)
      setup.now += 1
      const after = await limiter.peek('key', { cost: 5 })
      expect([after.allowed, 'granted' in after.policies['default']]).toEqual([false, false])
      await limiter.grant('key', 3, { for: 9000 })
      expect(await limiter.refund(paid)).toBe(true)
      expect((await numbersOf(limiter)).granted).toBe(3)
    })

    test('a later grant replaces it, and a refund never makes one greater than it was', async () => {
      const limiter = (await open()).limiter(sample(5, hourMs).policy)
      await limiter.grant('key', 9, { for: '1h' })
      await limiter.consume('key', { cost: 5 })
      const paid = await limiter.consume('key', { cost: 4 })
      await limiter.grant('key', 2, { for: '1h' })
      expect((await numbersOf(limiter)).granted).toBe(2)
      await limiter.refund(paid)
      expect((await numbersOf(limiter)).granted).toBe(2)
    })

    test('a refund of what a grant has paid does not go to the grant that replaced it', async () => {
      const limiter = (await open()).limiter(sample(5, hourMs).policy)
      await limiter.grant('key', 9, { for: '1h' })
      await limiter.consume('key', { cost: 5 })
      const paid = await limiter.consume('key', { cost: 4 })
      await limiter.grant('key', 5, { for: '2h' })
      await limiter.consume('key', { cost: 3 })
      await limiter.refund(paid)
      expect(await numbersOf(limiter)).toEqual({ used: 5, remaining: 2, granted: 2 })
    })

    test('a block denies all the same, an exemption takes nothing of it, and a reset keeps it', async () => {
      const limiter = (await open()).limiter(sample(5, hourMs).policy)
      await limiter.grant('key', 3, { for: '1h' })
      await limiter.consume('key', { cost: 5 })
      await limiter.block('key', '1m')
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, remaining: 0 })
      await limiter.exempt('key', '1m')
      expect(await limiter.consume('key', { cost: 3 })).toMatchObject({ exempt: true })
      await limiter.unexempt('key')
      expect(await numbersOf(limiter)).toEqual({ used: 5, remaining: 3, granted: 3 })
      await limiter.block('key', '1m')
      await limiter.unblock('key')
      expect(await limiter.reset('key')).toBe(true)
      expect(await numbersOf(limiter)).toEqual({ used: 0, remaining: 8, granted: 3 })
      await limiter.ungrant('key')
      expect(await numbersOf(limiter)).toEqual({ used: 0, remaining: 5 })
    })

    test('a block on "reached" starts when quota and grant are both spent, and the refund of the last unit ends it', async () => {
      const block = { on: 'reached', for: hourMs, escalate: 1, max: hourMs } as const
      const limiter = (await open()).limiter(sample(5, hourMs).blocked(block).policy)
      await limiter.grant('key', 2, { for: '1h' })
      await limiter.consume('key', { cost: 5 })
      await limiter.consume('key')
      expect(await blockedMsOf(limiter)).toBe(0)
      const last = await limiter.consume('key')
      expect(await blockedMsOf(limiter)).toBe(hourMs)
      await limiter.refund(last)
      expect(await blockedMsOf(limiter)).toBe(0)
      expect(await numbersOf(limiter)).toEqual({ used: 5, remaining: 1, granted: 1 })
    })

    test('a block on "exceeded" starts when neither of the two has the whole cost', async () => {
      const block = { on: 'exceeded', for: hourMs, escalate: 1, max: hourMs } as const
      const limiter = (await open()).limiter(sample(5, hourMs).blocked(block).policy)
      await limiter.grant('key', 2, { for: '1h' })
      await limiter.consume('key', { cost: 4 })
      await limiter.consume('key', { cost: 2 })
      expect(await blockedMsOf(limiter)).toBe(0)
      await limiter.consume('key', { cost: 2 })
      expect(await blockedMsOf(limiter)).toBe(hourMs)
    })
  })

  describe('grants of several policies', () => {
    test('one policy can have a grant, and no grant pays if another policy denies', async () => {
      const policies = { one: window, two: fixedWindow({ limit: 3, window: '1m' }) }
      const limiter = (await open()).limiter(policies)
      await limiter.grant('key', 5, { for: '1h', policy: 'one' })
      for (let i = 0; i < 3; i++) expect((await limiter.consume('key')).allowed).toBe(true)
      const denied = await limiter.consume('key')
      expect([denied.deniedBy, denied.remaining, denied.limit]).toEqual([['two'], 0, 3])
      expect((await limiter.status('key')).policies).toMatchObject({
        one: { used: 2, remaining: 4, granted: 4 },
        two: { used: 3, remaining: 0 },
      })
    })

    test('of a batch, each request takes units from what the one before it has left', async () => {
      const limiter = (await open()).limiter(window)
      await limiter.grant('key', 2, { for: '1h' })
      const decisions = await limiter.consumeMany(Array.from({ length: 5 }, () => ({ key: 'key' })))
      expect(decisions.map(({ remaining, allowed }) => [remaining, allowed])).toEqual([
        [3, true],
        [2, true],
        [1, true],
        [0, true],
        [0, false],
      ])
      await limiter.refund(decisions[0])
      expect(await numbersOf(limiter)).toEqual({ used: 1, remaining: 1, granted: 0 })
    })

    test('a new bucket that is partly full is kept when a grant pays its first request', async () => {
      const setup = await open()
      const bucket = tokenBucket({ capacity: 10, refill: 1, every: '1s', initial: 2 })
      const limiter = setup.limiter(bucket)
      await limiter.grant('key', 3, { for: '1h' })
      await limiter.consume('key', { cost: 3 })
      setup.now += 1000
      expect(await numbersOf(limiter)).toEqual({ used: 7, remaining: 3, granted: 0 })
    })

    test.each([
      ['concurrency', concurrency({ limit: 2, lease: '1m' })],
      ['leakyQueue', leakyQueue({ leak: 1, every: '1s', maxDelay: '5s' })],
      ['staged', staged({ free: window, then: window })],
    ])('%s has no grants', async (_, policy) => {
      const limiter = (await open()).limiter({ a: policy, b: window })
      const grant = async (options: object) => limiter.grant('key', 1, { for: '1h', ...options })
      await expect(grant({})).rejects.toMatchObject({ code: 'SLUICE_OPTION_INVALID' })
      await expect(grant({ policy: 'a' })).rejects.toThrow('"policy" is the string "a"')
      await grant({ policy: 'b' })
      const { a, b } = (await limiter.status('key')).policies
      expect([a.granted, b.granted]).toEqual([undefined, 1])
    })

    test.each([
      ['unlimited alone', unlimited(), 5, { for: '1h' }, 'SLUICE_OPTION_INVALID'],
      ['a fraction of a unit', window, 1.5, { for: '1h' }, 'SLUICE_OPTION_INVALID'],
      ['no time', window, 1, {}, 'SLUICE_OPTION_MISSING'],
      ['an unknown option', window, 1, { for: '1h', until: 3 }, 'SLUICE_OPTION_UNKNOWN'],
      ['an unknown policy', window, 1, { for: '1h', policy: 'x' }, 'SLUICE_POLICY_NAME_UNKNOWN'],
    ])('%s is an error', async (_, policy, units, options, code) => {
      const limiter = (await open()).limiter(policy)
      // A program without types can pass these.
      const grant = limiter.grant as (key: string, units: number, options: object) => unknown
      await expect((async () => grant('key', units, options))()).rejects.toMatchObject({ code })
    })
  })

  test('the methods that change what a key has can change one policy only', async () => {
    const limiter = (await open()).limiter({ one: window, two: window })
    const only = { policy: 'two' }
    const seen = async () => {
      const { one, two } = (await limiter.status('key')).policies
      return [one, two].map(({ used, blockedMs, exemptMs }) => [used, blockedMs, exemptMs])
    }
    await limiter.penalize('key', 2, only)
    expect(await seen()).toEqual([
      [0, 0, 0],
      [2, 0, 0],
    ])
    await limiter.refund('key', 1, only)
    await limiter.block('key', '1h', only)
    expect(await seen()).toEqual([
      [0, 0, 0],
      [1, hourMs, 0],
    ])
    expect((await limiter.consume('key')).deniedBy).toEqual(['two'])
    await limiter.unblock('key', { policy: 'one' })
    expect(await limiter.reset('key', only)).toBe(false)
    expect(await limiter.reset('key', { ...only, unblock: true })).toBe(true)
    await limiter.exempt('key', '1h', only)
    expect(await seen()).toEqual([
      [0, 0, 0],
      [0, 0, hourMs],
    ])
    await limiter.unexempt('key', { policy: 'one' })
    for (let i = 0; i < 3; i++) await limiter.consume('key')
    await limiter.unexempt('key', only)
    expect(await seen()).toEqual([
      [2, 0, 0],
      [0, 0, 0],
    ])
  })
}

async function numbersOf(limiter: Limiter) {
  const { used, remaining, granted } = (await limiter.status('key')).policies['default']
  return { used, remaining, ...(granted !== undefined && { granted }) }
}

async function blockedMsOf(limiter: Limiter) {
  return (await limiter.status('key')).policies['default'].blockedMs
}

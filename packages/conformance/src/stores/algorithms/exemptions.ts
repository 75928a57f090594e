import { fixedWindow, tokenBucket, type Decision, type Limiter } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import type { OpenSetup } from '../setup.js'

const hourMs = 3_600_000

export function describeExemptions(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: exemptions', ({ sample }) => {
    test('an exempt key is allowed at any cost, and nothing of it is counted', async () => {
      const limiter = (await open()).limiter(sample(5, 1000).policy)
      const { resetMs } = await limiter.consume('key', { cost: 4 })
      const counted = await limiter.peek('key')
      await limiter.exempt('key', '1h')
      const [verdict] = Object.values(counted.policies)
      for (const verb of ['consume', 'peek', 'consume'] as const) {
        for (const cost of [0, 1, 2, 6]) {
          expect(await limiter[verb]('key', { cost })).toEqual({
            ...counted,
            exempt: true,
            policies: { default: verdict },
          })
        }
      }
      expect('exempt' in (await limiter.consume('other'))).toBe(false)
      await limiter.unexempt('key')
      expect(await limiter.peek('key')).toEqual(counted)
      expect(await limiter.consume('key', { cost: 2 })).toMatchObject({ allowed: false, resetMs })
    })

    test('an exemption ends exactly at its time, and a later one replaces it', async () => {
      const setup = await open()
      const limiter = setup.limiter(sample(5, 1000).policy)
      await limiter.exempt('key', '1h')
      await limiter.exempt('key', 9000)
      setup.now += 8999
      expect(await exemptMsOf(limiter)).toBe(1)
      expect(await limiter.consume('key', { cost: 6 })).toMatchObject({ exempt: true })
      setup.now += 1
      expect(await exemptMsOf(limiter)).toBe(0)
      const after = await limiter.consume('key')
      expect([after.allowed, after.remaining, 'exempt' in after]).toEqual([true, 4, false])
    })

    test('a block and an exemption replace each other, and each is ended by its own method only', async () => {
      const limiter = (await open()).limiter(sample(5, 1000).policy)
      await limiter.block('key', '2h')
      await limiter.exempt('key', '1h')
      await limiter.unblock('key')
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, exempt: true })
      expect((await limiter.status('key')).policies['default']).toMatchObject({
        blockedMs: 0,
        exemptMs: hourMs,
      })
      await limiter.unexempt('key')
      expect((await limiter.peek('key')).allowed).toBe(true)
      await limiter.exempt('key', '1h')
      await limiter.block('key', '2h')
      await limiter.unexempt('key')
      expect(await limiter.consume('key')).toMatchObject({
        allowed: false,
        retryAfterMs: 2 * hourMs,
      })
      expect((await limiter.status('key')).policies['default'].exemptMs).toBe(0)
      await limiter.unblock('key')
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 4 })
    })

    test('a reset deletes the counts of an exempt key and keeps the exemption', async () => {
      const limiter = (await open()).limiter(sample(5, 1000).policy)
      await limiter.consume('key', { cost: 3 })
      await limiter.exempt('key', '1h')
      expect(await limiter.reset('key')).toBe(true)
      expect(await limiter.consume('key')).toMatchObject({ exempt: true, remaining: 5 })
      expect(await limiter.reset('key', { unblock: true })).toBe(true)
      expect(await exemptMsOf(limiter)).toBe(hourMs)
    })

    test.each(['reached', 'exceeded'] as const)(
      'a request of an exempt key starts no block (on: %s)',
      async (on) => {
        const block = { on, for: hourMs, escalate: 2, max: 10 * hourMs }
        const limiter = (await open()).limiter(sample(5, 1000).blocked(block).policy)
        await limiter.consume('key', { cost: 4 })
        await limiter.exempt('key', '1h')
        for (const cost of [1, 5, 6]) await limiter.consume('key', { cost })
        await limiter.unexempt('key')
        const { used, blockedMs } = (await limiter.status('key')).policies['default']
        expect([used, blockedMs]).toEqual([4, 0])
      },
    )

    test('a refund of an exempt decision refunds nothing', async () => {
      const limiter = (await open()).limiter(sample(5, 1000).policy)
      await limiter.consume('key', { cost: 3 })
      await limiter.exempt('key', '1h')
      const decision = await limiter.consume('key', { cost: 2 })
      await limiter.unexempt('key')
      const [again] = await limiter.consumeMany([{ key: 'key' }])
      expect(again.remaining).toBe(1)
      expect(await limiter.refund(decision)).toBe(false)
      expect((await limiter.peek('key')).remaining).toBe(1)
    })

    test('penalties and refunds of units change the counts of an exempt key', async () => {
      const limiter = (await open()).limiter(sample(5, 1000).policy)
      await limiter.exempt('key', '1h')
      await limiter.penalize('key', 3)
      await limiter.refund('key', 1)
      expect(await limiter.consume('key')).toMatchObject({ exempt: true, remaining: 3 })
    })
  })

  describe('an exemption', () => {
    test('allows under a limit of 0', async () => {
      const limiter = (await open()).limiter(fixedWindow({ limit: 0, window: '1m' }))
      await limiter.exempt('key', '1h')
      const { allowed, remaining, retryAfterMs, resetMs } = await limiter.consume('key')
      expect([allowed, remaining, retryAfterMs, resetMs]).toEqual([true, 0, 0, 0])
    })

    test('does not create a bucket, which starts with the first request after it', async () => {
      const setup = await open()
      const bucket = tokenBucket({ capacity: 5, refill: 5, every: '1h', initial: 1 })
      const limiter = setup.limiter({ bucket, never: fixedWindow({ limit: 0, window: '1m' }) })
      const { policies } = await limiter.peek('key')
      await limiter.exempt('key', '2h')
      await limiter.consume('key')
      await limiter.consume('key', { policies: { bucket } })
      setup.now += 2 * hourMs
      expect((await limiter.peek('key')).policies['bucket']).toEqual(policies['bucket'])
    })

    test('makes the next block start over', async () => {
      const setup = await open()
      const block = { for: 1000, escalate: 3 } as const
      const limiter = setup.limiter(fixedWindow({ limit: 1, window: 10, block }))
      await limiter.consume('key')
      setup.now += 1000
      await limiter.exempt('key', 10)
      setup.now += 10
      await limiter.consume('key')
      expect((await limiter.status('key')).policies['default'].blockedMs).toBe(1000)
    })

    test('that has ended is found again by a clock that steps back', async () => {
      const setup = await open()
      const limiter = setup.limiter(fixedWindow({ limit: 1, window: '1m' }))
      await limiter.exempt('key', 500)
      setup.now += 600
      expect((await limiter.consume('key')).remaining).toBe(0)
      setup.now -= 200
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, exempt: true })
    })

    test('decides every request of a batch, between other keys', async () => {
      const limiter = (await open()).limiter(fixedWindow({ limit: 1, window: '1m' }))
      await limiter.exempt('ann', '1h')
      const calls = ['ann', 'bob', 'ann', 'bob', 'ann'].map((key) => ({ key }))
      const short = ({ allowed, exempt }: Decision) => [allowed, exempt]
      const expected = [
        [true, true],
        [true, undefined],
        [true, true],
        [false, undefined],
        [true, true],
      ]
      expect((await limiter.consumeMany(calls)).map(short)).toEqual(expected)
      expect((await limiter.peekMany(calls)).map(({ allowed }) => allowed)).toEqual([
        true,
        false,
        true,
        false,
        true,
      ])
    })
  })
}

async function exemptMsOf(limiter: Limiter): Promise<number> {
  return (await limiter.status('key')).policies['default'].exemptMs
}

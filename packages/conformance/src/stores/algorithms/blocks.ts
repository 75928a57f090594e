import { fixedWindow, gcra, notLimited, tokenBucket, type Block } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import { today, type OpenSetup } from '../setup.js'

const hourMs = 3_600_000

export function describeBlocks(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: blocks', ({ sample }) => {
    test('a block denies even a cost of 0, unblock ends it, and earlier units still count', async () => {
      const setup = await open()
      const limiter = setup.limiter(sample(5, 1000).policy)
      const { resetMs } = await limiter.consume('key', { cost: 2 })
      await limiter.block('key', '1h')
      expect(await limiter.consume('key', { cost: 0 })).toMatchObject({
        allowed: false,
        limit: 5,
        remaining: 0,
        retryAfterMs: hourMs,
        resetMs: hourMs,
        deniedBy: ['default'],
      })
      expect((await limiter.consume('other')).allowed).toBe(true)
      await limiter.unblock('key')
      expect(await limiter.peek('key')).toMatchObject({ allowed: true, remaining: 3, resetMs })
    })

    test('a block ends exactly at its time, and a later block replaces it', async () => {
      const setup = await open()
      const limiter = setup.limiter(sample(5, 1000).policy)
      await limiter.block('key', '1h')
      await limiter.block('key', 9000)
      setup.now += 8999
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      setup.now += 1
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 4 })
    })

    test('reset does not change a blocked key, unless "unblock" is set', async () => {
      const limiter = (await open()).limiter(sample(5, 1000).policy)
      await limiter.consume('key', { cost: 2 })
      await limiter.block('key', '1h')
      const before = await limiter.status('key')
      expect(await limiter.reset('key')).toBe(false)
      expect(await limiter.reset('key', { unblock: false })).toBe(false)
      expect(await limiter.status('key')).toEqual(before)
      expect(await limiter.reset('key', { unblock: true })).toBe(true)
      expect(await limiter.peek('key')).toMatchObject({ remaining: 5, resetMs: 0 })
    })

    test('on: "reached" starts the block with the request that takes the last unit', async () => {
      const { policy } = sample(5, 1000).blocked(blockOf({ on: 'reached', for: hourMs }))
      const setup = await open()
      const limiter = setup.limiter(policy)
      expect((await limiter.consume('key', { cost: 4 })).resetMs).toBeLessThan(hourMs)
      expect(await limiter.consume('key')).toMatchObject({
        allowed: true,
        remaining: 0,
        retryAfterMs: 0,
        resetMs: hourMs,
      })
      setup.now += 1000
      expect((await limiter.consume('key')).retryAfterMs).toBe(hourMs - 1000)
      setup.now = today + hourMs
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 4 })
    })

    test('on: "exceeded" starts the block with the first denial, and further denials do not extend it', async () => {
      const { policy } = sample(5, 1000).blocked(blockOf({ on: 'exceeded', for: hourMs }))
      const setup = await open()
      const limiter = setup.limiter(policy)
      await limiter.consume('key', { cost: 5 })
      expect((await limiter.peek('key')).retryAfterMs).toBeLessThan(hourMs)
      for (let i = 0; i < 3; i++) {
        expect((await limiter.consume('key')).retryAfterMs).toBe(hourMs - i * 1000)
        setup.now += 1000
      }
      setup.now = today + hourMs
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 4 })
    })

    test.each(['consume', 'acquire'] as const)(
      'on: "exceeded" starts the block with a cost that can never fit: %s',
      async (verb) => {
        const { policy } = sample(5, 1000).blocked(blockOf({ on: 'exceeded', for: hourMs }))
        const setup = await open()
        const limiter = setup.limiter(policy)
        expect((await limiter[verb]('key', { cost: 6 })).retryAfterMs).toBe(null)
        expect((await limiter.status('key')).policies['default'].blockedMs).toBe(hourMs)
        expect(await limiter.consume('key')).toMatchObject({
          allowed: false,
          retryAfterMs: hourMs,
        })
        setup.now += hourMs
        expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 4 })
      },
    )

    test('on: "exceeded": a peek starts no block, even with a cost that can never fit', async () => {
      const { policy } = sample(5, 1000).blocked(blockOf({ on: 'exceeded', for: hourMs }))
      const limiter = (await open()).limiter(policy)
      await limiter.consume('key', { cost: 3 })
      for (const cost of [3, 5, 6]) {
        expect((await limiter.peek('key', { cost })).allowed).toBe(false)
      }
      expect((await limiter.status('key')).policies['default'].blockedMs).toBe(0)
      expect(await limiter.consume('key', { cost: 2 })).toMatchObject({ allowed: true })
    })
  })

  describe('a block', () => {
    test('shorter than the window keeps the count of the window', async () => {
      const setup = await open()
      const block = { for: 100, on: 'exceeded' } as const
      const limiter = setup.limiter(fixedWindow({ limit: 1, window: 1000, block }))
      await limiter.consume('key')
      expect((await limiter.consume('key')).retryAfterMs).toBe(1000)
      expect((await limiter.status('key')).policies['default'].blockedMs).toBe(100)
      setup.now += 999
      expect((await limiter.peek('key')).retryAfterMs).toBe(1)
    })

    test('keeps a bucket that does not begin full, also if the denied request finds it full', async () => {
      const setup = await open()
      const block = { for: '5d', on: 'exceeded' } as const
      const bucket = tokenBucket({ capacity: 5, refill: 5, every: '1h', initial: 1, block })
      const limiter = setup.limiter(bucket)
      await limiter.consume('key')
      setup.now += 144 * hourMs
      expect(await limiter.consume('key', { cost: 6 })).toMatchObject({ resetMs: 120 * hourMs })
      setup.now += 120 * hourMs
      expect(await limiter.peek('key')).toMatchObject({ remaining: 5, resetMs: 0 })
    })

    test('of a limit of 0 starts with a denial as well, and no unit remains after it', async () => {
      const setup = await open()
      const block = { for: '1h', on: 'exceeded' } as const
      const limiter = setup.limiter(fixedWindow({ limit: 0, window: 1000, block }))
      const { policies } = await limiter.consume('key', { cost: 0 })
      expect(policies['default']).toMatchObject({ retryAfterMs: null, nextMs: 0, resetMs: hourMs })
      setup.now += hourMs
      expect((await limiter.status('key')).policies['default'].blockedMs).toBe(0)
    })

    test('escalates up to its maximum, and starts over after an unblocked time as long as the last block', async () => {
      const setup = await open()
      const block = { for: 1000, escalate: 3, max: 5000 } as const
      const limiter = setup.limiter(fixedWindow({ limit: 1, window: 10, block }))
      expect(await blocksAfter([0, 0, 999, 4999, 0, 5000, 1000])).toEqual([
        1000, 3000, 5000, 5000, 5000, 1000, 1000,
      ])

      async function blocksAfter(pauses: readonly number[]): Promise<number[]> {
        const lengths: number[] = []
        for (const pause of pauses) {
          setup.now += pause
          await limiter.consume('key')
          const { blockedMs } = (await limiter.status('key')).policies['default']
          lengths.push(blockedMs)
          setup.now += blockedMs
        }
        return lengths
      }
    })

    test('of one policy denies the request, which takes no units of the others', async () => {
      const limiter = (await open()).limiter({
        strict: fixedWindow({ limit: 1, window: 1000, block: { for: '1h', on: 'exceeded' } }),
        wide: gcra({ limit: 9, window: '1h', block: { for: '2h', on: 'exceeded' } }),
      })
      await limiter.consume('key')
      const denied = await limiter.consume('key')
      expect([denied.deniedBy, denied.retryAfterMs]).toEqual([['strict'], hourMs])
      const { policies } = await limiter.status('key')
      expect([policies['wide'].used, policies['wide'].blockedMs]).toEqual([1, 0])
    })

    test('of one policy is not ended by a reset of the other, and prevents a reset of both', async () => {
      const limiter = (await open()).limiter({
        window: fixedWindow({ limit: 5, window: '1h' }),
        pace: gcra({ limit: 5, window: '1d' }),
      })
      await limiter.consume('key')
      await limiter.block({ window: 'key', pace: notLimited }, '1h')
      expect(await limiter.reset('key')).toBe(false)
      expect(await limiter.reset({ window: notLimited, pace: 'key' })).toBe(true)
      const { policies } = await limiter.status('key')
      expect([policies['window'].used, policies['window'].blockedMs]).toEqual([1, hourMs])
      expect([policies['pace'].used, policies['pace'].blockedMs]).toEqual([0, 0])
    })
  })
}

function blockOf(chosen: Pick<Block, 'on' | 'for'>): Block {
  return { ...chosen, escalate: 1, max: 10 * hourMs }
}

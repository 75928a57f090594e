import { fixedWindow, leakyQueue, unlimited } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import type { OpenSetup } from '../setup.js'

const source = 'store'

export function describeStatus(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: status', ({ sample }) => {
    test('reads the used and the remaining units, and changes nothing', async () => {
      const setup = await open()
      const limiter = setup.limiter(sample(5, 1000).policy)
      const fresh = { used: 0, limit: 5, remaining: 5, resetMs: 0, blockedMs: 0, exemptMs: 0 }
      expect(await limiter.status('key')).toEqual({ source, policies: { default: fresh } })
      const { resetMs } = await limiter.consume('key', { cost: 2 })
      const used = { used: 2, limit: 5, remaining: 3, resetMs, blockedMs: 0, exemptMs: 0 }
      expect(await limiter.status('key')).toEqual({ source, policies: { default: used } })
      expect(await limiter.status('key')).toEqual({ source, policies: { default: used } })
      setup.now += resetMs
      expect(await limiter.status('key')).toEqual({ source, policies: { default: fresh } })
    })
  })

  describe('status', () => {
    test('distinguishes a block from a used-up quota', async () => {
      const setup = await open()
      const limiter = setup.limiter({
        once: fixedWindow({ limit: 1, window: 500, block: { for: 2000 } }),
        more: fixedWindow({ limit: 9, window: 500 }),
      })
      await limiter.consume('key')
      setup.now += 100
      expect(await limiter.status('key')).toEqual({
        source,
        policies: {
          once: { used: 1, limit: 1, remaining: 0, resetMs: 1900, blockedMs: 1900, exemptMs: 0 },
          more: { used: 1, limit: 9, remaining: 8, resetMs: 400, blockedMs: 0, exemptMs: 0 },
        },
      })
      setup.now += 500
      expect((await limiter.status('key')).policies['once']).toEqual({
        used: 0,
        limit: 1,
        remaining: 0,
        resetMs: 1400,
        blockedMs: 1400,
        exemptMs: 0,
      })
    })

    test('is Infinity without a limit, and the backlog of a queue', async () => {
      const limiter = (await open()).limiter({
        none: unlimited(),
        queue: leakyQueue({ leak: 1, every: 1000, maxDelay: 3000 }),
      })
      await limiter.consume('key')
      await limiter.consume('key')
      expect(await limiter.status('key')).toEqual({
        source,
        policies: {
          none: {
            used: 0,
            limit: Infinity,
            remaining: Infinity,
            resetMs: 0,
            blockedMs: 0,
            exemptMs: 0,
          },
          queue: { used: 2, limit: 4, remaining: 2, resetMs: 2000, blockedMs: 0, exemptMs: 0 },
        },
      })
    })
  })
}

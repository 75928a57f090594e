import { describe, expect, test } from 'vitest'
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
import type { OpenSetup } from '../setup.js'

export function describeCosts(open: OpenSetup): void {
  describe.each(sizedAlgorithms)('$name: costs', ({ sample, most }) => {
    test.each([0, 1, 2])('allows exactly %i if that is the limit', async (limit) => {
      const limiter = (await open()).limiter(sample(limit, 1000).policy)
      const answers: boolean[] = []
      for (let i = 0; i < 4; i++) answers.push((await limiter.consume('key')).allowed)
      expect(answers).toEqual([0, 1, 2, 3].map((i) => i < limit))
    })

    test('takes a cost equal to the limit at once', async () => {
      const limiter = (await open()).limiter(sample(5, 1000).policy)
      expect(await limiter.consume('key', { cost: 5 })).toMatchObject({
        allowed: true,
        limit: 5,
        remaining: 0,
        retryAfterMs: 0,
      })
    })

    test('always denies a cost above the limit, and takes no units for it', async () => {
      const limiter = (await open()).limiter(sample(5, 1000).policy)
      expect(await limiter.consume('key', { cost: 6 })).toMatchObject({
        allowed: false,
        remaining: 5,
        retryAfterMs: null,
        resetMs: 0,
        deniedBy: ['default'],
      })
      expect((await limiter.consume('key', { cost: 5 })).allowed).toBe(true)
    })

    test('allows a cost of 0 when no units remain, and takes no units for it', async () => {
      const limiter = (await open()).limiter(sample(2, 1000).policy)
      await limiter.consume('key', { cost: 2 })
      const spent = await limiter.peek('key', { cost: 0 })
      expect(spent).toMatchObject({ allowed: true, remaining: 0, retryAfterMs: 0 })
      expect(await limiter.consume('key', { cost: 0 })).toEqual(spent)
      expect(await limiter.peek('key', { cost: 0 })).toEqual(spent)
    })

    test('a cost of 0 starts no window', async () => {
      const setup = await open()
      const limiter = setup.limiter(sample(2, 1000).policy)
      expect(await limiter.consume('key', { cost: 0 })).toMatchObject({
        allowed: true,
        remaining: 2,
        resetMs: 0,
      })
      setup.now += 400
      await limiter.consume('key', { cost: 2 })
      const fresh = setup.limiter(sample(2, 1000).policy)
      await fresh.consume('key', { cost: 2 })
      expect(await limiter.peek('key')).toEqual(await fresh.peek('key'))
    })

    test('denies even a cost of 0 at a limit of 0', async () => {
      const limiter = (await open()).limiter(sample(0, 1000).policy)
      expect(await limiter.consume('key', { cost: 0 })).toMatchObject({
        allowed: false,
        limit: 0,
        remaining: 0,
        retryAfterMs: null,
        resetMs: 0,
      })
    })

    test('keeps counts of any size', async () => {
      const setup = await open()
      const limit = most
      for (const power of [8, 16, 32, 40, 52]) {
        for (const count of [2 ** power - 1, 2 ** power, 2 ** power + 1]) {
          if (count > limit) continue
          const limiter = setup.limiter(sample(limit, 1000).policy)
          await limiter.consume('key', { cost: count })
          expect((await limiter.peek('key')).remaining).toBe(limit - count)
        }
      }
    })

    test('counts the largest limit exactly', async () => {
      const limit = most
      const limiter = (await open()).limiter(sample(limit, 1000).policy)
      const first = await limiter.consume('key', { cost: limit - 1 })
      expect([first.allowed, first.remaining]).toEqual([true, 1])
      expect((await limiter.consume('key', { cost: 2 })).allowed).toBe(false)
      expect((await limiter.consume('key')).remaining).toBe(0)
      expect((await limiter.consume('key')).allowed).toBe(false)
    })
  })
}

import { leakyQueue, tokenBucket, unlimited } from '@sluice/core'
import { describe, expect, test } from 'vitest'
import { today, type OpenSetup } from '../setup.js'

export function describeQueues(open: OpenSetup): void {
  describe('a leaky queue', () => {
    test('releases requests one after another, and denies one that would wait too long', async () => {
      const limiter = (await open()).limiter(leakyQueue({ leak: 10, every: '1s', maxDelay: 300 }))
      const answers = []
      for (let i = 0; i < 5; i++) {
        const { allowed, delayMs, remaining, retryAfterMs } = await limiter.consume('key')
        answers.push({ allowed, delayMs, remaining, retryAfterMs })
      }
      expect(answers).toEqual([
        { allowed: true, delayMs: 0, remaining: 3, retryAfterMs: 0 },
        { allowed: true, delayMs: 100, remaining: 2, retryAfterMs: 0 },
        { allowed: true, delayMs: 200, remaining: 1, retryAfterMs: 0 },
        { allowed: true, delayMs: 300, remaining: 0, retryAfterMs: 0 },
        { allowed: false, delayMs: 0, remaining: 0, retryAfterMs: 100 },
      ])
    })

    test('depends on earlier requests and not on the cost of the request itself', async () => {
      const setup = await open()
      const limiter = setup.limiter(leakyQueue({ leak: 1, every: 1000, maxDelay: 0 }))
      expect(await limiter.consume('key', { cost: 60 })).toMatchObject({
        allowed: true,
        limit: 1,
        remaining: 0,
        delayMs: 0,
        resetMs: 60_000,
      })
      setup.now += 59_999
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      setup.now += 1
      expect((await limiter.consume('key')).allowed).toBe(true)
    })

    test('a refund returns no time before a later request, so that two never start together', async () => {
      const limiter = (await open()).limiter(leakyQueue({ leak: 1, every: '1s', maxDelay: '9s' }))
      const decisions = []
      for (let i = 0; i < 5; i++) decisions.push(await limiter.consume('key'))
      for (const i of [1, 2, 4]) await limiter.refund(decisions[i])
      const later = [await limiter.consume('key'), await limiter.consume('key')]
      expect(later.map(({ delayMs }) => delayMs)).toEqual([4000, 5000])
      for (const decision of later.toReversed()) await limiter.refund(decision)
      expect(await limiter.peek('key')).toMatchObject({ delayMs: 4000 })
    })

    test('starts requests at thirds of a second, rounded up', async () => {
      const limiter = (await open()).limiter(leakyQueue({ leak: 3, every: 1000, maxDelay: '2s' }))
      const delays = []
      for (let i = 0; i < 7; i++) delays.push((await limiter.consume('key')).delayMs)
      expect(delays).toEqual([0, 334, 667, 1000, 1334, 1667, 2000])
    })

    test('returns the delay of a request in a peek', async () => {
      const limiter = (await open()).limiter(leakyQueue({ leak: 1, every: 1000, maxDelay: '5s' }))
      await limiter.consume('key', { cost: 3 })
      expect(await limiter.peek('key')).toMatchObject({ allowed: true, delayMs: 3000 })
    })
  })

  describe('a bucket that starts partly full', () => {
    const policy = tokenBucket({ capacity: 5, refill: 1, every: 1000, initial: 1 })

    test('starts with its first request, even if the request is denied or takes no units', async () => {
      const setup = await open()
      for (const [key, cost] of [
        ['denied', 3],
        ['nothing', 0],
        ['taken', 1],
      ] as const) {
        setup.now = today
        const limiter = setup.limiter(policy)
        await limiter.consume(key, { cost })
        setup.now += 2000
        expect((await limiter.peek(key)).remaining).toBe(key === 'taken' ? 2 : 3)
      }
    })

    test('does not start with a peek', async () => {
      const setup = await open()
      const limiter = setup.limiter(policy)
      await limiter.peek('key')
      setup.now += 2000
      expect((await limiter.peek('key')).remaining).toBe(1)
    })

    test('starts again after a day during which it was full, even with a denial', async () => {
      const setup = await open()
      const limiter = setup.limiter(policy)
      await limiter.consume('key')
      setup.now += 5000 + 86_400_000 - 1
      expect((await limiter.peek('key')).remaining).toBe(5)
      setup.now++
      expect(await limiter.consume('key', { cost: 4 })).toMatchObject({
        allowed: false,
        remaining: 1,
        retryAfterMs: 3000,
      })
      setup.now += 3000
      expect((await limiter.consume('key', { cost: 4 })).allowed).toBe(true)
    })
  })

  test('without a limit everything is allowed, and its numbers are Infinity', async () => {
    const limiter = (await open()).limiter(unlimited())
    for (const cost of [0, 1, 2 ** 40]) {
      expect(await limiter.consume('key', { cost })).toMatchObject({
        allowed: true,
        limit: Infinity,
        remaining: Infinity,
        retryAfterMs: 0,
        resetMs: 0,
        policies: { default: { nextMs: 0, delayMs: 0 } },
      })
    }
  })
}

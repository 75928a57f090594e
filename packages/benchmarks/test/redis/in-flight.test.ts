import { describe, expect, test } from 'vitest'
import { inFlight, percentileOf } from '../../src/redis/in-flight.js'

describe('a percentile', () => {
  test.each([
    { count: 100, share: 0.99, expected: 99 },
    { count: 101, share: 0.99, expected: 100 },
    { count: 1, share: 0.99, expected: 1 },
  ])('of $count values at $share is $expected', ({ count, share, expected }) => {
    const values = Array.from({ length: count }, (_, i) => count - i)
    expect(percentileOf(values, share)).toBe(expected)
  })
})

describe('a load', () => {
  test('keeps as many decisions in flight as asked, and decides once for each key in order', async () => {
    const decided: string[] = []
    const waiting: (() => void)[] = []
    let most = 0
    async function decide(key: string): Promise<boolean> {
      decided.push(key)
      await new Promise<void>((resolve) => {
        waiting.push(resolve)
        most = Math.max(most, waiting.length)
        if (waiting.length === 3 || decided.length === keys.length) release()
      })
      return true
    }
    function release(): void {
      for (const resolve of waiting.splice(0)) resolve()
    }
    const keys = Array.from({ length: 15 }, (_, i) => `key ${i}`)
    const { perSecond, p99Microseconds } = await inFlight(decide, keys, 3)
    expect({ decided, most }).toEqual({ decided: keys, most: 3 })
    expect([perSecond, p99Microseconds].every(Number.isFinite)).toBe(true)
  })

  test('fails if a decision is denied', async () => {
    await expect(inFlight((key) => key !== 'b', ['a', 'b'], 1)).rejects.toThrow('1 were denied')
  })
})

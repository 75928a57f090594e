import {
  calendarWindow,
  fixedWindow,
  gcra,
  leakyBucket,
  slidingWindow,
  tokenBucket,
  type Decision,
  type Policy,
} from '@sluice/core'
import { describe, expect, test } from 'vitest'
import type { OpenSetup } from '../setup.js'

export function describeChangedPolicies(open: OpenSetup): void {
  describe('a limit that changed', () => {
    const windows: readonly (readonly [string, (limit: number) => Policy])[] = [
      ['fixedWindow', (limit) => fixedWindow({ limit, window: '1h' })],
      ['fixedWindow on the clock', (limit) => fixedWindow({ limit, window: '1h', align: 'clock' })],
      ['calendarWindow', (limit) => calendarWindow({ limit, period: 'hour', timeZone: 'UTC' })],
      ['slidingWindow', (limit) => slidingWindow({ limit, window: '1h' })],
      ['slidingWindow in buckets', (limit) => slidingWindow({ limit, window: '1h', buckets: 60 })],
    ]
    test.each(windows)('%s keeps the units used', async (_name, policy) => {
      const limiter = (await open()).limiter(policy(10))
      await limiter.consume('key', { cost: 6 })
      const asked = { policies: policy(20) }
      expect(limitAndRest(await limiter.consume('key', asked))).toEqual([true, 20, 13])
      expect(limitAndRest(await limiter.consume('key', { policies: policy(7) }))).toEqual([
        false,
        7,
        0,
      ])
      expect(limitAndRest(await limiter.consume('key', { policies: policy(5) }))).toEqual([
        false,
        5,
        0,
      ])
      expect(limitAndRest(await limiter.peek('key'))).toEqual([true, 10, 3])
    })

    const paced: readonly (readonly [string, (limit: number) => Policy])[] = [
      ['gcra', (limit) => gcra({ limit, window: '1h' })],
      ['tokenBucket', (limit) => tokenBucket({ capacity: limit, refill: limit * 2, every: '1h' })],
      ['leakyBucket', (limit) => leakyBucket({ capacity: limit, leak: limit * 3, every: '1h' })],
    ]
    test.each(paced)('%s keeps the share used', async (_name, policy) => {
      const limiter = (await open()).limiter(policy(10))
      await limiter.consume('key', { cost: 5 })
      const twice = { policies: policy(20) }
      expect(limitAndRest(await limiter.consume('key', { ...twice, cost: 2 }))).toEqual([
        true,
        20,
        8,
      ])
      expect(limitAndRest(await limiter.peek('key'))).toEqual([true, 10, 4])
      const none = { policies: policy(5), cost: 3 }
      expect(limitAndRest(await limiter.consume('key', none))).toEqual([false, 5, 2])
    })
  })

  describe('policies chosen for one call', () => {
    test('replace those of the limiter, and do not change the counts of others', async () => {
      const day = fixedWindow({ limit: 5, window: '1d' })
      const limiter = (await open()).limiter({ day, pace: gcra({ limit: 3, window: '1d' }) })
      await limiter.consume('key')
      const chosen = { policies: { day } }
      const { policies } = await limiter.consume('key', { ...chosen, cost: 2 })
      expect(Object.keys(policies)).toEqual(['day'])
      const after = await limiter.peek('key')
      expect([after.policies['day'].remaining, after.policies['pace'].remaining]).toEqual([2, 2])
    })

    test('may be plain data', async () => {
      const limiter = (await open()).limiter(fixedWindow({ limit: 5, window: '1d' }))
      await limiter.consume('key', { cost: 2 })
      const plain: unknown = JSON.parse(JSON.stringify(fixedWindow({ limit: 3, window: '1d' })))
      const asked = { policies: plain as Policy }
      expect(limitAndRest(await limiter.consume('key', asked))).toEqual([true, 3, 0])
    })
  })

  test('a bucket keeps its used share when its size, its rate or its kind changes', async () => {
    const small = tokenBucket({ capacity: 10, refill: 1, every: '1s' })
    const limiter = (await open()).limiter(small)
    await limiter.consume('key', { cost: 5 })
    const others = [
      tokenBucket({ capacity: 100, refill: 1, every: '1s' }),
      tokenBucket({ capacity: 10, refill: 2, every: '1s' }),
      leakyBucket({ capacity: 20, leak: 20, every: '7d' }),
      gcra({ limit: 100, window: '1h' }),
    ]
    const halves: number[][] = []
    for (const policies of others) {
      await limiter.consume('key', { cost: 1, policies })
      const { limit, remaining } = await limiter.consume('key', { cost: 0, policies })
      halves.push([limit, remaining])
      await limiter.reset('key')
      await limiter.consume('key', { cost: 5 })
    }
    expect(halves).toEqual([
      [100, 49],
      [10, 4],
      [20, 9],
      [100, 49],
    ])
  })
}

function limitAndRest({ allowed, limit, remaining }: Decision) {
  return [allowed, limit, remaining]
}

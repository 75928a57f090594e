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
import { sizedAlgorithms } from '../../samples/sized-algorithms.js'
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

  describe('another algorithm under the same name', () => {
    const pairs = sizedAlgorithms.flatMap((before) =>
      sizedAlgorithms
        .filter((after) => kindOf(after) !== kindOf(before))
        .map((after) => ({ from: before.name, to: after.name, before, after })),
    )
    test.each(pairs)('starts a new count: $from, then $to', async ({ before, after }) => {
      const setup = await open()
      const old = setup.limiter(before.sample(5, 3_600_000).policy)
      const changed = setup.limiter(after.sample(5, 3_600_000).policy, old.name)
      await old.consume('key', { cost: 5 })
      expect(limitAndRest(await changed.consume('key', { cost: 2 }))).toEqual([true, 5, 3])
      expect(limitAndRest(await changed.consume('key', { cost: 3 }))).toEqual([true, 5, 0])
      expect((await changed.consume('key')).allowed).toBe(false)
    })

    test('starts a new count after a change back as well, and a peek changes nothing', async () => {
      const window = fixedWindow({ limit: 5, window: '1h' })
      const limiter = (await open()).limiter(window)
      const pace = { policies: gcra({ limit: 5, window: '1h' }) }
      await limiter.consume('key', { cost: 5 })
      expect((await limiter.consume('key', { ...pace, cost: 6 })).allowed).toBe(false)
      expect(limitAndRest(await limiter.peek('key'))).toEqual([false, 5, 0])
      expect(limitAndRest(await limiter.consume('key', pace))).toEqual([true, 5, 4])
      expect(limitAndRest(await limiter.consume('key'))).toEqual([true, 5, 4])
      expect(limitAndRest(await limiter.consume('key', pace))).toEqual([true, 5, 4])
    })
  })
}

function limitAndRest({ allowed, limit, remaining }: Decision) {
  return [allowed, limit, remaining]
}

/** GCRA and the buckets are one algorithm, and so are a window's two alignments: a change between them keeps what was used. */
function kindOf({ sample }: (typeof sizedAlgorithms)[number]): string {
  const { kind } = sample(1, 1).policy
  return kind === 'tokenBucket' || kind === 'leakyBucket' ? 'gcra' : kind
}

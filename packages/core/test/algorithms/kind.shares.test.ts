import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { sharePolicy } from '../../src/algorithms/kind.js'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  unlimited,
  type Policy,
} from '../../src/index.js'
import { errorOf } from '../error-of.js'
import { stubStore } from '../stores/pipeline/stub-store.js'

const block = { for: '5m', on: 'exceeded' } as const

/** Each builder with a policy and a quarter of it: each quota is a quarter, rounded up, and all other options are equal. */
const quarters: readonly (readonly [string, Policy, Policy])[] = [
  [
    'fixedWindow',
    fixedWindow({ limit: 10, window: '1m' }),
    fixedWindow({ limit: 3, window: '1m' }),
  ],
  [
    'fixedWindow on the clock',
    fixedWindow({ limit: 8, window: '1m', align: 'clock', offset: '10s' }),
    fixedWindow({ limit: 2, window: '1m', align: 'clock', offset: '10s' }),
  ],
  [
    'calendarWindow',
    calendarWindow({ limit: 30, period: 'week', timeZone: 'UTC', weekStartsOn: 'sunday' }),
    calendarWindow({ limit: 8, period: 'week', timeZone: 'UTC', weekStartsOn: 'sunday' }),
  ],
  [
    'slidingWindow',
    slidingWindow({ limit: 100, window: '1m', buckets: 6, tail: 'truncated' }),
    slidingWindow({ limit: 25, window: '1m', buckets: 6, tail: 'truncated' }),
  ],
  ['slidingLog', slidingLog({ limit: 7, window: '1m' }), slidingLog({ limit: 2, window: '1m' })],
  [
    'tokenBucket',
    tokenBucket({ capacity: 100, refill: 10, every: '1s', initial: 50 }),
    tokenBucket({ capacity: 25, refill: 3, every: '1s', initial: 13 }),
  ],
  [
    'leakyBucket',
    leakyBucket({ capacity: 9, leak: 4, every: '1s' }),
    leakyBucket({ capacity: 3, leak: 1, every: '1s' }),
  ],
  [
    'leakyQueue',
    leakyQueue({ leak: 40, every: '1s', maxDelay: '2s' }),
    leakyQueue({ leak: 10, every: '1s', maxDelay: '2s' }),
  ],
  [
    'gcra',
    gcra({ limit: 60, window: '1m', burst: 5 }),
    gcra({ limit: 15, window: '1m', burst: 2 }),
  ],
  ['concurrency', concurrency({ limit: 6, lease: '1m' }), concurrency({ limit: 2, lease: '1m' })],
  [
    'staged',
    staged({
      free: calendarWindow({ limit: 30, period: 'day', timeZone: 'UTC' }),
      then: gcra({ limit: 10, window: '2s', burst: 4 }),
    }),
    staged({
      free: calendarWindow({ limit: 8, period: 'day', timeZone: 'UTC' }),
      then: gcra({ limit: 3, window: '2s', burst: 1 }),
    }),
  ],
  ['unlimited', unlimited(), unlimited()],
  [
    'a policy with a block',
    fixedWindow({ limit: 10, window: '1m', block }),
    fixedWindow({ limit: 3, window: '1m', block }),
  ],
]

describe('a quarter of a policy', () => {
  test.each(quarters)('of %s', (_, policy, quarter) => {
    expect(sharePolicy(policy, 0.25)).toEqual(quarter)
  })

  // A policy that counts nothing is not sent to a store.
  const counted = quarters.filter(([name]) => name !== 'unlimited')

  test.each(counted)(
    'decides while the store is unavailable, by %s',
    async (_, policy, quarter) => {
      const time = { now: 1_763_683_200_000 }
      const clock = () => time.now
      const stub = stubStore()
      stub.fail()
      const away = createLimiter({
        name: 'api',
        policies: policy,
        clock,
        store: stub,
        localShare: 0.25,
      })
      const small = createLimiter({ name: 'api', policies: quarter, clock })
      for (let i = 0; i < 60; i++) {
        time.now += i % 10 === 0 ? 1500 : 7
        const { source, lease: _mine, ...decided } = await away.consume('key')
        const { source: _source, lease: _its, ...expected } = small.consume('key')
        expect([source, { ...decided }]).toEqual(['fallback', { ...expected }])
      }
    },
  )
})

test('a share is rounded up to a whole unit, and not further because of rounding errors', () => {
  fc.assert(
    fc.property(fc.nat(10 ** 9), fc.integer({ min: 1, max: 10_000 }), (limit, parts) => {
      const exact = (BigInt(limit) * BigInt(parts) + 9999n) / 10_000n
      const shared = sharePolicy(fixedWindow({ limit, window: '1h' }), parts / 10_000)
      expect(shared).toMatchObject({ limit: Number(exact) })
    }),
    {
      numRuns: runs(5000),
      examples: [
        [70, 1000],
        [3, 3333],
        [1, 1],
        [0, 5000],
        [10 ** 9, 9999],
      ],
    },
  )
})

test('a share that is a whole number is not rounded up', () => {
  const hundred = fc.integer({ min: 1, max: 100 })
  fc.assert(
    fc.property(fc.nat(10 ** 6), hundred, (hundreds, percent) => {
      const shared = sharePolicy(
        fixedWindow({ limit: 100 * hundreds, window: '1h' }),
        percent / 100,
      )
      expect(shared).toMatchObject({ limit: hundreds * percent })
    }),
    { numRuns: runs(2000) },
  )
})

test('the shares of n processes are together at least the limit, and less than n units more', () => {
  fc.assert(
    fc.property(fc.nat(10 ** 6), fc.integer({ min: 1, max: 64 }), (limit, processes) => {
      const shared = sharePolicy(fixedWindow({ limit, window: '1h' }), 1 / processes)
      const inAll = 'limit' in shared ? Number(shared.limit) * processes : Number.NaN
      expect([inAll >= limit, inAll < limit + processes]).toEqual([true, true])
    }),
    { numRuns: runs(2000) },
  )
})

test.each([0, -0.5, 1.0001, Number.NaN, Infinity, '1', null])('refuses the share %o', (share) => {
  const policies = fixedWindow({ limit: 1, window: '1h' })
  const localShare = share as number
  expect(errorOf(() => createLimiter({ name: 'api', policies, localShare })).code).toBe(
    'SLUICE_OPTION_INVALID',
  )
})

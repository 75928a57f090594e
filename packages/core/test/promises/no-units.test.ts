import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  slidingLog,
  slidingWindow,
  tokenBucket,
} from '@sluice/core'
import { expect, test } from 'vitest'

test.each([
  fixedWindow({ limit: 0, window: '1m' }),
  fixedWindow({ limit: 0, window: '1m', align: 'clock' }),
  calendarWindow({ limit: 0, period: 'day', timeZone: 'UTC' }),
  slidingWindow({ limit: 0, window: '1m' }),
  slidingWindow({ limit: 0, window: '1m', buckets: 6 }),
  slidingLog({ limit: 0, window: '1m' }),
  gcra({ limit: 0, window: '1m' }),
  tokenBucket({ capacity: 0, refill: 1, every: '1s' }),
  leakyBucket({ capacity: 0, leak: 1, every: '1s' }),
  concurrency({ limit: 0, lease: '1m' }),
])('a policy of 0 units denies everything, also a request that costs 0: %o', (policies) => {
  const limiter = createLimiter({ name: 'none', policies })
  for (const cost of [0, 1, 5]) {
    expect(limiter.consume('key', { cost })).toMatchObject({ allowed: false, retryAfterMs: null })
  }
})

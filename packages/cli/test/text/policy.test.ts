import {
  calendarWindow,
  concurrency,
  fixedWindow,
  gcra,
  leakyQueue,
  slidingWindow,
  staged,
  tokenBucket,
  unlimited,
  type Policy,
} from '@sluice/core'
import { expect, test } from 'vitest'
import { policyText } from '../../src/text/policy.js'

test.each<readonly [string, Policy]>([
  ['slidingWindow, limit 60, window 1m', slidingWindow({ limit: 60, window: '1m' })],
  [
    'slidingWindow, limit 60, window 1m, buckets 6, tail truncated',
    slidingWindow({ limit: 60, window: '1m', buckets: 6, tail: 'truncated' }),
  ],
  [
    'slidingWindow, limit 60, window 1m, buckets 6',
    slidingWindow({ limit: 60, window: '1m', buckets: 6 }),
  ],
  ['gcra, limit 600, window 1m', gcra({ limit: 600, window: '1m' })],
  ['gcra, limit 600, window 1m, burst 20', gcra({ limit: 600, window: '1m', burst: 20 })],
  [
    'tokenBucket, capacity 9, refill 3, every 1.5s',
    tokenBucket({ capacity: 9, refill: 3, every: 1500 }),
  ],
  [
    'tokenBucket, capacity 9, refill 3, every 1s, initial 0',
    tokenBucket({ capacity: 9, refill: 3, every: '1s', initial: 0 }),
  ],
  [
    'leakyQueue, leak 2, every 1s, maxDelay 30s',
    leakyQueue({ leak: 2, every: '1s', maxDelay: '30s' }),
  ],
  ['concurrency, limit 4, lease 1m 30s', concurrency({ limit: 4, lease: '90s' })],
  [
    'calendarWindow, limit 9, period day, timeZone UTC',
    calendarWindow({ limit: 9, period: 'day', timeZone: 'UTC' }),
  ],
  [
    'calendarWindow, limit 9, period week, timeZone UTC, weekStartsOn sunday',
    calendarWindow({ limit: 9, period: 'week', timeZone: 'UTC', weekStartsOn: 'sunday' }),
  ],
  [
    'fixedWindow, limit 9, window 1h, align clock, offset 5m',
    fixedWindow({ limit: 9, window: '1h', align: 'clock', offset: '5m' }),
  ],
  [
    'staged, free (fixedWindow, limit 30, window 1d), then (gcra, limit 1, window 2s)',
    staged({
      free: fixedWindow({ limit: 30, window: '1d' }),
      then: gcra({ limit: 1, window: '2s' }),
    }),
  ],
  ['unlimited', unlimited()],
])('%s', (text, policy) => {
  expect(policyText(policy)).toBe(text)
})

test('a block has its durations and its factor', () => {
  const block = { for: '1m', on: 'exceeded', escalate: 2, max: '1h' } as const
  expect(policyText(fixedWindow({ limit: 5, window: '1m', block }))).toBe(
    'fixedWindow, limit 5, window 1m, block (for 1m, on exceeded, escalate 2, max 1h)',
  )
})

import { expect, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  gcra,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policy,
} from '../../src/index.js'

const policies: [string, Policy][] = [
  ['sliding window', slidingWindow({ limit: 3, window: '1m' })],
  ['fixed window', fixedWindow({ limit: 3, window: '1m' })],
  ['sliding log', slidingLog({ limit: 3, window: '1m' })],
  ['gcra', gcra({ limit: 3, window: '1m' })],
  ['token bucket', tokenBucket({ capacity: 3, refill: 1, every: '20s' })],
]

/** The units that remain when a request is refunded after a reset, while a later request counts. */
function remainingAfter(policies: Policy): number {
  let now = Date.UTC(2026, 0, 1)
  const limiter = createLimiter({ name: 'forgotten', policies, clock: () => now })
  const forgotten = limiter.consume('key')
  limiter.reset('key')
  now += 5
  limiter.consume('key')
  limiter.refund(forgotten)
  return limiter.peek('key').remaining
}

test.each(policies)(
  'a refund of a request from before a reset refunds nothing that was taken in a later millisecond: %s',
  (_, policy) => {
    expect(remainingAfter(policy)).toBe(2)
  },
)

import { expect, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  gcra,
  slidingLog,
  slidingWindow,
  tokenBucket,
  type Policy,
} from '../src/index.js'

const policies: [string, Policy][] = [
  ['sliding window', slidingWindow({ limit: 3, window: '1m' })],
  ['fixed window', fixedWindow({ limit: 3, window: '1m' })],
  ['sliding log', slidingLog({ limit: 3, window: '1m' })],
  ['gcra', gcra({ limit: 3, window: '1m' })],
  ['token bucket', tokenBucket({ capacity: 3, refill: 1, every: '20s' })],
]

/** What remains when a request is given back that was forgotten before, while another one still counts. */
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

test.each(policies)('what was forgotten gives nothing back: %s', (_, policy) => {
  expect(remainingAfter(policy)).toBe(2)
})

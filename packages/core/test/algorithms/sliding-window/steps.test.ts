import { createLimiter, slidingWindow } from '@sluice/core'
import { expect, test } from 'vitest'

test('a unit of the older window counts for its whole time, also if the clock steps back while the current window is empty', () => {
  let now = Date.UTC(2026, 0, 1)
  const start = now
  const policies = slidingWindow({ limit: 3, window: 1000 })
  const limiter = createLimiter({ name: 'api', policies, clock: () => now })
  const consumeAt = (ms: number, cost = 1) => {
    now = start + ms
    return limiter.consume('key', { cost })
  }
  consumeAt(0)
  consumeAt(900)
  limiter.refund(consumeAt(1000))
  consumeAt(500)
  // Those of 900 and of 500 still count, the latter by the clock before its step.
  expect(consumeAt(1500, 2).allowed).toBe(false)
  expect(consumeAt(1500).allowed).toBe(true)
  expect(consumeAt(1899, 2).allowed).toBe(false)
})

// A test of a limiter: node --test testing-limiter.js
// #region limiter
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLimiter, tokenBucket } from '@sluice/core'
import { testClock } from '@sluice/testing'

test('a bucket refills by one token a second', async () => {
  const clock = testClock()
  const policies = tokenBucket({ capacity: 2, refill: 1, every: '1s' })
  const limiter = createLimiter({ name: 'test', policies, clock })

  assert.equal((await limiter.consume('ada', { cost: 2 })).allowed, true)
  assert.equal((await limiter.consume('ada')).retryAfterMs, 1000)
  clock.advance('999ms')
  assert.equal((await limiter.consume('ada')).allowed, false)
  clock.advance('1ms')
  assert.equal((await limiter.consume('ada')).allowed, true)
})
// #endregion

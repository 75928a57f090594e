// A test of a limiter: node --test testing-limiter.js
// #region limiter
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLimiter, tokenBucket } from '@sluice/core'

test('a bucket refills by one token a second', async () => {
  let now = 0
  const policies = tokenBucket({ capacity: 2, refill: 1, every: '1s' })
  const limiter = createLimiter({ name: 'test', policies, clock: () => now })

  assert.equal((await limiter.consume('ada', { cost: 2 })).allowed, true)
  assert.equal((await limiter.consume('ada')).retryAfterMs, 1000)
  now = 999
  assert.equal((await limiter.consume('ada')).allowed, false)
  now = 1000
  assert.equal((await limiter.consume('ada')).allowed, true)
})
// #endregion

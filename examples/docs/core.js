// A limiter without HTTP.
import assert from 'node:assert/strict'
// #region quick
import { createLimiter, slidingWindow } from '@sluice/core'

const limiter = createLimiter({
  name: 'api',
  policies: slidingWindow({ limit: 100, window: '1m' }),
})

const { allowed, remaining, retryAfterMs } = await limiter.consume('user:42')
// #endregion
assert.deepEqual([allowed, remaining, retryAfterMs], [true, 99, 0])

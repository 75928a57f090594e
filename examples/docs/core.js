// A limiter without HTTP.
import assert from 'node:assert/strict'
// #region quick
import { createLimiter } from '@sluice/core'

const limiter = createLimiter({ name: 'api', limit: 100, window: '1m' })

const { allowed, remaining, retryAfterMs } = await limiter.consume('user:42')
// #endregion
assert.deepEqual([allowed, remaining, retryAfterMs], [true, 99, 0])

// A key that is allowed until an end.
import assert from 'node:assert/strict'
// #region exempt
import { createLimiter, slidingWindow } from '@sluice/core'

const policies = slidingWindow({ limit: 100, window: '1m' })
const limiter = createLimiter({ name: 'api', policies })
const key = ['user', 42]

await limiter.exempt(key, '8h') // allows every request for eight hours, and counts none
const { allowed, exempt } = await limiter.consume(key, { cost: 500 })
console.log(allowed, exempt) // true true
const { exemptMs } = (await limiter.status(key)).policies.default // how long it still lasts
await limiter.unexempt(key) // ends it now
// #endregion
assert.deepEqual([allowed, exempt, exemptMs > 28_790_000], [true, true, true])
assert.equal((await limiter.consume(key, { cost: 500 })).allowed, false)

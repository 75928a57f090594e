// A key that gets units beside its quota.
import assert from 'node:assert/strict'
// #region grant
import { createLimiter, slidingWindow } from '@sluice/core'

const policies = slidingWindow({ limit: 100, window: '1m' })
const limiter = createLimiter({ name: 'api', policies })
const key = ['user', 42]

await limiter.grant(key, 500, { for: '1d' }) // 500 more today
await limiter.consume(key, { cost: 100 }) // from the quota
const { allowed, remaining } = await limiter.consume(key, { cost: 200 }) // from the grant
console.log(allowed, remaining) // true 300
const { granted } = (await limiter.status(key)).policies.default // what is left of the grant
await limiter.ungrant(key) // ends it now
// #endregion
assert.deepEqual([allowed, remaining, granted], [true, 300, 300])
assert.equal((await limiter.consume(key)).allowed, false)

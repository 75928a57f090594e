// The limiter of a middleware of Express.
import assert from 'node:assert/strict'
// #region limiter
import { rateLimit } from '@sluice/express'

const reports = rateLimit({ limit: 5, window: '1m' })

// For support staff: the count of a client, and a reset.
const { policies } = await reports.limiter.status('ip:203.0.113.9')
console.log(policies.default.used) // a policy without a name is called "default"
await reports.limiter.reset('ip:203.0.113.9')
// #endregion
assert.equal(policies.default.used, 0)

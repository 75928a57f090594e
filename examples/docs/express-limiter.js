// The limiter of a middleware of Express.
import assert from 'node:assert/strict'
// #region limiter
import { ipKey, rateLimit } from '@sluice/express'
import express from 'express'

const reports = rateLimit({ limit: 5, window: '1m' })

// For support staff: the count of a client, and a reset, which also ends a block.
const key = ipKey('2001:db8::1')
const { policies } = await reports.limiter.status(key)
console.log(policies.default.used) // a policy without a name is called "default"
await reports.limiter.reset(key, { unblock: true })

// In a handler: the same for the client of the request, whatever its key is.
const app = express()
app.post('/solved', async (req, res, next) => {
  try {
    await reports.limiter.reset(await reports.keyOf(req), { unblock: true })
    res.send('Try again.\n')
  } catch (error) {
    next(error) // Express 4 does not catch the errors of an async handler.
  }
})
// #endregion
export { app, reports }
assert.equal(policies.default.used, 0)
import { statuses, visit } from './check/visit.js'

app.use(reports, (_req, res) => void res.send('Hello.\n'))
await visit(app, async (ask) => {
  assert.deepEqual(await statuses(ask, 6), [...Array(5).fill(200), 429])
  assert.deepEqual(await statuses(ask, 1, '/solved', { method: 'POST' }), [200])
  assert.deepEqual(await statuses(ask, 1), [200])
})

// The limiter of a middleware of Hono.
import assert from 'node:assert/strict'
// #region limiter
import { ipKey, rateLimit } from '@sluice/hono'
import { Hono } from 'hono'

const reports = rateLimit({ limit: 5, window: '1m' })

// For support staff: a reset, which also ends a block.
await reports.limiter.reset(ipKey('2001:db8::1'), { unblock: true })

// In a handler: the same for the client of the request, whatever its key is.
const app = new Hono()
app.post('/solved', async (c) => {
  await reports.limiter.reset(await reports.keyOf(c), { unblock: true })
  return c.text('Try again.\n')
})
// #endregion
const env = { incoming: { socket: { remoteAddress: '192.0.2.1' } } }
assert.equal((await app.request('/solved', { method: 'POST' }, env)).status, 200)

// The limiter of a middleware of Hono.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { serve } from '@hono/node-server'
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
const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' })
await once(server, 'listening')
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address())
const response = await fetch(`http://127.0.0.1:${port}/solved`, { method: 'POST' })
assert.equal(response.status, 200)
server.close()

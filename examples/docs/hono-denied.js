// A response of the application to a denied request, on Hono.
import assert from 'node:assert/strict'
// #region denied
import { rateLimit } from '@sluice/hono'

const limit = rateLimit({
  limit: 5,
  window: '1m',
  key: 'all',
  onDenied: (c, _next, decision) => c.json({ waitMs: decision.retryAfterMs }, 429),
})
// #endregion
import { Hono } from 'hono'

const app = new Hono()
app.use(limit)
app.get('/', (c) => c.text('Hello.'))
for (let i = 0; i < 5; i++) assert.equal((await app.request('/')).status, 200)
const denied = await app.request('/')
assert.equal(denied.status, 429)
assert.ok(denied.headers.has('Retry-After'))

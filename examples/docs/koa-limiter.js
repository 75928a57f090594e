// The limiter of a middleware of Koa.
import assert from 'node:assert/strict'
// #region limiter
import { ipKey, rateLimit } from '@sluice/koa'
import Koa from 'koa'

const reports = rateLimit({ limit: 5, window: '1m' })

// For support staff: the count of a client, and a reset, which also ends a block.
const key = ipKey('2001:db8::1')
const { policies } = await reports.limiter.status(key)
console.log(policies.default.used) // a policy without a name is called "default"
await reports.limiter.reset(key, { unblock: true })

// In a handler: the same for the client of the request, whatever its key is.
const app = new Koa()
app.use(async (ctx, next) => {
  if (ctx.path !== '/solved') return next()
  await reports.limiter.reset(await reports.keyOf(ctx), { unblock: true })
  ctx.body = 'Try again.\n'
})
// #endregion
assert.equal(policies.default.used, 0)
import { statuses, visit } from './check/visit.js'

app.use(reports)
app.use((ctx) => {
  ctx.body = 'Hello.\n'
})
await visit(app.callback(), async (ask) => {
  assert.deepEqual(await statuses(ask, 6), [...Array(5).fill(200), 429])
  assert.deepEqual(await statuses(ask, 1, '/solved'), [200])
  assert.deepEqual(await statuses(ask, 1), [200])
})

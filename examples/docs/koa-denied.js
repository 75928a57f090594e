// A response of the application to a denied request, on Koa.
import assert from 'node:assert/strict'
// #region denied
import { rateLimit } from '@sluice/koa'

const limit = rateLimit({
  limit: 5,
  window: '1m',
  onDenied(ctx, next, decision) {
    ctx.status = 429
    ctx.body = ctx.accepts('html') ? '<p>Slow down, please.</p>' : { waitMs: decision.retryAfterMs }
  },
})
// #endregion
import Koa from 'koa'
import { statuses, visit } from './check/visit.js'

const app = new Koa().use(limit).use((ctx) => {
  ctx.body = 'Hello.\n'
})
await visit(app.callback(), async (ask) => {
  assert.deepEqual(await statuses(ask, 6), [...Array(5).fill(200), 429])
  const html = await ask('/', { headers: { Accept: 'text/html' } })
  assert.equal(await html.text(), '<p>Slow down, please.</p>')
  const json = await ask('/', { headers: { Accept: 'application/json' } })
  assert.equal(typeof (/** @type {{ waitMs: unknown }} */ (await json.json()).waitMs), 'number')
})

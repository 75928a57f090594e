// What the pages say of Koa.
import assert from 'node:assert/strict'
// #region quick
import { rateLimit } from '@sluice/koa'
import Koa from 'koa'

const app = new Koa()
app.use(rateLimit({ limit: 100, window: '1m' }))
// #endregion
import { Router } from '@koa/router'
import { byIp, byRoute, memoryStore } from '@sluice/koa'
import { statuses, visit } from './check/visit.js'

// #region routes
const store = memoryStore()

const shop = new Koa()
// Everything together: 100 a minute for each client.
shop.use(rateLimit({ name: 'all', limit: 100, window: '1m', store }))

const router = new Router()
// One route: 5 a minute, besides.
const reports = rateLimit({ name: 'reports', limit: 5, window: '1m', store })
router.post('/reports', reports, (ctx) => {
  ctx.status = 201
})

// Others: 20 a minute on each of them, not on all of them together.
const perRoute = rateLimit({
  name: 'api',
  limit: 20,
  window: '1m',
  key: [byIp(), byRoute()],
  store,
})
router.get('/items/:id', perRoute, (ctx) => {
  ctx.body = { id: ctx.params.id, left: ctx.state.rateLimit?.remaining }
})
shop.use(router.routes())
// #endregion

// #region limiter
// For support staff: how a client stands, and a fresh start.
const { limiter } = reports
const { used } = (await limiter.status('ip:203.0.113.9')).policies.default
await limiter.reset('ip:203.0.113.9')
// #endregion
assert.equal(used, 0)

// #region denied
const polite = rateLimit({
  limit: 5,
  window: '1m',
  onDenied(ctx, _next, decision) {
    ctx.status = 429
    ctx.body = ctx.accepts('html') ? '<p>Slow down, please.</p>' : { waitMs: decision.retryAfterMs }
  },
})
// #endregion

const hello = (ctx) => {
  ctx.body = 'Hello.\n'
}

app.use(hello)
await visit(app.callback(), async (ask) => {
  const response = await ask()
  assert.equal(response.headers.get('RateLimit-Policy'), '"default";q=100;w=60')
  assert.deepEqual(await statuses(ask, 100), [...Array(99).fill(200), 429])
})

await visit(shop.callback(), async (ask) => {
  const post = { method: 'POST' }
  assert.deepEqual(await statuses(ask, 6, '/reports', post), [...Array(5).fill(201), 429])
  assert.deepEqual(await (await ask('/items/1')).json(), { id: '1', left: 19 })
  assert.deepEqual(await (await ask('/items/2')).json(), { id: '2', left: 18 })
})

await visit(new Koa().use(polite).use(hello).callback(), async (ask) => {
  assert.deepEqual(await statuses(ask, 6), [...Array(5).fill(200), 429])
  const html = await ask('/', { headers: { Accept: 'text/html' } })
  assert.equal(await html.text(), '<p>Slow down, please.</p>')
  const json = await ask('/', { headers: { Accept: 'application/json' } })
  assert.equal(typeof (/** @type {{ waitMs: unknown }} */ (await json.json()).waitMs), 'number')
})

// Limits of an application and of routes of Koa.
import assert from 'node:assert/strict'
// #region routes
import { Router } from '@koa/router'
import { byIp, byRoute, memoryStore, rateLimit } from '@sluice/koa'
import Koa from 'koa'

const app = new Koa()
const router = new Router()
const store = memoryStore()

// The whole application: 100 a minute for each client.
app.use(rateLimit({ name: 'all', limit: 100, window: '1m', store }))

// One route: also 5 a minute.
const reports = rateLimit({ name: 'reports', limit: 5, window: '1m', store })
router.post('/reports', reports, (ctx) => {
  ctx.status = 201
})

// Several routes: 20 a minute on each of them.
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
app.use(router.routes())
// #endregion
import { statuses, visit } from './check/visit.js'

await visit(app.callback(), async (ask) => {
  const post = { method: 'POST' }
  assert.deepEqual(await statuses(ask, 6, '/reports', post), [...Array(5).fill(201), 429])
  assert.deepEqual(await (await ask('/items/1')).json(), { id: '1', left: 19 })
  assert.deepEqual(await (await ask('/items/2')).json(), { id: '2', left: 18 })
})

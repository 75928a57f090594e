// Limits of an application and of routes of Hono.
import assert from 'node:assert/strict'
// #region routes
import { byIp, byRoute, memoryStore, rateLimit } from '@sluice/hono'
import { Hono } from 'hono'

const app = new Hono()
const store = memoryStore()

// The whole application: 100 a minute for each client.
app.use(rateLimit({ name: 'all', limit: 100, window: '1m', store }))

// One route: also 5 a minute.
const reports = rateLimit({ name: 'reports', limit: 5, window: '1m', store })
app.post('/reports', reports, (c) => c.body(null, 201))

// Several routes: 20 a minute on each of them.
app.use(
  '/items/*',
  rateLimit({ name: 'api', limit: 20, window: '1m', key: [byIp(), byRoute()], store }),
)
app.get('/items/:id', (c) => c.json({ left: c.get('rateLimit')?.remaining }))
// #endregion
import { getRequestListener } from '@hono/node-server'
import { visit } from './check/visit.js'

const server = getRequestListener(app.fetch)
await visit(
  (request, response) => void server(request, response),
  async (ask) => {
    for (let i = 0; i < 5; i++) {
      assert.equal((await ask('/reports', { method: 'POST' })).status, 201)
    }
    assert.equal((await ask('/reports', { method: 'POST' })).status, 429)
    assert.deepEqual(await (await ask('/items/1')).json(), { left: 19 })
    assert.deepEqual(await (await ask('/items/2')).json(), { left: 18 })
  },
)

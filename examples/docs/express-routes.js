// Limits of an application, a route and a router of Express.
import assert from 'node:assert/strict'
// #region routes
import { byIp, byRoute, memoryStore, rateLimit } from '@sluice/express'
import express from 'express'

const app = express()
const store = memoryStore()

// The whole application: 100 a minute for each client.
app.use(rateLimit({ name: 'all', limit: 100, window: '1m', store }))

// One route: also 5 a minute.
const reports = rateLimit({ name: 'reports', limit: 5, window: '1m', store })
app.post('/reports', reports, (req, res) => res.status(201).send('Created.\n'))

// A router: 20 a minute on each of its routes.
const api = express.Router()
const perRoute = rateLimit({
  name: 'api',
  limit: 20,
  window: '1m',
  key: [byIp(), byRoute()],
  store,
})
api.get('/items/:id', perRoute, (req, res) => {
  res.json({ id: req.params.id, left: req.rateLimit?.remaining })
})
app.use('/api', api)
// #endregion
import { statuses, visit } from './check/visit.js'

await visit(app, async (ask) => {
  const post = { method: 'POST' }
  assert.deepEqual(await statuses(ask, 6, '/reports', post), [...Array(5).fill(201), 429])
  assert.deepEqual(await (await ask('/api/items/1')).json(), { id: '1', left: 19 })
  assert.deepEqual(await (await ask('/api/items/2')).json(), { id: '2', left: 18 })
})

// What the pages say of Express.
import assert from 'node:assert/strict'
// #region quick
import { rateLimit } from '@sluice/express'
import express from 'express'

const app = express()
app.use(rateLimit({ limit: 100, window: '1m' }))
// #endregion
import { byIp, byRoute, memoryStore } from '@sluice/express'
import { statuses, visit } from './check/visit.js'

// #region routes
const store = memoryStore()

const shop = express()
// Everything together: 100 a minute for each client.
shop.use(rateLimit({ name: 'all', limit: 100, window: '1m', store }))

// One route: 5 a minute, besides.
const reports = rateLimit({ name: 'reports', limit: 5, window: '1m', store })
shop.post('/reports', reports, (request, response) => {
  response.status(201).send('Here it is.\n')
})

// A router: 20 a minute on each of its routes, not on all of them together.
const api = express.Router()
const perRoute = rateLimit({
  name: 'api',
  limit: 20,
  window: '1m',
  key: [byIp(), byRoute()],
  store,
})
api.get('/items/:id', perRoute, (request, response) => {
  response.json({ id: request.params.id, left: request.rateLimit?.remaining })
})
shop.use('/api', api)
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
  onDenied(request, response, next, decision) {
    if (request.accepts('html')) return response.status(429).send('<p>Slow down, please.</p>')
    response.status(429).json({ waitMs: decision.retryAfterMs })
  },
})
// #endregion

app.get('/', (_request, response) => void response.send('Hello.\n'))
await visit(app, async (ask) => {
  const response = await ask()
  assert.equal(response.headers.get('RateLimit-Policy'), '"default";q=100;w=60')
  assert.deepEqual(await statuses(ask, 100), [...Array(99).fill(200), 429])
})

await visit(shop, async (ask) => {
  const post = { method: 'POST' }
  assert.deepEqual(await statuses(ask, 6, '/reports', post), [...Array(5).fill(201), 429])
  assert.deepEqual(await (await ask('/api/items/1')).json(), { id: '1', left: 19 })
  assert.deepEqual(await (await ask('/api/items/2')).json(), { id: '2', left: 18 })
})

const politeApp = express().use(polite, (_request, response) => void response.send('Hello.\n'))
await visit(politeApp, async (ask) => {
  assert.deepEqual(await statuses(ask, 6), [...Array(5).fill(200), 429])
  const html = await ask('/', { headers: { Accept: 'text/html' } })
  assert.equal(await html.text(), '<p>Slow down, please.</p>')
  const json = await ask('/', { headers: { Accept: 'application/json' } })
  const { waitMs } = /** @type {{ waitMs: number }} */ (await json.json())
  assert.ok(waitMs > 0 && waitMs <= 120_000)
  assert.match(json.headers.get('Retry-After') ?? '', /^\d+$/)
})

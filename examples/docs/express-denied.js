// A response of the application to a denied request, on Express.
import assert from 'node:assert/strict'
// #region denied
import { rateLimit } from '@sluice/express'

const limit = rateLimit({
  limit: 5,
  window: '1m',
  onDenied(req, res, next, decision) {
    res.status(429)
    if (req.accepts('html')) res.send('<p>Slow down, please.</p>')
    else res.json({ waitMs: decision.retryAfterMs })
  },
})
// #endregion
import express from 'express'
import { statuses, visit } from './check/visit.js'

const app = express().use(limit, (_request, response) => void response.send('Hello.\n'))
await visit(app, async (ask) => {
  assert.deepEqual(await statuses(ask, 6), [...Array(5).fill(200), 429])
  const html = await ask('/', { headers: { Accept: 'text/html' } })
  assert.equal(await html.text(), '<p>Slow down, please.</p>')
  const json = await ask('/', { headers: { Accept: 'application/json' } })
  const { waitMs } = /** @type {{ waitMs: number }} */ (await json.json())
  assert.ok(waitMs > 0 && waitMs <= 120_000)
  assert.match(json.headers.get('Retry-After') ?? '', /^\d+$/)
})

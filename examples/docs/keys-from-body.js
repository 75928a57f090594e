// A key that contains a value of the body, on Express.
import assert from 'node:assert/strict'
// #region part
import { rateLimit } from '@sluice/express'
import express from 'express'

const app = express()
const byPhone = rateLimit({
  limit: 3,
  window: '1h',
  key: ['phone', (req) => req.body.phone],
})

// A body of { "phone": ["138", "x"] } or { "phone": null } receives a 400.
app.post('/codes', express.json(), byPhone, (req, res) => res.send('Sent.\n'))
// #endregion
import { visit } from './check/visit.js'

// Express logs errors in every other environment.
app.set('env', 'test')

await visit(app, async (ask) => {
  const statusOf = async (phone) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ phone })
    return (await ask('/codes', { method: 'POST', headers, body })).status
  }
  for (const value of [['138', 'x'], null, { default: 'x' }, '', 1.5, undefined]) {
    assert.equal(await statusOf(value), 400)
  }
  const answers = []
  for (const value of ['138', 138, '138', 138]) answers.push(await statusOf(value))
  assert.deepEqual(answers, [200, 200, 200, 429])
})

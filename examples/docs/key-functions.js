// The programs of the page on keys that use key functions, on Express.
import assert from 'node:assert/strict'
// #region first
import { byIp, byUser, firstOf, rateLimit } from '@sluice/express'

const byUserOrAddress = rateLimit({
  limit: 100,
  window: '1m',
  key: firstOf(
    byUser((request) => userOf(request)?.id),
    byIp(),
  ),
})
// #endregion
import express from 'express'
import { visit } from './check/visit.js'

/** In a real application: who has logged in. */
function userOf(request) {
  const id = request.get('X-User')
  return id === undefined ? undefined : { id }
}

// #region part
// A body of { "phone": ["138", "x"] } or { "phone": null } is answered 400.
const byPhone = rateLimit({
  limit: 3,
  window: '1h',
  key: ['phone', (request) => request.body.phone],
})
// #endregion

// No error handler: Express answers by itself.
const app = express().set('env', 'test').use(express.json())
const hello = (_request, response) => void response.send('Hello.\n')
app.get('/', byUserOrAddress, hello)
app.post('/phone', byPhone, hello)

await visit(app, async (ask) => {
  const left = async (options) => {
    const { headers } = await ask('/', options)
    return /;r=(\d+)/.exec(headers.get('RateLimit'))?.[1]
  }
  const ada = { headers: { 'X-User': 'ada' } }
  assert.deepEqual([await left(ada), await left(), await left(ada)], ['99', '99', '98'])

  const statusOf = async (phone) => {
    const headers = { 'Content-Type': 'application/json' }
    const { status } = await ask('/phone', {
      method: 'POST',
      headers,
      body: JSON.stringify({ phone }),
    })
    return status
  }
  for (const value of [['138', 'x'], null, { default: 'x' }, '', 1.5, undefined]) {
    assert.equal(await statusOf(value), 400)
  }
  const answers = []
  for (const value of ['138', 138, '138', 138]) answers.push(await statusOf(value))
  assert.deepEqual(answers, [200, 200, 200, 429])
})

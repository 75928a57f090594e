// The user, or the address of a request without a user, on Express.
import assert from 'node:assert/strict'
// #region first
import { byIp, byUser, firstOf, rateLimit } from '@sluice/express'

const byUserOrAddress = rateLimit({
  limit: 100,
  window: '1m',
  key: firstOf(
    byUser((req) => req.user?.id),
    byIp(),
  ),
})
// #endregion
import express from 'express'
import { authenticate } from './check/users.js'
import { visit } from './check/visit.js'

const app = express()
app.use(authenticate, byUserOrAddress, (_request, response) => void response.send('Hello.\n'))

await visit(app, async (ask) => {
  const left = async (options) => {
    const { headers } = await ask('/', options)
    return /;r=(\d+)/.exec(headers.get('RateLimit'))?.[1]
  }
  const ada = { headers: { 'X-User': 'ada' } }
  assert.deepEqual([await left(ada), await left(), await left(ada)], ['99', '99', '98'])
})

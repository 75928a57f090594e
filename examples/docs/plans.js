// @ts-nocheck -- the user of a request may be absent, and its plan is a string
// A limit by plan, on Express.
import assert from 'node:assert/strict'
// #region plans
import { byUser, calendarWindow, rateLimit, slidingWindow } from '@sluice/express'

const plans = { free: plan(5, 20), pro: plan(50, 1000) }

function plan(perMinute, perDay) {
  return {
    minute: slidingWindow({ limit: perMinute, window: '1m' }),
    day: calendarWindow({ limit: perDay, period: 'day', timeZone: 'Europe/Berlin' }),
  }
}

const limit = rateLimit({
  name: 'plans',
  policies: (req) => plans[req.user?.plan ?? 'free'],
  key: byUser((req) => req.user.id),
})
// #endregion
import express from 'express'
import { authenticate } from './check/users.js'
import { statuses, visit } from './check/visit.js'

const app = express()
app.use(authenticate, limit, (request, response) => {
  response.json(request.rateLimit?.policies['minute'].remaining)
})
await visit(app, async (ask) => {
  const as = (plan) => ({ headers: { 'X-User': 'ada', 'X-Plan': plan } })
  assert.deepEqual(await statuses(ask, 6, '/', as('free')), [...Array(5).fill(200), 429])
  // Five units are used, and one more now.
  assert.equal(await (await ask('/', as('pro'))).json(), 44)
})

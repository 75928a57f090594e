// @ts-nocheck -- the user of a request may be absent
// Plans from a database, on Express.
import assert from 'node:assert/strict'
// #region plans
import { byUser, calendarWindow, rateLimit, slidingWindow } from '@sluice/express'
import { cached } from './cached.js'

const policies = cached(async (user) => {
  const { perMinute, perDay } = await findPlan(user)
  return policiesOf(perMinute, perDay)
})
const free = policiesOf(60, 1000)

export const limit = rateLimit({
  name: 'plans',
  // While the database is unavailable, users without a cached plan have the free one.
  policies: (req) => policies.get(req.user.id).catch(() => free),
  key: byUser((req) => req.user.id),
})

export function planChanged(user) {
  policies.forget(user)
}

function policiesOf(perMinute, perDay) {
  return {
    minute: slidingWindow({ limit: perMinute, window: '1m' }),
    day: calendarWindow({ limit: perDay, period: 'day', timeZone: 'UTC' }),
  }
}

// In a real application: a query of your database.
async function findPlan(user) {
  return { perMinute: rows.get(user), perDay: 1000 }
}
const rows = new Map([['ada', 5]])
// #endregion
let calls = 0
let isDown = false
rows.get = (user) => {
  calls++
  if (isDown) throw new Error('connect ECONNREFUSED')
  return Map.prototype.get.call(rows, user)
}

import express from 'express'
import { authenticate } from './check/users.js'
import { visit } from './check/visit.js'

const app = express()
app.use(authenticate, limit, (request, response) => {
  response.json(request.rateLimit.policies.minute)
})
await visit(app, async (ask) => {
  const as = (user) => ask('/', { headers: { 'X-User': user } })
  const numbers = async (user) => {
    const { limit: quota, remaining } = await (await as(user)).json()
    return [quota, remaining]
  }
  const first = await Promise.all([as('ada'), as('ada'), as('ada')])
  assert.deepEqual([calls, ...first.map(({ status }) => status)], [1, 200, 200, 200])
  assert.deepEqual(await numbers('ada'), [5, 1])
  assert.equal(calls, 1)

  rows.set('ada', 50)
  planChanged('ada')
  assert.deepEqual(await numbers('ada'), [50, 45])

  isDown = true
  assert.deepEqual(await numbers('ada'), [50, 44])
  assert.deepEqual(await numbers('bob'), [60, 59])
})

let now = 0
let answer = async (id) => `${id} 1`
const remembered = cached((id) => answer(id), { ms: 10, size: 2, clock: () => now })
assert.equal(await remembered.get('a'), 'a 1')
answer = async () => Promise.reject(new Error('down'))
now = 10
assert.equal(await remembered.get('a'), 'a 1')
await assert.rejects(remembered.get('b'), /down/)
answer = async (id) => `${id} 2`
assert.equal(await remembered.get('a'), 'a 1')
now = 20
assert.deepEqual(await Promise.all(['a', 'b', 'c'].map(remembered.get)), ['a 2', 'b 2', 'c 2'])
answer = async (id) => `${id} 3`
assert.deepEqual(await Promise.all(['c', 'a'].map(remembered.get)), ['c 2', 'a 3'])

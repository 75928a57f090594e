// @ts-nocheck -- the request has an account
// API keys of accounts, and a plan for each account, on Express.
import assert from 'node:assert/strict'
// #region server
import { calendarWindow, rateLimit, slidingWindow } from '@sluice/express'
import express from 'express'
// #endregion
process.env.PORT = '0'
// #region server
const plans = { free: plan(3, 1000), pro: plan(100, 100_000) }

// In a real application: tables of your database.
const apiKeys = new Map([
  ['key-1', 'ada'],
  ['key-2', 'ada'],
  ['key-3', 'bob'],
])
const accounts = new Map([
  ['ada', { id: 'ada', plan: 'free' }],
  ['bob', { id: 'bob', plan: 'pro' }],
])

const app = express()

app.use((req, res, next) => {
  req.account = accounts.get(apiKeys.get(req.get('X-API-Key')))
  if (req.account !== undefined) return next()
  res.status(401).json({ error: 'The API key is missing or unknown.' })
})

app.use(
  rateLimit({
    name: 'api',
    policies: (req) => plans[req.account.plan],
    key: (req) => ['account', req.account.id],
  }),
)

app.get('/', (req, res) => res.json({ account: req.account.id }))

function plan(perMinute, perMonth) {
  return {
    minute: slidingWindow({ limit: perMinute, window: '1m' }),
    month: calendarWindow({ limit: perMonth, period: 'month', timeZone: 'UTC' }),
  }
}

const server = app.listen(process.env.PORT ?? 3000)
// #endregion
const url = () => `http://127.0.0.1:${server.address().port}/`
const get = (key) => fetch(url(), key === undefined ? {} : { headers: { 'X-API-Key': key } })

assert.equal((await get()).status, 401)
const unknown = await get('key-9')
assert.deepEqual([unknown.status, unknown.headers.get('RateLimit')], [401, null])

const first = await get('key-1')
assert.deepEqual(await first.json(), { account: 'ada' })
assert.match(first.headers.get('RateLimit-Policy'), /^"minute";q=3;w=60, "month";q=1000;w=\d+$/)
// Both keys of an account count together.
const statuses = []
for (const key of ['key-2', 'key-1', 'key-2', 'key-1', 'key-3']) {
  statuses.push((await get(key)).status)
}
assert.deepEqual(statuses, [200, 200, 429, 429, 200])
const denied = await get('key-1')
assert.match(denied.headers.get('RateLimit'), /^"minute";r=0;t=\d+, "month";r=997;t=\d+$/)
assert.deepEqual((await denied.json())['violated-policies'], ['minute'])
server.close()
server.closeAllConnections()

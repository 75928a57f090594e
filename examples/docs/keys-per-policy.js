// A key for each policy, on Express.
import assert from 'node:assert/strict'
// #region several
import { byIp, byUser, gcra, notLimited, rateLimit, slidingWindow } from '@sluice/express'

const limit = rateLimit({
  policies: {
    user: gcra({ limit: 60, window: '1m', burst: 10 }),
    address: slidingWindow({ limit: 1000, window: '1h' }),
  },
  key: {
    user: byUser((req) => req.user?.id ?? notLimited),
    address: byIp(),
  },
})
// #endregion
import express from 'express'
import { authenticate } from './check/users.js'
import { visit } from './check/visit.js'

const app = express()
app.use(authenticate, limit, (_request, response) => void response.send('Hello.\n'))

const left = (response) =>
  [...(response.headers.get('RateLimit') ?? '').matchAll(/"(\w+)";r=(\d+)/g)].map(
    ([, name, count]) => `${name} ${count}`,
  )

await visit(app, async (ask) => {
  // Without a user, the limit of users does not apply.
  assert.deepEqual(left(await ask('/')), ['address 999'])
  const ada = { headers: { 'X-User': 'ada' } }
  assert.deepEqual(left(await ask('/', ada)), ['user 9', 'address 998'])
})

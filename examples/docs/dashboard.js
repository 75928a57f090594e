// @ts-nocheck -- the sessions are those of the application
// The page that shows who is limited, on Express, for all processes together.
import assert from 'node:assert/strict'
const sessions = new Map([['secret', { email: 'ann@example.com', isAdmin: true, isStaff: true }]])
const sessionOf = (request) => sessions.get(request.headers.authorization?.slice('Bearer '.length))
// #region express
import { createDashboard, redisView } from '@sluice/dashboard'
import { rateLimit, redisStore } from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'

const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost')
redis.on('error', (error) => console.error(`Redis: ${error.message}`))

const limit = rateLimit({ name: 'api', limit: 100, window: '1m', store: redisStore(redis) })

const dashboard = createDashboard({
  limiters: { api: limit.limiter },
  share: redisView(redis),
  authorize(request) {
    const user = sessionOf(request)
    if (user?.isAdmin) return { role: 'write', name: user.email }
    return user?.isStaff ? 'read' : undefined
  },
})

const app = express()
app.use('/limits', dashboard.handler)
app.use(limit)
// #endregion
// #region audit
import { subscribe } from 'node:diagnostics_channel'

subscribe('sluice:act', ({ limiter, key, act, length, reason, by, ok }) => {
  console.log(JSON.stringify({ limiter, key, act, length, reason, by: by.name, ok }))
})
// #endregion
import { visit } from './check/visit.js'

app.use((_req, res) => void res.send('Hello.\n'))
await visit(app, async (ask) => {
  assert.equal((await ask('/limits/api/view')).status, 403)
  const headers = {
    authorization: 'Bearer secret',
    'content-type': 'application/json',
    'x-sluice': '1',
  }
  await ask('/')
  const { limiters, role } = await (await ask('/limits/api/view', { headers })).json()
  assert.equal(role, 'write')
  const [{ key }] = limiters[0].top.requests.keys
  const body = { limiter: 'api', key, act: 'block', length: '10m', reason: 'a scraper' }
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  assert.equal((await ask('/limits/api/act', init)).status, 200)
  assert.equal((await ask('/')).status, 429)
})
await dashboard.close()
redis.disconnect()

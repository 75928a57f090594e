// A server with the limits of a module, if there is a Redis (REDIS_URL).
import assert from 'node:assert/strict'
// #region server
import { redisStore } from '@sluice/core'
import { rateLimit } from '@sluice/express'
import express from 'express'
import { Redis } from 'ioredis'
import { api, login } from './limiters.js'

// #endregion
// Without the counts of other programs.
if (process.env.REDIS_URL !== undefined) process.env.REDIS_URL += '/2'
// #region server
const redis = new Redis(process.env.REDIS_URL ?? 'redis://localhost:6379')
redis.on('error', (error) => console.error(`Redis: ${error.message}`))
const store = redisStore(redis)

const app = express()
app.use('/api', rateLimit({ ...api, store }))
app.use('/login', rateLimit({ ...login, store }))
// #endregion
import { visit } from './check/visit.js'

app.use((_request, response) => void response.send('Hello.\n'))
if (process.env.REDIS_URL !== undefined) {
  await visit(app, async (ask) => {
    assert.equal((await ask('/api')).status, 200)
    assert.equal((await ask('/login')).status, 200)
  })
}
redis.disconnect()

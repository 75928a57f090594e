import { rateLimit } from '@sluice/express'
import express from 'express'

const app = express()
app.use(rateLimit({ limit: 100, window: '1m' }))
import assert from 'node:assert/strict'
import { statuses, visit } from './check/visit.js'

app.get('/', (_request, response) => void response.send('Hello.\n'))
await visit(app, async (ask) => {
  const response = await ask()
  assert.equal(response.headers.get('RateLimit-Policy'), '"default";q=100;w=60')
  assert.deepEqual(await statuses(ask, 100), [...Array(99).fill(200), 429])
})

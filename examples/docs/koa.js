import { rateLimit } from '@sluice/koa'
import Koa from 'koa'

const app = new Koa()
app.use(rateLimit({ limit: 100, window: '1m' }))
import assert from 'node:assert/strict'
import { statuses, visit } from './check/visit.js'

app.use((ctx) => {
  ctx.body = 'Hello.\n'
})
await visit(app.callback(), async (ask) => {
  const response = await ask()
  assert.equal(response.headers.get('RateLimit-Policy'), '"default";q=100;w=60')
  assert.deepEqual(await statuses(ask, 100), [...Array(99).fill(200), 429])
})

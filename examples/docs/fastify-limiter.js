// The limiter of a route of Fastify.
import assert from 'node:assert/strict'
// #region limiter
import { rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, { limit: 100, window: '1m' })
app.post('/reports', { config: { rateLimit: { limit: 5 } } }, async () => 'Created.\n')

// For support staff: a reset of the count of a client.
async function resetReports(address) {
  await app.rateLimit.limiterOf('POST /reports').reset(`ip:${address}`)
}
// #endregion
import { injected } from './check/inject.js'

const report = { method: 'POST', url: '/reports' }
assert.deepEqual(await injected(app, 6, report), [...Array(5).fill(200), 429])
await resetReports('127.0.0.1')
assert.deepEqual(await injected(app, 1, report), [200])
await app.close()

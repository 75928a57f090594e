// The limiter of a route of Fastify.
import assert from 'node:assert/strict'
// #region limiter
import { ipKey, rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, { limit: 100, window: '1m' })
app.post('/reports', { config: { sluice: { limit: 5 } } }, async () => 'Created.\n')

// For support staff: a reset of the count of a client, which also ends a block.
async function resetReports(address) {
  await app.sluice.limiterOf('POST /reports').reset(ipKey(address), { unblock: true })
}

// In a handler: the same for the client of the request, whatever its key is.
app.post('/solved', async (request) => {
  const key = await app.sluice.keyOf(request, 'POST /reports')
  await app.sluice.limiterOf('POST /reports').reset(key, { unblock: true })
  return 'Try again.\n'
})
// #endregion
import { injected } from './check/inject.js'

const report = { method: 'POST', url: '/reports' }
for (const unblock of [
  async () => resetReports('127.0.0.1'),
  async () => injected(app, 1, { method: 'POST', url: '/solved' }),
]) {
  assert.deepEqual(await injected(app, 6, report), [...Array(5).fill(200), 429])
  await unblock()
}
assert.deepEqual(await injected(app, 1, report), [200])
await app.close()

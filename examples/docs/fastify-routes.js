// Limits of routes of Fastify.
import assert from 'node:assert/strict'
// #region routes
import { rateLimit, slidingWindow } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
// The whole application: 100 a minute for each client.
await app.register(rateLimit, { limit: 100, window: '1m' })

// Its own limit in place of that of the plugin: 5 a minute.
app.post('/reports', { config: { sluice: { limit: 5 } } }, async (request, reply) => {
  return reply.code(201).send('Created.\n')
})

// Several limits: a request counts in both or, if one of them denies it, in neither.
const policies = {
  second: slidingWindow({ limit: 2, window: '1s' }),
  day: slidingWindow({ limit: 1000, window: '1d' }),
}
app.get('/search', { config: { sluice: { policies } } }, async () => ({ found: [] }))

// No limit.
app.get('/health', { config: { sluice: false } }, async () => 'Healthy.\n')
// #endregion
import { injected } from './check/inject.js'

const reports = await injected(app, 6, { method: 'POST', url: '/reports' })
assert.deepEqual(reports, [...Array(5).fill(201), 429])
assert.deepEqual(await injected(app, 3, '/search'), [200, 200, 429])
assert.deepEqual(await injected(app, 200, '/health'), Array(200).fill(200))
await app.close()

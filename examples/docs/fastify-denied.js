// A response of the application to a denied request, on Fastify.
import assert from 'node:assert/strict'
// #region denied
import { rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, {
  limit: 5,
  window: '1m',
  onDenied(request, reply, decision) {
    reply.code(429).send({ waitMs: decision.retryAfterMs })
  },
})
// #endregion
import { injected } from './check/inject.js'

app.get('/', async () => 'Hello.\n')
assert.deepEqual(await injected(app, 6, '/'), [...Array(5).fill(200), 429])
assert.match((await app.inject('/')).body, /^\{"waitMs":\d+\}$/)
await app.close()

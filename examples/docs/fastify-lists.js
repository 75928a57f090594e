// A list of limits for a route of Fastify.
import assert from 'node:assert/strict'
// #region lists
import { rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, { limit: 100, window: '1m' })

const inOrder = [
  { limit: 100, window: '1d' }, // also counts the requests that the next limit denies
  { limit: 1, window: '1m', body: 'One export a minute.' },
]
app.get('/exports', { config: { sluice: inOrder } }, async () => 'The export.\n')
// #endregion
import { injected } from './check/inject.js'

assert.deepEqual(await injected(app, 3, '/exports'), [200, 429, 429])
const used = async (name) => {
  const { policies } = await app.sluice.limiterOf(name).status('ip:127.0.0.1')
  return policies.default.used
}
assert.deepEqual([await used('GET /exports'), await used('GET /exports #2')], [3, 1])
await app.close()

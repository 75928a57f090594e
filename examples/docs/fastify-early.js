// The limit of the plugin in front of all other hooks of Fastify.
import assert from 'node:assert/strict'
// #region early
import { rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, { limit: 100, window: '1m' })
// The limit counts here, and not again after the other hooks.
app.addHook('onRequest', app.sluice())
// #endregion

app.addHook('onRequest', async (request) => assert.equal(request.rateLimit?.remaining, 99))
app.get('/', async (request) => ({ left: request.rateLimit?.remaining }))
assert.deepEqual((await app.inject('/')).json(), { left: 99 })
await app.close()

// A limit at a hook of a route of Fastify.
import assert from 'node:assert/strict'
// #region by-hand
import { byIp, byUser, firstOf, rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, { limit: 100, window: '1m' })

const byAccount = app.sluice({
  limit: 3,
  key: firstOf(
    byUser((request) => request.user?.id),
    byIp(),
  ),
})
app.get('/me', { config: { sluice: false }, preHandler: [byAccount] }, async (request) => ({
  left: request.rateLimit?.remaining,
}))
// #endregion
import { injected } from './check/inject.js'
import { authenticate } from './check/users.js'

app.addHook('onRequest', authenticate)
const as = (user) => ({ url: '/me', headers: { 'x-user': user } })
assert.deepEqual(await injected(app, 4, as('ada')), [200, 200, 200, 429])
assert.deepEqual((await app.inject(as('bob'))).json(), { left: 2 })
// Without an account, the address counts.
assert.deepEqual(await injected(app, 4, '/me'), [200, 200, 200, 429])
await byAccount.limiter.reset(['user', 'ada'])
assert.deepEqual(await injected(app, 1, as('ada')), [200])
await app.close()

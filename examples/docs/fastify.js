// What the pages say of Fastify.
import assert from 'node:assert/strict'
// #region quick
import { rateLimit } from '@sluice/fastify'
import fastify from 'fastify'

const app = fastify()
await app.register(rateLimit, { limit: 100, window: '1m' })
// #endregion
import { byIp, byUser, firstOf } from '@sluice/fastify'
import { statuses } from './check/visit.js'

// #region routes
const shop = fastify()
// Everything together: 100 a minute for each client.
await shop.register(rateLimit, { limit: 100, window: '1m' })

// A limit of its own, in the place of the common one. What it does not say (window, store, key …) is taken from there.
shop.post('/reports', { config: { rateLimit: { limit: 5 } } }, async (_request, reply) => {
  return reply.code(201).send('Here it is.\n')
})

// Several limits: all of them have to allow a request, and a denied one counts in none.
const burstAndDay = [
  { limit: 2, window: '1s' },
  { limit: 1000, window: '1d' },
]
shop.get('/search', { config: { rateLimit: burstAndDay } }, async () => ({ found: [] }))

// None.
shop.get('/health', { config: { rateLimit: false } }, async () => 'Well.\n')
// #endregion

// In a real application: whoever the session or the token says.
function accountOf({ headers }) {
  return headers['x-user']
}

// #region by-hand
const byAccount = shop.rateLimit({
  limit: 3,
  key: firstOf(byUser(accountOf), byIp()),
})
shop.get('/me', { config: { rateLimit: false }, preHandler: [byAccount] }, async (request) => ({
  left: request.rateLimit?.remaining,
}))
// #endregion

// #region limiter
const ofAll = shop.rateLimit.limiter
const ofAccounts = byAccount.limiter

shop.addHook('onReady', async () => {
  const ofReports = shop.rateLimit.limiterOf('POST /reports')
  await ofReports.reset('ip:203.0.113.9')
})
// #endregion

// #region early
const guarded = fastify()
await guarded.register(rateLimit, { limit: 100, window: '1m' })
// Before all other hooks: it counts here, and not again later.
guarded.addHook('onRequest', guarded.rateLimit())
// #endregion

// #region denied
const polite = fastify()
await polite.register(rateLimit, {
  limit: 5,
  window: '1m',
  onDenied(_request, reply, decision) {
    reply.code(429).send({ waitMs: decision.retryAfterMs })
  },
})
// #endregion

async function asker(app) {
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  return (path, options) => fetch(`${address}${path}`, options)
}

app.get('/', async () => 'Hello.\n')
const ask = await asker(app)
assert.equal((await ask('/')).headers.get('RateLimit-Policy'), '"default";q=100;w=60')
assert.deepEqual(await statuses(ask, 100, '/'), [...Array(99).fill(200), 429])

const askShop = await asker(shop)
const post = { method: 'POST' }
assert.deepEqual(await statuses(askShop, 6, '/reports', post), [...Array(5).fill(201), 429])
assert.deepEqual(await statuses(askShop, 3, '/search'), [200, 200, 429])
assert.deepEqual(await statuses(askShop, 200, '/health'), Array(200).fill(200))
const ada = { headers: { 'x-user': 'ada' } }
assert.deepEqual(await statuses(askShop, 4, '/me', ada), [200, 200, 200, 429])
assert.deepEqual(await (await askShop('/me', { headers: { 'x-user': 'bob' } })).json(), { left: 2 })
// Without an account, the address counts.
assert.deepEqual(await statuses(askShop, 4, '/me'), [200, 200, 200, 429])

assert.equal((await ofAccounts.status(['user', 'ada'])).policies['default'].used, 3)
await ofAccounts.reset(['user', 'ada'])
assert.deepEqual(await statuses(askShop, 1, '/me', ada), [200])
assert.equal(ofAll.name, 'default')

guarded.addHook('onRequest', async (request) => {
  assert.equal(request.rateLimit?.remaining, 99)
})
guarded.get('/', async (request) => ({ left: request.rateLimit?.remaining }))
assert.deepEqual((await guarded.inject('/')).json(), { left: 99 })

polite.get('/', async () => 'Hello.\n')
const askPolite = await asker(polite)
assert.deepEqual(await statuses(askPolite, 6, '/'), [...Array(5).fill(200), 429])
assert.match(await (await askPolite('/')).text(), /^\{"waitMs":\d+\}$/)

for (const one of [app, shop, guarded, polite]) await one.close()

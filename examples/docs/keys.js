// What the page on keys and proxies says, on Express; the functions are the same in every framework.
import assert from 'node:assert/strict'
// #region one
import { byHeader, byIp, byRoute, rateLimit } from '@sluice/express'
// #endregion
import express from 'express'
import { statuses, visit } from './check/visit.js'

// #region one
const byAddress = rateLimit({ limit: 100, window: '1m' }) // the same as key: byIp()
const bySubnet = rateLimit({ limit: 100, window: '1m', key: byIp({ ipv6: 56 }) })
const byApiKey = rateLimit({ limit: 100, window: '1m', key: byHeader('X-API-Key') })
const byRouteToo = rateLimit({ limit: 100, window: '1m', key: [byIp(), byRoute()] })
const byTenant = rateLimit({ limit: 100, window: '1m', key: (req) => ['tenant', req.hostname] })
const forAll = rateLimit({ limit: 100, window: '1m', key: 'everybody' })
// #endregion

// #region several
import { byUser, gcra, notLimited, slidingWindow } from '@sluice/express'

const limit = rateLimit({
  policies: {
    user: gcra({ limit: 60, window: '1m', burst: 10 }),
    address: slidingWindow({ limit: 1000, window: '1h' }),
  },
  key: {
    user: byUser((request) => userOf(request)?.id ?? notLimited),
    address: byIp(),
  },
})
// #endregion

/** In a real application: who has logged in. */
function userOf(request) {
  const id = request.get('X-User')
  return id === undefined ? undefined : { id }
}

// #region proxy
const behindOne = express()
behindOne.set('trust proxy', 1) // one proxy in front: its word on the address counts, a client's own does not
// #endregion

// #region lists
import { accessList } from '@sluice/express'

const blocked = accessList(['203.0.113.0/24', '2001:db8::/32'])

const guarded = rateLimit({
  limit: 100,
  window: '1m',
  allow: ['10.0.0.0/8', ['user', 'monitor']], // not limited, not counted
  deny: blocked, // answered 403
})

// Later, as often as you like; every limiter that uses the list has the new one at once.
blocked.replace(['203.0.113.0/24', '198.51.100.7'])
// #endregion

const app = express()
const hello = (_request, response) => void response.send('Hello.\n')
for (const [path, handler] of Object.entries({ byAddress, bySubnet, byApiKey, byTenant, forAll })) {
  app.get(`/${path}`, handler, hello)
}
app.get('/items/:id', byRouteToo, hello)
app.get('/several', limit, hello)
app.use((error, _request, response, _next) => {
  response.status(error.status ?? 500).send(error.code)
})

const left = (response) =>
  [...(response.headers.get('RateLimit') ?? '').matchAll(/"(\w+)";r=(\d+)/g)].map(
    ([, name, count]) => `${name} ${count}`,
  )

await visit(app, async (ask) => {
  for (const path of ['byAddress', 'bySubnet', 'byTenant', 'forAll']) {
    assert.deepEqual(left(await ask(`/${path}`)), ['default 99'])
  }
  const withKey = (key) => ({ headers: { 'X-API-Key': key } })
  assert.deepEqual(left(await ask('/byApiKey', withKey('a'))), ['default 99'])
  assert.deepEqual(left(await ask('/byApiKey', withKey('b'))), ['default 99'])
  const withoutKey = await ask('/byApiKey')
  assert.deepEqual([withoutKey.status, await withoutKey.text()], [400, 'SLUICE_HEADER_MISSING'])
  await ask('/items/1')
  assert.deepEqual(left(await ask('/items/2')), ['default 98'])
  // Without a user, no user's limit.
  assert.deepEqual(left(await ask('/several')), ['address 999'])
  const ada = { headers: { 'X-User': 'ada' } }
  assert.deepEqual(left(await ask('/several', ada)), ['user 9', 'address 998'])
})

behindOne.use(rateLimit({ limit: 2, window: '1m' }), hello)
const from = (list) => ({ headers: { 'X-Forwarded-For': list } })
await visit(behindOne, async (ask) => {
  assert.deepEqual(await statuses(ask, 3, '/', from('192.0.2.1')), [200, 200, 429])
  assert.deepEqual(await statuses(ask, 3, '/', from('192.0.2.2')), [200, 200, 429])
  // What a client writes in front of that is not believed.
  assert.deepEqual(await statuses(ask, 1, '/', from('198.51.100.1, 192.0.2.2')), [429])
})

const listed = express().set('trust proxy', 1).use(guarded, hello)
await visit(listed, async (ask) => {
  const status = async (address) => (await ask('/', from(address))).status
  assert.equal(await status('203.0.113.9'), 403)
  assert.equal(await status('198.51.100.7'), 403)
  assert.equal(await status('2001:db8::1'), 200)
  assert.deepEqual(left(await ask('/', from('10.1.2.3'))), [])
})

// The keys of the page on keys and proxies, on Express; the functions are the same in every framework.
import assert from 'node:assert/strict'
// #region one
import { byHeader, byIp, byRoute, rateLimit } from '@sluice/express'

const byAddress = rateLimit({ limit: 100, window: '1m' }) // the same as key: byIp()
const bySubnet = rateLimit({ limit: 100, window: '1m', key: byIp({ ipv6: 56 }) })
const byApiKey = rateLimit({ limit: 100, window: '1m', key: byHeader('X-API-Key') })
const byRouteToo = rateLimit({ limit: 100, window: '1m', key: [byIp(), byRoute()] })
const byTenant = rateLimit({ limit: 100, window: '1m', key: (req) => ['tenant', req.hostname] })
const forAll = rateLimit({ limit: 100, window: '1m', key: 'everybody' })
// #endregion
import express from 'express'
import { visit } from './check/visit.js'

const app = express()
const hello = (_request, response) => void response.send('Hello.\n')
for (const [path, handler] of Object.entries({ byAddress, bySubnet, byApiKey, byTenant, forAll })) {
  app.get(`/${path}`, handler, hello)
}
app.get('/items/:id', byRouteToo, hello)
app.use((error, _request, response, _next) => {
  response.status(error.status ?? 500).send(error.code)
})

const left = (response) => /;r=(\d+)/.exec(response.headers.get('RateLimit') ?? '')?.[1]

await visit(app, async (ask) => {
  for (const path of ['byAddress', 'bySubnet', 'byTenant', 'forAll']) {
    assert.equal(left(await ask(`/${path}`)), '99')
  }
  const withKey = (key) => ({ headers: { 'X-API-Key': key } })
  assert.equal(left(await ask('/byApiKey', withKey('a'))), '99')
  assert.equal(left(await ask('/byApiKey', withKey('b'))), '99')
  const withoutKey = await ask('/byApiKey')
  assert.deepEqual([withoutKey.status, await withoutKey.text()], [400, 'SLUICE_HEADER_MISSING'])
  await ask('/items/1')
  assert.equal(left(await ask('/items/2')), '98')
})

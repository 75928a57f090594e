// Addresses of clients of a web Request.
import assert from 'node:assert/strict'
// #region addresses
import { rateLimit } from '@sluice/fetch'

const minute = /** @type {const} */ ({ limit: 100, window: '1m' })

const behindOneProxy = rateLimit({ ...minute, address: { proxies: 1 } })
const onWorkers = rateLimit({ ...minute, address: { header: 'CF-Connecting-IP' } })
const anythingElse = rateLimit({
  ...minute,
  address: (request) => request.headers.get('x-edge-address'),
})
// #endregion
const headers = {
  'x-forwarded-for': '6.6.6.6, 192.0.2.1',
  'cf-connecting-ip': '192.0.2.2',
  'x-edge-address': '192.0.2.3',
}
const request = new Request('http://localhost/', { headers })
assert.equal(await behindOneProxy.keyOf(request), 'ip:192.0.2.1')
assert.equal(await onWorkers.keyOf(request), 'ip:192.0.2.2')
assert.equal(await anythingElse.keyOf(request), 'ip:192.0.2.3')

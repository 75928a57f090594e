// A response of the application to a denied request, in a handler of web Requests.
import assert from 'node:assert/strict'
// #region denied
import { rateLimit } from '@sluice/fetch'

const limit = rateLimit({
  limit: 5,
  window: '1m',
  key: 'all',
  onDenied(request, next, decision) {
    if (request.headers.has('x-internal')) return next()
    return Response.json({ waitMs: decision.retryAfterMs }, { status: 429 })
  },
})
// #endregion
const handler = limit(() => new Response('Hello.'))
const ask = (headers = {}) => handler(new Request('http://localhost/', { headers }))
for (let i = 0; i < 5; i++) assert.equal((await ask()).status, 200)
assert.equal((await ask()).status, 429)
assert.equal((await ask({ 'x-internal': '1' })).status, 200)

// Limits of the route handlers and the proxy of Next.js.
import assert from 'node:assert/strict'
// #region route
// app/api/items/route.js
import { rateLimit } from '@sluice/fetch/next'

const limit = rateLimit({ limit: 100, window: '1m', address: { proxies: 1 } })

export const GET = limit(async () => Response.json({ items: [] }))
// #endregion
// #region proxy
// proxy.js, which is middleware.js before Next.js 16
import { proxyLimit } from '@sluice/fetch/next'

export const proxy = proxyLimit({
  limit: 100,
  window: '1m',
  address: { proxies: 1 },
  next(request) {
    const { pathname } = new URL(request.url)
    if (pathname === '/old') return Response.redirect(new URL('/new', request.url), 308)
  },
})
// #endregion
/** @param {string} path */
const request = (path) =>
  new Request(`http://localhost${path}`, { headers: { 'x-forwarded-for': '192.0.2.1' } })
const event = { waitUntil() {} }

assert.equal((await GET(request('/api/items'))).headers.get('ratelimit'), '"default";r=99;t=60')
assert.equal((await proxy(request('/'), event)).headers.get('x-middleware-next'), '1')
assert.equal((await proxy(request('/old'), event)).status, 308)

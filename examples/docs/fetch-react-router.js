// The middleware of React Router.
import assert from 'node:assert/strict'
// #region middleware
// app/root.jsx
import { rateLimit } from '@sluice/fetch/react-router'

export const middleware = [rateLimit({ limit: 100, window: '1m', address: { proxies: 1 } })]
// #endregion
const request = new Request('http://localhost/', { headers: { 'x-forwarded-for': '192.0.2.1' } })
const context = {
  get: () => {
    throw new Error('not set')
  },
  set() {},
}
const [limit] = middleware
const response = await limit({ request, params: {}, context }, async () => new Response('page'))
assert.equal(response.headers.get('ratelimit-policy'), '"default";q=100;w=60')

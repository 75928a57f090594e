// The middleware of Astro.
import assert from 'node:assert/strict'
// #region middleware
// src/middleware.js
import { rateLimit } from '@sluice/fetch/astro'

export const onRequest = rateLimit({ limit: 100, window: '1m', address: { proxies: 1 } })
// #endregion
const request = new Request('http://localhost/', { headers: { 'x-forwarded-for': '192.0.2.1' } })
const context = {
  request,
  locals: /** @type {App.Locals} */ ({}),
  params: {},
  routePattern: '/',
  isPrerendered: false,
  clientAddress: '192.0.2.1',
  url: new URL(request.url),
}
const response = await onRequest(context, async () => new Response('page'))
assert.equal(response.status, 200)
assert.equal(context.locals.rateLimit?.remaining, 99)

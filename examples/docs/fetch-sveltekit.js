// The hook of SvelteKit.
import assert from 'node:assert/strict'
// #region hook
// src/hooks.server.js
import { byIp, byUser, firstOf, rateLimit } from '@sluice/fetch/sveltekit'

export const handle = rateLimit({
  limit: 100,
  window: '1m',
  key: firstOf(
    byUser((/** @type {import('@sluice/fetch/sveltekit').SvelteKitEvent} */ event) =>
      event.request.headers.get('x-user'),
    ),
    byIp(),
  ),
})
// #endregion
const request = new Request('http://localhost/')
const event = {
  request,
  locals: /** @type {App.Locals} */ ({}),
  params: {},
  route: { id: '/' },
  url: new URL(request.url),
  getClientAddress: () => '192.0.2.1',
}
const response = await handle({ event, resolve: () => new Response('page') })
assert.equal(response.status, 200)
assert.equal(event.locals.rateLimit?.remaining, 99)

// A decision in a place that sees no response.
import assert from 'node:assert/strict'
// #region check
import { rateLimit } from '@sluice/fetch'

const searches = rateLimit({ limit: 1, window: '1m', key: 'all' })

export async function handle(/** @type {Request} */ request) {
  const { allowed, headers, response } = await searches.check(request)
  if (!allowed) return response
  return new Response('Found.', { headers })
}
// #endregion
assert.equal((await handle(new Request('http://localhost/')))?.status, 200)
assert.equal((await handle(new Request('http://localhost/')))?.status, 429)

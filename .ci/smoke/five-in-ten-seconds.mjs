import assert from 'node:assert/strict'
import { assertAllowed, assertDenied } from './answers.mjs'

/** Five requests are allowed and the sixth is denied, in plain text for a client that prefers it. */
export async function fiveInTenSeconds({ ask }) {
  for (let left = 4; left >= 0; left--) {
    const response = await ask('/')
    assertAllowed(response)
    assert.equal(response.headers.get('RateLimit-Policy'), '"default";q=5;w=10')
    assert.match(await response.text(), new RegExp(`\\b${left} of 5 requests left`))
  }
  await assertDenied(await ask('/'), 'default')
  const response = await ask('/', { headers: { Accept: 'text/plain' } })
  assert.equal(response.status, 429)
  assert.match(response.headers.get('Content-Type') ?? '', /^text\/plain/)
  assert.match(await response.text(), /Try again in \d+ seconds?\./)
  return '5 requests allowed, then 429'
}

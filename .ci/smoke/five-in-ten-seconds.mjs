import assert from 'node:assert/strict'
import { assertAdmitted, assertDenied } from './answers.mjs'

/** Five requests are let in, the sixth is denied, in plain text to whom prefers that. */
export async function fiveInTenSeconds({ ask }) {
  for (let left = 4; left >= 0; left--) {
    const response = await ask('/')
    assertAdmitted(response)
    assert.equal(response.headers.get('RateLimit-Policy'), '"default";q=5;w=10')
    assert.match(await response.text(), new RegExp(`\\b${left} of 5 requests left`))
  }
  await assertDenied(await ask('/'), 'default')
  const response = await ask('/', { headers: { Accept: 'text/plain' } })
  assert.equal(response.status, 429)
  assert.match(response.headers.get('Content-Type') ?? '', /^text\/plain/)
  assert.match(await response.text(), /Try again in \d+ seconds?\./)
  return '5 requests admitted, then 429'
}

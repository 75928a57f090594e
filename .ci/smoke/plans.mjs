import assert from 'node:assert/strict'
import { assertAllowed, assertDenied } from './answers.mjs'

/** A request without a user gets a 401, each user has the limits of the plan, and an upgrade applies at once. */
export async function plans({ ask }) {
  const as = (token) => ({ headers: { Authorization: `Bearer ${token}` } })
  assert.equal((await ask('/')).status, 401)
  assert.equal((await ask('/', as('mallory-token'))).status, 401)

  for (let i = 1; i <= 5; i++) {
    const response = await ask('/', as('ada-token'))
    assertAllowed(response)
    assert.match(await response.text(), new RegExp(`${5 - i} requests .* ${20 - i} today`))
  }
  await assertDenied(await ask('/', as('ada-token')), 'minute')

  const bob = await ask('/', as('bob-token'))
  assertAllowed(bob)
  assert.equal(bob.headers.get('RateLimit-Policy'), '"minute";q=50;w=60, "day";q=1000;w=86400')

  assert.equal((await ask('/upgrade', { method: 'POST', ...as('ada-token') })).status, 200)
  const ada = await ask('/', as('ada-token'))
  assertAllowed(ada)
  assert.match(await ada.text(), /\b44 requests .* 994 today/)
  return '401 without a user, 5 requests on the free plan, 50 on the other'
}

import assert from 'node:assert/strict'
import { assertAdmitted, assertDenied } from './answers.mjs'

/** Nobody is let in without a name, everybody as often as their plan says, and an upgrade counts at once. */
export async function plans({ ask }) {
  const as = (token) => ({ headers: { Authorization: `Bearer ${token}` } })
  assert.equal((await ask('/')).status, 401)
  assert.equal((await ask('/', as('mallory-token'))).status, 401)

  for (let i = 1; i <= 5; i++) {
    const response = await ask('/', as('ada-token'))
    assertAdmitted(response)
    assert.match(await response.text(), new RegExp(`${5 - i} requests .* ${20 - i} today`))
  }
  await assertDenied(await ask('/', as('ada-token')), 'minute')

  const bob = await ask('/', as('bob-token'))
  assertAdmitted(bob)
  assert.equal(bob.headers.get('RateLimit-Policy'), '"minute";q=50;w=60, "day";q=1000;w=86400')

  assert.equal((await ask('/upgrade', { method: 'POST', ...as('ada-token') })).status, 200)
  const ada = await ask('/', as('ada-token'))
  assertAdmitted(ada)
  assert.match(await ada.text(), /\b44 requests .* 994 today/)
  return '401 for nobody, 5 requests on the free plan, 50 on the other'
}

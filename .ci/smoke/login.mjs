import assert from 'node:assert/strict'
import { assertAllowed, assertRetryAfter } from './answers.mjs'

/** Three consecutive failures lock an account, a success resets them, and a solved challenge allows the owner to log in again. */
export async function login({ ask }) {
  const logIn = (fields) =>
    ask('/login', { method: 'POST', body: new URLSearchParams({ name: 'ada', ...fields }) })
  const right = { password: 'lovelace' }
  const wrong = { password: 'guessed' }

  assert.equal((await logIn({ name: '', ...right })).status, 400)
  for (let round = 1; round <= 2; round++) {
    for (let i = 1; i <= 2; i++) assertAllowed(await logIn(wrong), 401)
    assertAllowed(await logIn(right))
  }

  for (let i = 1; i <= 3; i++) assertAllowed(await logIn(wrong), 401)
  for (const guess of [wrong, right, { ...right, answer: '41' }]) {
    const locked = await logIn(guess)
    assertRetryAfter(locked)
    assert.deepEqual(await locked.json(), {
      error: 'This account is locked.',
      challenge: 'What is 6 times 7?',
    })
  }
  assertAllowed(await logIn({ ...wrong, name: 'bob' }), 401)

  const solved = { answer: '42' }
  assert.equal((await logIn({ ...wrong, ...solved })).status, 401)
  assertRetryAfter(await logIn(right))
  assert.equal((await logIn({ ...right, ...solved })).status, 200)
  assertAllowed(await logIn(right))

  return untilAddressIsSpent(logIn)
}

/** One address may fail this often, for all accounts together. The failures above count, but not the attempts on locked accounts. */
async function untilAddressIsSpent(logIn) {
  const before = 4 + 3 + 1
  for (let i = before; i < 20; i++) {
    assertAllowed(await logIn({ name: `user${i}`, password: 'guessed' }), 401)
  }
  const denied = await logIn({ name: 'eve', password: 'guessed' })
  assertRetryAfter(denied)
  assert.match(denied.headers.get('RateLimit-Policy'), /;q=20;w=3600/)
  return '3 failures in a row lock an account, 20 an address'
}

import assert from 'node:assert/strict'

/** A search is denied alone, and the sixth operation as a whole. */
export async function graphql({ ask }) {
  const query = async (fields) => {
    const response = await ask('/graphql', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ query: `{ ${fields} }` }),
    })
    assert.equal(response.status, 200)
    return { headers: response.headers, ...(await response.json()) }
  }

  const first = await query('a: search(text: "ap") b: search(text: "ban")')
  assert.deepEqual(first.data, { a: ['apple', 'apricot'], b: ['banana'] })
  assert.equal(first.errors, undefined)
  assert.equal(first.headers.get('RateLimit-Policy'), '"Items.search";q=2;w=60')

  const second = await query('hello search(text: "na")')
  assert.deepEqual(second.data, { hello: 'Hello.', search: null })
  assertDenied(second, 'Items.search')
  assert.match(second.headers.get('RateLimit') ?? '', /"Items\.search";r=0;t=\d+/)

  for (let i = 2; i <= 5; i++) {
    const { data, errors } = await query('hello again: hello')
    assert.deepEqual([data, errors], [{ hello: 'Hello.', again: 'Hello.' }, undefined])
  }
  const last = await query('hello')
  assert.equal(last.data, null)
  assertDenied(last, 'default')
  return '2 searches and 5 operations allowed, then errors with the code RATE_LIMITED'
}

/** The only error is that of a limit. */
function assertDenied({ errors, headers }, policy) {
  assert.equal(errors.length, 1)
  const { code, retryAfterMs, 'violated-policies': violated } = errors[0].extensions
  assert.deepEqual([code, violated], ['RATE_LIMITED', [policy]])
  assert.ok(retryAfterMs > 0)
  assert.match(headers.get('Retry-After') ?? '', /^\d+$/)
}

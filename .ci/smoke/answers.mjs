import assert from 'node:assert/strict'

/** The request is allowed, and the response has the rate limit headers. */
export function assertAllowed(response, status = 200) {
  assert.equal(response.status, status)
  assert.match(response.headers.get('RateLimit') ?? '', /;r=\d+;t=\d+/)
  assert.match(response.headers.get('RateLimit-Policy') ?? '', /;q=\d+/)
  assert.equal(response.headers.get('Retry-After'), null)
}

/** The response is a 429 with `Retry-After` and a problem (RFC 9457). */
export async function assertDenied(response, ...policies) {
  assertRetryAfter(response)
  assert.match(response.headers.get('Content-Type') ?? '', /^application\/problem\+json/)
  const { type, status, 'violated-policies': violated } = await response.json()
  assert.deepEqual(
    { type, status, violated },
    {
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      status: 429,
      violated: policies,
    },
  )
}

/** The response is a 429 with `Retry-After`. */
export function assertRetryAfter(response) {
  assert.equal(response.status, 429)
  assert.match(response.headers.get('Retry-After') ?? '', /^[1-9]\d*$/)
  assert.match(response.headers.get('RateLimit') ?? '', /;r=0;t=[1-9]/)
  assert.match(response.headers.get('RateLimit-Policy') ?? '', /;q=\d+/)
}

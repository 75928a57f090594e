import assert from 'node:assert/strict'

/** The answer lets the request in, and says where the client stands. */
export function assertAdmitted(response, status = 200) {
  assert.equal(response.status, status)
  assert.match(response.headers.get('RateLimit') ?? '', /;r=\d+;t=\d+/)
  assert.match(response.headers.get('RateLimit-Policy') ?? '', /;q=\d+/)
  assert.equal(response.headers.get('Retry-After'), null)
}

/** The answer is 429, says when to come again, and is a problem by RFC 9457. */
export async function assertDenied(response, ...policies) {
  assertHeldOff(response)
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

/** The answer is 429 and says when to come again. */
export function assertHeldOff(response) {
  assert.equal(response.status, 429)
  assert.match(response.headers.get('Retry-After') ?? '', /^[1-9]\d*$/)
  assert.match(response.headers.get('RateLimit') ?? '', /;r=0;t=[1-9]/)
  assert.match(response.headers.get('RateLimit-Policy') ?? '', /;q=\d+/)
}

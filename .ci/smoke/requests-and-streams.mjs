import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { fiveInTenSeconds } from './five-in-ten-seconds.mjs'

/** The end of a stream reaches the limiter within this time. Its lease is three times as long. */
const freeWithinMs = 10_000

/**
 * Five requests are allowed and the sixth is denied, also with a forged address. Two streams run at once, and a third one after the client of one of them
 * has disconnected.
 *
 * @param isProxied whether the program expects a proxy in front, which appends the address that it sees
 */
export async function requestsAndStreams({ url, ask }, isProxied = false) {
  const seen = isProxied ? ['X-Forwarded-For', '192.0.2.1'] : undefined
  const program = {
    url,
    headersOf(given) {
      const headers = new Headers(given)
      if (seen !== undefined) headers.append(...seen)
      return headers
    },
    ask: (path, options) => ask(path, { ...options, headers: program.headersOf(options?.headers) }),
  }
  await fiveInTenSeconds(program)
  const forged = await program.ask('/', { headers: { 'X-Forwarded-For': '203.0.113.7' } })
  assert.equal(forged.status, 429, 'a forged address is another client')

  const [first, second] = [await stream(program), await stream(program)]
  assert.deepEqual([first.status, second.status], [200, 200])
  const denied = await stream(program)
  assert.equal(denied.status, 429)
  denied.disconnect()
  first.disconnect()
  const deadline = Date.now() + freeWithinMs
  for (;;) {
    const next = await stream(program)
    next.disconnect()
    if (next.status === 200) break
    assert.ok(Date.now() < deadline, 'the unit of a client that has disconnected is still in use')
    await sleep(100)
  }
  second.disconnect()
  return '5 requests allowed, then 429, also with a forged address; 2 streams at once, and a third one after a client has disconnected'
}

/** Reads the first second of a stream. */
async function stream({ url, headersOf }) {
  const client = new AbortController()
  const options = { headers: headersOf(), signal: client.signal }
  const { status, body } = await fetch(`${url}/stream`, options)
  if (status === 200) {
    const { value } = await body.getReader().read()
    assert.match(new TextDecoder().decode(value), /^second 1\n/)
  }
  return { status, disconnect: () => client.abort() }
}

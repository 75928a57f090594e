import { expect, test } from 'vitest'
import { restClient, type RestRequest } from '../../../src/index.js'

/** A client of a service that always answers this, and what it was sent. */
function clientOf(status: number, body: string) {
  const sent: [string, RestRequest][] = []
  const client = restClient({
    url: 'https://rest.test',
    token: 'secret',
    fetch: async (url, init) => {
      sent.push([url, init])
      return { status, text: async () => body }
    },
  })
  return { sent, call: async () => client.evalSha('abc', ['k'], ['1']) }
}

test('a command is sent once, with the token, and its result is returned', async () => {
  const { sent, call } = clientOf(200, '{"result":[1,0]}')
  expect(await call()).toEqual([1, 0])
  const [[url, { method, headers, body, redirect }], ...others] = sent
  expect(others).toEqual([])
  expect([url, method, redirect]).toEqual(['https://rest.test/', 'POST', 'manual'])
  expect(headers).toEqual({
    authorization: 'Bearer secret',
    'content-type': 'application/json',
  })
  expect(JSON.parse(body)).toEqual(['EVALSHA', 'abc', '1', 'k', '1'])
})

test('a result of null is a result', async () => {
  expect(await clientOf(200, '{"result":null}').call()).toBe(null)
})

const wrongUrl =
  ' without a reply of Redis: check that the "url" of restClient is the address of the REST service'

test.each([
  [
    401,
    '{"error":"WRONGPASS"}',
    'the REST service answered HTTP 401: check that the "token" of restClient is that of the database at its "url"',
  ],
  [400, '{"error":"ERR one"}', 'ERR one'],
  [200, '{"error":"READONLY no"}', 'READONLY no'],
  [429, '{"error":"ERR too many requests"}', 'ERR too many requests'],
  [200, '{"error":5}', `the REST service answered HTTP 200${wrongUrl}`],
  [200, '[1]', `the REST service answered HTTP 200${wrongUrl}`],
  [200, '{"result":[1,', `the REST service answered HTTP 200${wrongUrl}`],
  [201, '{"result":1}', `the REST service answered HTTP 201${wrongUrl}`],
  [302, '', `the REST service answered HTTP 302${wrongUrl}`],
  [404, 'not found', `the REST service answered HTTP 404${wrongUrl}`],
  [428, '', `the REST service answered HTTP 428${wrongUrl}`],
  [429, '', 'the REST service answered HTTP 429'],
  [500, 'sorry', 'the REST service answered HTTP 500'],
  [503, '{"result":1}', 'the REST service answered HTTP 503'],
])('HTTP %i with %s is an error', async (status, body, message) => {
  await expect(clientOf(status, body).call()).rejects.toThrow(new Error(message))
})

import { expect, test, vi } from 'vitest'
import { createWebView, type RequestView } from '../../../src/http/index.js'
import { errorOf } from '../../error-of.js'

const viewOf = createWebView<Request, string | undefined>({
  web: (request) => request,
  address: (_request, context) => context,
  peer: (_request, context) => context,
  addressAdvice: () => 'Name a header',
})

test.each([
  ['http://host', '/'],
  ['http://host/items/%31?x=a%20b&x', '/items/%31?x=a%20b&x'],
  ['http://user@host:8080/items?q=http://other/path', '/items?q=http://other/path'],
])('of the URL %s the path and the query are %s', (url, path) => {
  expect(viewOf(new Request(url.replace('user@', '')), undefined).url).toBe(path)
})

test('a view contains the method, the host and the headers in lower case', () => {
  const headers = { 'X-User': 'ada', __proto__x: '1' }
  const view = viewOf(new Request('http://Host:81/', { method: 'PUT', headers }), '192.0.2.1')
  expect([view.method, view.host, view.headers['x-user']]).toEqual(['PUT', 'host', 'ada'])
  expect([view.address, view.peer, view.route, view.params, view.sent]).toEqual([
    '192.0.2.1',
    '192.0.2.1',
    undefined,
    undefined,
    [],
  ])
  expect([view.trustsEveryProxy, view.addressAdvice]).toEqual([false, 'Name a header'])
})

test('the headers are copied at the first access, and once', () => {
  const read = vi.fn()
  const request = new Request('http://host/')
  const headers = request.headers
  Object.defineProperty(request, 'headers', { get: () => (read(), headers) })
  const view: RequestView<Request> = viewOf(request, undefined)
  expect([view.url, view.method, read.mock.calls.length]).toEqual(['/', 'GET', 0])
  expect(view.headers).toBe(view.headers)
  expect(read.mock.calls.length).toBe(1)
})

test.each<[string, unknown]>([
  ['undefined', undefined],
  ['the string "/"', '/'],
  ['an object with the keys "method", "headers"', { method: 'GET', headers: {} }],
])('refuses %s in place of a request', (what, request) => {
  const error = errorOf(() => viewOf(request as never, undefined))
  expect(error.code).toBe('SLUICE_REQUEST_INVALID')
  expect(error.message).toContain(`the request is ${what}. Pass the web Request`)
})

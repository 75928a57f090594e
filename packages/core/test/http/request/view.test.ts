import { expect, test } from 'vitest'
import { createView, type NodeRequest } from '../../../src/http/index.js'
import { errorOf } from '../../error-of.js'

const viewOf = createView<Asked>({
  node: ({ node }) => node,
  url: ({ target }) => target,
  address: () => undefined,
  route: () => undefined,
  sent: () => [],
  trustsEveryProxy: () => false,
})

test.each([
  ['/', '/'],
  ['/items/1?sort=a&page=2', '/items/1?sort=a&page=2'],
  ['//items', '//items'],
  ['/%61?q=http://host/path', '/%61?q=http://host/path'],
  ['http://host/items?x=1', '/items?x=1'],
  ['HTTPS://user@host:8080/items', '/items'],
  ['http://host//items', '//items'],
  ['http://host', '/'],
  ['http://host?x=1', '/?x=1'],
  ['http://host?/path', 'http://host?/path'],
  ['http://[::1]:80/items', '/items'],
  ['http://host:80#x', '/#x'],
  // Frameworks find different paths in these.
  ['http://host;x/items', 'http://host;x/items'],
  ['http://a@b@host/items', 'http://a@b@host/items'],
  ['http:///items', 'http:///items'],
  ['ftp://host/items', 'ftp://host/items'],
  ["http://host/o'items", "http://host/o'items"],
  ["http://host/items?o'x#^", "/items?o'x#^"],
  ['http://host/a\\b', 'http://host/a\\b'],
  ['http://host/a\u00a0', 'http://host/a\u00a0'],
  ['*', '*'],
  ['host:443', 'host:443'],
  [undefined, undefined],
])('of the target %s the path and the query are %s', (target, url) => {
  expect(viewOf({ target, node: { headers: {} } }).url).toBe(url)
})

test('a request of another framework of Node leads to the package of that framework', () => {
  const { message } = errorOf(() => viewOf({ socket: {}, headers: {} }))
  expect(message).toContain('the request is one of Node.js')
  expect(message).toContain('@sluice/express, @sluice/koa, @sluice/fastify')
})

test.each<[string, unknown]>([
  ['a web Request, which fetch uses', new Request('http://host/')],
  ['an object with the keys "target"', { target: '/' }],
  ['an object with the keys "node"', { node: new Request('http://host/') }],
  ['an empty object', {}],
  ['undefined', undefined],
  ['null', null],
  ['the string "/"', '/'],
])('refuses %s in place of a request', (what, request) => {
  const error = errorOf(() => viewOf(request))
  expect([error.code, error.status]).toEqual(['SLUICE_REQUEST_INVALID', undefined])
  expect(error.message).toContain(`the request is ${what}. Pass Node's own request`)
})

test('a view contains the statements of the framework about its router', () => {
  const routing = createView<object>({
    node: () => ({ headers: {} }),
    url: () => '/v1/items/7',
    routedUrl: () => 'http://host/items/7',
    semicolonEndsPath: () => true,
    params: () => ({ id: '7' }),
    host: () => 'host',
    address: () => undefined,
    route: () => undefined,
    sent: () => [],
    trustsEveryProxy: () => false,
  })
  const { routedUrl, semicolonEndsPath, params, host } = routing({})
  expect({ routedUrl, semicolonEndsPath, params, host }).toEqual({
    routedUrl: '/items/7',
    semicolonEndsPath: true,
    params: { id: '7' },
    host: 'host',
  })
  const unknown = viewOf({ target: '/', node: { headers: {} } })
  expect([unknown.routedUrl, unknown.semicolonEndsPath, unknown.params, unknown.host]).toEqual(
    Array.from({ length: 4 }, () => undefined),
  )
})

interface Asked {
  readonly node: NodeRequest
  readonly target: string | undefined
}

test('the data that a client sent are read once', () => {
  let reads = 0
  const counting = createView<Asked>({
    node: ({ node }) => node,
    url: ({ target }) => target,
    address: () => undefined,
    route: () => undefined,
    sent: () => [{ read: ++reads }],
    trustsEveryProxy: () => false,
  })
  const view = counting({ target: '/', node: { headers: {} } })
  expect([reads, view.sent, view.sent, reads]).toEqual([0, [{ read: 1 }], [{ read: 1 }], 1])
  expect(view.sent).toBe(view.sent)
})

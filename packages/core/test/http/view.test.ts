import { expect, test } from 'vitest'
import { createView, type NodeRequest } from '../../src/http/index.js'
import { errorOf } from '../error-of.js'

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
  ['*', '*'],
  ['host:443', 'host:443'],
  [undefined, undefined],
])('of the target %s the path and the query are %s', (target, url) => {
  expect(viewOf({ target, node: { headers: {} } }).url).toBe(url)
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
  const error = errorOf(() => viewOf(request as never))
  expect([error.code, error.status]).toEqual(['SLUICE_REQUEST_INVALID', undefined])
  expect(error.message).toContain(`the request is ${what}. Pass Node's own request`)
})

interface Asked {
  readonly node: NodeRequest
  readonly target: string | undefined
}

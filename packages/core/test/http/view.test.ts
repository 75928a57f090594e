import { expect, test } from 'vitest'
import { createView } from '../../src/http/index.js'

const viewOf = createView<string | undefined>({
  node: () => ({ headers: {} }),
  url: (target) => target,
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
  expect(viewOf(target).url).toBe(url)
})

import { expect, test } from 'vitest'
import { byRoute } from '../../../src/http/index.js'
import { errorOf } from '../../error-of.js'
import { viewOf } from '../visit.js'

const keyOf = (method: string, route?: string) => byRoute()({}, viewOf({}, { method, route }))

test.each([
  ['GET', '/items/:id', ['route', 'GET', '/items/:id']],
  ['HEAD', '/items/:id', ['route', 'GET', '/items/:id']],
  ['POST', '/items', ['route', 'POST', '/items']],
  ['GET', '/', ['route', 'GET', '/']],
  ['M-SEARCH', '/items', ['route', 'M-SEARCH', '/items']],
  ['A1', '/items', ['route', 'other', '/items']],
  ['A2', '/items', ['route', 'other', '/items']],
  ['get', '/items', ['route', 'other', '/items']],
])('the key of %s %s is its method and pattern', (method, route, key) => {
  expect(keyOf(method, route)).toEqual(key)
})

test.each([undefined, ''])('refuses the route %j: no route has matched yet', (route) => {
  expect(errorOf(() => keyOf('GET', route)).code).toBe('SLUICE_ROUTE_MISSING')
})

import type { RequestView } from '@sluice/core/http'
import { expect, test } from 'vitest'
import { RequestFacts } from '../../src/loading/facts-of-request.js'

interface Raw {
  readonly user: string
}

function factsOf(
  view: Partial<RequestView<Raw>>,
  values: Record<string, (raw: Raw) => unknown> = {},
): RequestFacts<Raw> {
  const whole = { raw: { user: 'acme' }, method: 'GET', headers: {}, ...view }
  return new RequestFacts(whole as RequestView<Raw>, new Map(Object.entries(values)))
}

test('reads the request as its adapter presents it', () => {
  const { method, url, route, ip } = factsOf({
    method: 'POST',
    url: '/api/items?page=2',
    route: '/api/:kind',
    address: '203.0.113.9',
  })
  expect([method, url, route, ip]).toEqual([
    'POST',
    '/api/items?page=2',
    '/api/:kind',
    '203.0.113.9',
  ])
})

test('reads the host of HTTP/1 and of HTTP/2', () => {
  const hostsOf = (headers: Record<string, string>, host?: string): unknown =>
    factsOf({ headers, host }).host
  expect(hostsOf({ host: 'example.org:8080' })).toEqual(['example.org:8080'])
  expect(hostsOf({ ':authority': 'example.org' })).toEqual(['example.org'])
  expect(hostsOf({ ':authority': 'a', host: 'b' }, 'of the framework')).toEqual([
    'of the framework',
    'a',
    'b',
  ])
  expect(hostsOf({})).toEqual([])
})

test('reads a header, and joins one that was sent several times', () => {
  const facts = factsOf({ headers: { 'x-a': 'one', 'x-b': ['one', 'two'] } })
  expect(['x-a', 'x-b', 'x-c', 'constructor'].map((name) => facts.header(name))).toEqual([
    'one',
    'one, two',
    undefined,
    undefined,
  ])
})

test('reads nothing that no rule needs', () => {
  const view = new Proxy({} as RequestView<Raw>, {
    get(_, property) {
      throw new Error(`read ${String(property)}`)
    },
  })
  const facts = new RequestFacts(view, new Map())
  expect(() => facts.ip).toThrow('read address')
})

test('reads a declared value from the request, by a function of the application', async () => {
  const facts = factsOf({}, { user: ({ user }) => user, plan: async () => 'pro' })
  expect([facts.value('user'), await facts.value('plan'), facts.value('other')]).toEqual([
    'acme',
    'pro',
    undefined,
  ])
})

test('reads the header of the cookies once', () => {
  let reads = 0
  const headers = Object.defineProperty({}, 'cookie', { get: () => `a=1; b=2; c=${++reads}` })
  const facts = factsOf({ headers })
  expect(['c', 'b', 'a', 'd', 'c'].map((name) => facts.cookie(name))).toEqual([
    '1',
    '2',
    '1',
    undefined,
    '1',
  ])
  expect(reads).toBe(1)
})

test('reads a cookie of a request', () => {
  const facts = factsOf({ headers: { cookie: 'session=abc' } })
  expect([facts.cookie('session'), facts.cookie('other')]).toEqual(['abc', undefined])
  const unusual = factsOf({ headers: { cookie: 'session =a; session=b' } })
  expect(unusual.cookie('session')).toEqual(['a', 'b'])
  expect(factsOf({}).cookie('session')).toBeUndefined()
})

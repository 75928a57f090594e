import { ModulesContainer } from '@nestjs/core'
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js'
import { Query, Resolver } from '@nestjs/graphql'
import { expect, test, vi } from 'vitest'
import { callOfGraphql } from '../../src/calls/graphql.js'
import {
  byHeader,
  byRoute,
  RateLimit,
  type NestCall,
  type RateLimitOptions,
} from '../../src/index.js'
import { decorate, once } from '../apps.js'
import { drivers, serveQueries, serving, type Query as Send } from '../graphql-apps.js'

const [[, adapter, apollo]] = drivers

type Call = NestCall<unknown, { name?: string[] }>

/** Sends queries to a resolver with this limit, by a context that the application makes of the request. */
async function serve(
  options: Pick<RateLimitOptions<Call>, 'key'>,
  context: (request: { readonly req: object }) => object = (request) => request,
): Promise<Send> {
  class Items {
    one() {
      return 'one'
    }
  }
  const provider = decorate(Items, [Resolver()], {
    one: [Query('one'), RateLimit({ ...once, limit: 2, ...options })],
  })
  const schema = 'type Query { one(name: [String]): String }'
  return serveQueries(adapter(), serving({ ...apollo, context }, schema, { providers: [provider] }))
}

/** As a client can send it when it opens a connection. Applications pass it on as the request of an operation, because it has the headers. */
const sent = {
  headers: { 'x-key': 'ann' },
  ip: '6.6.6.6',
  socket: { remoteAddress: '6.6.6.6' },
  method: 'A1',
  url: '/a1',
  originalUrl: '/a1',
  route: { path: '/a1' },
  routeOptions: { url: '/a1' },
}

test.each<[string, Pick<RateLimitOptions<Call>, 'key'>, string]>([
  ['address', {}, `the request's address is undefined`],
  ['route', { key: byRoute() }, 'byRoute: '],
])('an object in place of a request has no %s', async (_, options, message) => {
  const query = await serve(options, () => ({ req: { ...sent } }))
  expect((await query('{ one }')).errors['one'].message).toContain(message)
})

test('its headers count, and its method and its URL do not', async () => {
  const seen: unknown[] = []
  const key: RateLimitOptions<Call>['key'] = (_call, view) => {
    seen.push(view.method, view.url, view.route, view.address, view.trustsEveryProxy)
    return byHeader('x-key')
  }
  const query = await serve({ key }, () => ({ req: { ...sent } }))
  const { errors } = await query('{ a: one b: one c: one }')
  expect(Object.keys(errors)).toEqual(['c'])
  expect(seen.slice(0, 5)).toEqual(['GET', undefined, undefined, undefined, false])
})

test('the calls of a request read its body once', async () => {
  let reads = 0
  const body = Object.defineProperty({}, 'own', { enumerable: true, get: () => ++reads })
  const query = await serve({ key: () => ['own', 1] }, ({ req }) => ({
    req: Object.assign(req, { body }),
  }))
  const { data } = await query('{ a: one b: one(name: ["ann"]) c: one(name: ["ann", "1"]) }')
  expect(data).toEqual({ a: 'one', b: 'one', c: null })
  expect(reads).toBe(1)
})

test.each([
  ['the request of the server', undefined],
  ['an object in its place', () => ({ req: { ...sent } })],
])('a list that the client sent is not a key of any call: %s', async (_, context) => {
  const query = await serve({ key: ({ data }) => data?.name ?? ['own', 1] }, context)
  const { data } = await query('{ a: one b: one(name: ["ann", "1"]) c: one(name: ["own", "1"]) }')
  expect(data).toEqual({ a: 'one', b: null, c: null })
})

test('the request in the context has the decision', async () => {
  const calls: Call[] = []
  const query = await serve({ key: (call) => `${calls.push(call) > 0}` })
  await query('{ one }')
  expect(calls[0].request?.rateLimit?.remaining).toBe(1)
})

test.each([
  ['is not begun has', false, 1],
  ['was begun already has not', true, 0],
])('a response that %s the headers of a limit', (_, headersSent, times) => {
  const header = vi.fn()
  const response = { headersSent, header, getHeader() {}, removeHeader() {} }
  const context = new ExecutionContextHost([{}, {}, { req: { headers: {} }, res: response }, {}])
  const { headersOf } = callOfGraphql(context, new ModulesContainer())
  headersOf({}).write([['RateLimit', '"one";r=1;t=60']])
  expect(header).toHaveBeenCalledTimes(times)
})

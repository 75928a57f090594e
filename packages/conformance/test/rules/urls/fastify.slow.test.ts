import type { AddressInfo } from 'node:net'
import * as onFastify from '@sluice/fastify'
import { fastify, type FastifyInstance, type FastifyServerOptions } from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { sendTarget } from '../targets.js'
import { all, limitsIn, load, many, overHttp2, portOf, type Rule } from './sending.js'

async function served(
  options: FastifyServerOptions,
  rules: readonly Rule[],
  path: string,
): Promise<FastifyInstance> {
  const app = fastify({ forceCloseConnections: true, ...options })
  await app.register(onFastify.rateLimit, { rules: await load(rules) })
  app.get(path, (request, reply) => {
    reply.header('x-applied', JSON.stringify(request.rateLimit?.applied ?? []))
    reply.send({ ...(request.params as object), ...(request.query as object) })
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  onTestFinished(() => app.close())
  return app
}

async function answers(
  options: FastifyServerOptions,
  rules: readonly Rule[],
  path: string,
  targets: readonly string[],
): Promise<readonly unknown[]> {
  const app = await served(options, rules, path)
  const { port } = app.server.address() as AddressInfo
  const found: unknown[] = []
  for (const target of targets) {
    const { status, body, header } = await sendTarget(port, target)
    found.push([target, status, body, ...limitsIn(header('ratelimit'))])
  }
  return found
}

test('letters that are equal only after decoding are one path without caseSensitive', async () => {
  const rules: Rule[] = [
    { id: 'others', when: { not: { path: ['/token', '/caf\u00e9'] } }, then: 'allow' },
    { id: 'token', when: { path: '/token' }, key: [], ...many },
    { id: 'coffee', when: { path: '/caf\u00e9' }, key: [], ...many },
  ]
  const options = { routerOptions: { caseSensitive: false } }
  const targets = ['/to%E2%84%AAen', '/TO%e2%84%aaEN', '/token']
  expect(await answers(options, rules, '/token', targets)).toEqual(
    targets.map((target) => [target, 200, '{}', 'token']),
  )
  const cafes = ['/caf%C3%89', '/CAF%c3%a9']
  expect(await answers(options, rules, '/caf\u00e9', cafes)).toEqual(
    cafes.map((target) => [target, 200, '{}', 'coffee']),
  )
})

test('a parameter before a semicolon counts as the router reads it', async () => {
  const rules: Rule[] = [
    { id: 'user', when: { path: '/u/:id' }, key: 'param.id', limit: 2, window: '1h' },
  ]
  const targets = ['/u/abc;/../1', '/u/abc;/../2', '/u/abc', '/u/abc;x', '/u/def']
  const options = { useSemicolonDelimiter: true }
  const statuses = await answers(options, rules, '/u/:id', targets)
  expect(statuses.map((answer) => Object(answer)[1])).toEqual([200, 200, 429, 429, 200])
  // Without the option, "abc;x" is another parameter.
  const others = await answers({}, rules, '/u/:id', ['/u/abc', '/u/abc', '/u/abc;x', '/u/abc'])
  expect(others.map((answer) => Object(answer)[1])).toEqual([200, 200, 200, 429])
})

test('a query behind a semicolon is seen', async () => {
  const rules: Rule[] = [
    { id: 'others', when: { 'query.id': { not: 'A' } }, then: 'allow' },
    { id: 'limited', when: { 'query.id': 'A' }, key: 'query.id', ...many },
  ]
  const options = { useSemicolonDelimiter: true }
  expect(await answers(options, rules, '/q', ['/q;id=A', '/q?id=A', '/q;id=B'])).toEqual([
    ['/q;id=A', 200, '{"id":"A"}', 'limited'],
    ['/q?id=A', 200, '{"id":"A"}', 'limited'],
    ['/q;id=B', 200, '{"id":"B"}'],
  ])
})

test('a limit applies to a URL that the application rewrites to its path, and an exemption needs both', async () => {
  const rules: Rule[] = [
    { id: 'health', when: { path: '/v1/health' }, then: 'allow' },
    { id: 'items', when: { path: '/items/:id' }, key: 'param.id', ...many },
    all,
  ]
  const rewriteUrl = ({ url = '' }): string => url.replace('/v1/', '/items/')
  const targets = ['/v1/7', '/v1/health', '/items/7']
  expect(await answers({ rewriteUrl }, rules, '/items/:id', targets)).toEqual([
    ['/v1/7', 200, '{"id":"7"}', 'items', 'all'],
    ['/v1/health', 200, '{"id":"health"}', 'items', 'all'],
    ['/items/7', 200, '{"id":"7"}', 'items', 'all'],
  ])
})

test('an empty parameter is limited as the parameter', async () => {
  const rules: Rule[] = [
    { id: 'root', when: { path: '/' }, then: 'allow' },
    { id: 'page', when: { path: '/:page' }, key: 'param.page', ...many },
  ]
  expect(await answers({}, rules, '/:page', ['/', '/x'])).toEqual([
    ['/', 200, '{"page":""}', 'page'],
    ['/x', 200, '{"page":"x"}', 'page'],
  ])
})

test('by HTTP/2 both hosts of a request count', async () => {
  const app = fastify({ http2: true })
  const rules = await load([
    { id: 'free', when: { host: 'api.example' }, then: 'allow' },
    { id: 'api', when: { host: 'api.example' }, key: 'host', limit: 1, window: '1h' },
    all,
  ])
  await app.register(onFastify.rateLimit, { rules })
  app.get('/', ({ hostname }, reply) => reply.send(hostname))
  await app.ready()
  onTestFinished(() => app.close())
  const get = overHttp2(await portOf(app.server))
  const sent = async (authority: string, host: string): Promise<readonly string[]> =>
    get({ ':path': '/', ':authority': authority, host })
  expect(await sent('api.example', 'api.example')).toEqual(['api.example'])
  expect(await sent('other.example', 'api.example')).toEqual(['api.example', 'api', 'all'])
  expect(await sent('api.example', 'other.example')).toEqual(['other.example', 'api', 'all'])
  expect(await get({ ':path': '/', ':authority': 'other.example' })).toEqual([
    'other.example',
    'all',
  ])
})

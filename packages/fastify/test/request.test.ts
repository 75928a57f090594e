import fastify, { type FastifyServerOptions } from 'fastify'
import { expect, test } from 'vitest'
import { viewOf } from '../src/request.js'

async function viewed(options: FastifyServerOptions, url = '/items/1'): Promise<object> {
  const app = fastify(options)
  let seen: object = {}
  app.addHook('onRequest', async (request) => {
    const { address, peer, method, url, route, headers, trustsEveryProxy } = viewOf(request)
    const { params, host, routedUrl, semicolonEndsPath } = viewOf(request)
    const router = { params, host, routedUrl, semicolonEndsPath }
    const agent = headers['user-agent']
    seen = { address, peer, method, url, route, agent, trustsEveryProxy, ...router }
  })
  app.register(async (child) => child.get('/:id', () => 'hello'), { prefix: '/items' })
  const headers = { 'x-forwarded-for': '203.0.113.9, 198.51.100.7' }
  await app.inject({ url, headers, remoteAddress: '127.0.0.1' })
  return seen
}

test('a view has the properties of the request', async () => {
  expect(await viewed({})).toEqual({
    address: '127.0.0.1',
    peer: '127.0.0.1',
    method: 'GET',
    url: '/items/1',
    route: '/items/:id',
    agent: 'lightMyRequest',
    trustsEveryProxy: false,
    params: { id: '1' },
    host: 'localhost',
    routedUrl: '/items/1',
    semicolonEndsPath: false,
  })
  expect(await viewed({}, '/x')).toMatchObject({ route: undefined })
})

test('the url is that which the client sent, also if the application rewrites it', async () => {
  const rewriteUrl = ({ url }: { url?: string | undefined }): string =>
    (url ?? '').replace('/v1', '')
  const seen = await viewed({ rewriteUrl }, '/v1/items/1?x=1')
  expect(seen).toMatchObject({
    route: '/items/:id',
    url: '/v1/items/1?x=1',
    routedUrl: '/items/1?x=1',
  })
})

test.each<[string, FastifyServerOptions]>([
  ['the server', { useSemicolonDelimiter: true }],
  [
    'the router',
    { routerOptions: Object.assign({ maxParamLength: 100 }, { useSemicolonDelimiter: true }) },
  ],
])('a semicolon ends the path if an option of %s says so', async (_, options) => {
  expect(await viewed(options, '/items/1;x')).toMatchObject({
    semicolonEndsPath: true,
    params: { id: '1' },
  })
})

test('the address is that of Fastify', async () => {
  const { address, peer } = { address: '198.51.100.7', peer: '127.0.0.1' }
  expect(await viewed({ trustProxy: '127.0.0.1' })).toMatchObject({ address, peer })
})

test.each<[boolean, string, FastifyServerOptions['trustProxy']]>([
  [false, 'nothing', undefined],
  [false, 'false', false],
  [false, 'an address', '127.0.0.1'],
  [false, 'ranges', ['loopback', '10.0.0.0/8']],
  [false, 'a function of addresses', (address: string) => address === '127.0.0.1'],
  [false, 'a function of hops', (_address: string, hop: number) => hop < 3],
  [true, 'true', true],
  [true, 'a function that believes everybody', () => true],
  [true, 'ranges that hold everybody', ['0.0.0.0/1', '128.0.0.0/1']],
])('trusts every proxy (%s): %s', async (trustsEveryProxy, _, trustProxy) => {
  const options = trustProxy === undefined ? {} : { trustProxy }
  expect(await viewed(options)).toMatchObject({ trustsEveryProxy })
})

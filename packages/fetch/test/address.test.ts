import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { rateLimit, type RateLimitOptions } from '../src/index.js'

const forwarded = 'x-forwarded-for'
const hello = (_request: Request, ..._rest: unknown[]): Response => new Response('hello')

/** The keys of requests with these options, headers and arguments. */
async function keyOf(
  address: RateLimitOptions['address'],
  headers: Record<string, string>,
  own?: string,
): Promise<unknown> {
  const limit = rateLimit({ limit: 5, window: '1m', ...(address && { address }) })
  return limit.keyOf(
    new Request('http://host/', { headers }),
    own === undefined ? {} : { address: own },
  )
}

/** The key under which a handler counts, by the further arguments of its server. */
async function keyBy(
  rest: readonly unknown[],
  request: Request = new Request('http://host/'),
): Promise<string> {
  const keys: string[] = []
  const limit = rateLimit({
    limit: 5,
    window: '1m',
    key: (_request, { address = 'none' }) => String(keys.push(address)),
  })
  await limit(hello)(request, ...rest)
  return keys[0]
}

test.each<[string, readonly unknown[], string]>([
  ['Bun', [{ requestIP: () => ({ address: '192.0.2.1' }) }], '192.0.2.1'],
  ['Bun, of a closed connection', [{ requestIP: () => null }], 'none'],
  ['Deno', [{ remoteAddr: { transport: 'tcp', hostname: '192.0.2.2', port: 1 } }], '192.0.2.2'],
  ['Deno, on a unix socket', [{ remoteAddr: { transport: 'unix', path: '/s' } }], 'none'],
  ['@hono/node-server', [{ incoming: { socket: { remoteAddress: '192.0.2.3' } } }], '192.0.2.3'],
  ['Workers', [{ KV: {} }, { waitUntil() {} }], 'none'],
  ['a server without arguments', [], 'none'],
])('the address of %s is the one that it reports', async (_, rest, address) => {
  expect(await keyBy(rest)).toBe(address)
})

test.each([
  ['node', '192.0.2.4'],
  ['cloudflare', 'none'],
])('the address of srvx on %s is %s, because it is no header', async (name, address) => {
  const request = Object.assign(new Request('http://host/'), { runtime: { name }, ip: '192.0.2.4' })
  expect(await keyBy([], request)).toBe(address)
})

test('the address that Next.js takes from a header is not used', async () => {
  expect(await keyBy([], Object.assign(new Request('http://host/'), { ip: '192.0.2.5' }))).toBe(
    'none',
  )
})

test('a limit within another one knows the address and `waitUntil` of the server, and so does `keyOf`', async () => {
  const outer = rateLimit({ limit: 5, window: '1m' })
  const inner = rateLimit({ limit: 5, window: '1m', count: 'failures' })
  const waitUntil = vi.fn()
  const keys: unknown[] = []
  const handle = inner(async (request) => {
    keys.push(await outer.keyOf(request), await inner.keyOf(request))
    return new Response('hello')
  })
  const server = outer((request, ..._rest: unknown[]) => handle(request))
  const info = { remoteAddr: { hostname: '192.0.2.1' } }
  expect((await server(new Request('http://host/'), info, { waitUntil })).status).toBe(200)
  expect(keys).toEqual(['ip:192.0.2.1', 'ip:192.0.2.1'])
  expect(waitUntil.mock.calls.length).toBe(1)
})

describe('no header is read by default', () => {
  test.each([
    forwarded,
    'x-real-ip',
    'cf-connecting-ip',
    'forwarded',
    'true-client-ip',
    'fly-client-ip',
  ])('%s', async (name) => {
    expect(await keyOf(undefined, { [name]: '6.6.6.6' }, '192.0.2.1')).toBe('ip:192.0.2.1')
    await expect(keyOf(undefined, { [name]: '6.6.6.6' })).rejects.toMatchObject({
      code: 'SLUICE_ADDRESS_MISSING',
    })
  })
})

test.each<[number, string | undefined, string | undefined, string]>([
  [1, '1.2.3.4', undefined, '1.2.3.4'],
  [1, '6.6.6.6, 1.2.3.4', undefined, '1.2.3.4'],
  [1, '6.6.6.6,1.2.3.4', '10.0.0.1', '1.2.3.4'],
  [2, '6.6.6.6, 1.2.3.4, 10.0.0.2', '10.0.0.1', '1.2.3.4'],
  [2, '6.6.6.6, 1.2.3.4, 10.0.0.2', undefined, '1.2.3.4'],
  [3, '1.2.3.4, 10.0.0.2', '10.0.0.1', '1.2.3.4'],
  [1, undefined, '10.0.0.1', '10.0.0.1'],
])('behind %i proxies, X-Forwarded-For: %s from %s is %s', async (proxies, list, own, address) => {
  const headers: Record<string, string> = list === undefined ? {} : { [forwarded]: list }
  expect(await keyOf({ proxies }, headers, own)).toBe(`ip:${address}`)
})

test.each([
  ['an empty entry', { proxies: 1 }, { [forwarded]: '1.2.3.4, ' }],
  ['no list and no own address', { proxies: 1 }, {}],
  ['a header that is absent', { header: 'CF-Connecting-IP' }, { [forwarded]: '1.2.3.4' }],
  ['a header that is a list', { header: forwarded }, { [forwarded]: '6.6.6.6, 1.2.3.4' }],
])('%s is an error, and never one count for all', async (_, address, headers) => {
  await expect(keyOf(address, headers)).rejects.toMatchObject({ code: 'SLUICE_ADDRESS_MISSING' })
})

test('a named header is the address, and no other one', async () => {
  const headers = { 'cf-connecting-ip': ' 1.2.3.4 ', [forwarded]: '6.6.6.6' }
  expect(await keyOf({ header: 'CF-Connecting-IP' }, headers, '10.0.0.1')).toBe('ip:1.2.3.4')
})

test('a function finds the address in the request and the platform', async () => {
  const address: RateLimitOptions['address'] = (request, platform) =>
    request.headers.get('x-edge') ?? platform?.address
  expect(await keyOf(address, { 'x-edge': '1.2.3.4' })).toBe('ip:1.2.3.4')
  expect(await keyOf(address, {}, '192.0.2.1')).toBe('ip:192.0.2.1')
  await expect(keyOf(() => null, {})).rejects.toThrow('The function "address" has to return')
})

test.each<[unknown, string]>([
  [{ proxies: 0 }, 'an object with the keys "proxies"'],
  [{ proxies: 1.5 }, 'an object with the keys "proxies"'],
  [{ proxies: '1' }, 'an object with the keys "proxies"'],
  [{ header: '' }, 'an object with the keys "header"'],
  [{ header: 'X Y' }, 'an object with the keys "header"'],
  [{ proxies: 1, header: 'X' }, 'an object with the keys "proxies", "header"'],
  [{}, 'an empty object'],
  ['CF-Connecting-IP', 'the string "CF-Connecting-IP"'],
  [true, 'true'],
])('the option %j is an error', (address, shown) => {
  const options = { limit: 5, window: '1m', address } as never
  expect(() => rateLimit(options)).toThrow(`"address" is ${shown}. Pass { proxies: 1 } behind`)
})

describe('the advice for a request without an address is that for', () => {
  test.each<[string, () => void, string]>([
    [
      'Workers',
      () => vi.stubGlobal('navigator', { userAgent: 'Cloudflare-Workers' }),
      `{ header: 'CF-Connecting-IP' }`,
    ],
    ['Deno', () => vi.stubGlobal('Deno', {}), 'Deno.serve(limit(handler))'],
    ['Bun', () => vi.stubGlobal('Bun', {}), 'Bun.serve({ fetch: limit(handler) })'],
    [
      'Vercel',
      () => vi.stubEnv('VERCEL', '1'),
      'On Vercel and Netlify, pass address: { proxies: 1 }',
    ],
    ['Next.js', () => vi.stubEnv('NEXT_RUNTIME', 'nodejs'), 'no address is safe'],
    ['Node', () => {}, 'serve({ fetch: limit(handler) })'],
  ])('%s', async (_, stub, advice) => {
    onTestFinished(() => {
      vi.unstubAllGlobals()
      vi.unstubAllEnvs()
    })
    stub()
    await expect(keyOf(undefined, {})).rejects.toThrow(advice)
  })
})

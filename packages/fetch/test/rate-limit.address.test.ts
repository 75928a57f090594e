import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { memoryStore, rateLimit, type RateLimitOptions } from '../src/index.js'
import { Connection } from './connection.js'

const forwarded = 'x-forwarded-for'

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
  const info = { incoming: { socket: new Connection('192.0.2.1') } }
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

test.each<[RateLimitOptions['address'], string]>([
  [{ proxies: 1 }, 'ip:1.2.3.4'],
  [{ header: 'CF-Connecting-IP' }, 'ip:1.2.3.5'],
  [
    (request, platform) => `${request.headers.get('x-edge')}${platform?.address}`,
    'ip:2001:db8::/64',
  ],
])('%o names the source', async (address, key) => {
  const headers = {
    [forwarded]: '6.6.6.6, 1.2.3.4',
    'cf-connecting-ip': '1.2.3.5',
    'x-edge': '2001:db8',
  }
  expect(await keyOf(address, headers, '::1')).toBe(key)
})

test('behind a proxy, a request without X-Forwarded-For is from the address that the runtime reports', async () => {
  expect(await keyOf({ proxies: 1 }, {}, '10.0.0.1')).toBe('ip:10.0.0.1')
})

test.each<[string, RateLimitOptions['address'], Record<string, string>, string]>([
  ['an empty entry', { proxies: 1 }, { [forwarded]: '1.2.3.4, ' }, 'X-Forwarded-For, which'],
  ['no list and no own address', { proxies: 1 }, {}, 'X-Forwarded-For, which'],
  ['a header that is absent', { header: 'CF-Connecting-IP' }, {}, '"CF-Connecting-IP", which'],
  [
    'a header that is a list',
    { header: forwarded },
    { [forwarded]: '6.6.6.6, 1.2.3.4' },
    '"x-forwarded-for", which',
  ],
  ['a function that returns null', () => null, {}, 'The function "address" has to return'],
])('%s is an error, and never one count for all', async (_, address, headers, advice) => {
  await expect(keyOf(address, headers)).rejects.toMatchObject({
    code: 'SLUICE_ADDRESS_MISSING',
    message: expect.stringContaining(advice),
  })
})

test('a wrong option is an error before the limit has a name', () => {
  const store = memoryStore()
  const options = { name: 'own', limit: 5, window: '1m', store } as const
  const wrong = { ...options, address: { proxies: 0 } }
  expect(() => rateLimit(wrong)).toThrow('"proxies" is 0')
  expect(() => rateLimit({ ...options, limit: 6 })).not.toThrow()
})

test('a list of addresses needs an address, and the error names the option', async () => {
  const limit = rateLimit({ limit: 5, window: '1m', key: 'all', deny: ['192.0.2.0/24'] })
  const next = (): Response => new Response('hello')
  await expect(limit.run(new Request('http://host/'), next)).rejects.toMatchObject({
    code: 'SLUICE_ADDRESS_MISSING',
    message: expect.stringMatching(/^rateLimit: "deny" .* address: { proxies: 1 }/),
  })
  expect(
    (await limit.run(new Request('http://host/'), next, { address: '192.0.2.7' })).status,
  ).toBe(403)
})

test('the errors of other options name this one', () => {
  for (const wrong of [undefined, { limit: 5, window: '1m', adress: { proxies: 1 } }]) {
    expect(() => rateLimit(wrong as never)).toThrow(/[" ]address\b/)
  }
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

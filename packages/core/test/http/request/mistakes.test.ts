import { EventEmitter } from 'node:events'
import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  byIp,
  byUser,
  firstOf,
  type NodeResponse,
  type RateLimitOptions,
  type RequestView,
} from '../../../src/http/index.js'
import { noHeaders, response, viewOf, type Visit } from '../visit.js'

type Options = RateLimitOptions<Visit, never>
type Limiter = (view: RequestView<Visit>, at?: NodeResponse) => void
type View = Partial<RequestView<Visit>>

/** The module as in a new process, and the codes of its warnings. */
async function anew(): Promise<{
  limiter: (options: Options, route?: string) => Limiter
  warnings: () => Promise<string[]>
}> {
  vi.resetModules()
  const codes: string[] = []
  const warned = (warning: Error & { code?: string }) => void codes.push(warning.code ?? '')
  process.on('warning', warned)
  onTestFinished(() => void process.off('warning', warned))
  const { createGuard } = await import('../../../src/http/index.js')
  function limiter(options: Options, route?: string): Limiter {
    const guard = createGuard<Visit, never>(options, route)
    return (view, at = response) => void guard.check(view, at, noHeaders)
  }
  async function warnings(): Promise<string[]> {
    await setImmediate()
    return codes
  }
  return { limiter, warnings }
}

const options: Options = { limit: 5000, window: '1m', key: 'all' }
const byAddress: Options = { limit: 5000, window: '1m' }

test('warns about a limiter that is made in a handler', async () => {
  const { limiter, warnings } = await anew()
  for (let i = 0; i < 2; i++) limiter(options)(viewOf({}))
  expect(await warnings()).toEqual(['SLUICE_MADE_IN_HANDLER'])
})

test('does not warn about a limiter that a program uses at once, nor about two of different names', async () => {
  const { limiter, warnings } = await anew()
  const guard = limiter(options)
  for (let i = 0; i < 3; i++) guard(viewOf({}))
  limiter({ ...options, name: 'other' })(viewOf({}))
  expect(await warnings()).toEqual([])
})

test('does not warn about a limiter that is made before the first request, or for a route', async () => {
  const { limiter, warnings } = await anew()
  const guard = limiter(options)
  limiter(options, '/items')(viewOf({}))
  await setImmediate()
  guard(viewOf({}))
  guard(viewOf({}))
  expect(await warnings()).toEqual([])
})

test('does not warn about a limiter whose module the first request loads', async () => {
  const { limiter, warnings } = await anew()
  const load = async (): Promise<Limiter> => limiter(options)
  const handle = await load()
  handle(viewOf({}))
  expect(await warnings()).toEqual([])
})

test('warns about a limiter that counts a request twice', async () => {
  const { limiter, warnings } = await anew()
  const guard = limiter(options)
  await setImmediate()
  const request = {}
  guard(viewOf(request))
  expect(await warnings()).toEqual([])
  guard(viewOf(request))
  expect(await warnings()).toEqual(['SLUICE_COUNTED_TWICE'])
})

test('does not warn about two limiters on one request, nor about requests that look the same', async () => {
  const { limiter, warnings } = await anew()
  const guards = [limiter(options), limiter(options)]
  await setImmediate()
  for (let i = 0; i < 3; i++) {
    const request = { user: 'ada' }
    for (const guard of guards) guard(viewOf(request))
  }
  const primitive = 'request' as unknown as Visit
  for (let i = 0; i < 2; i++) guards[0](viewOf(primitive))
  expect(await warnings()).toEqual([])
})

test('warns about each mistake once per process, for all limiters together', async () => {
  const { limiter, warnings } = await anew()
  for (let i = 0; i < 3; i++) {
    const guard = limiter(options)
    const request = {}
    for (let j = 0; j < 3; j++) guard(viewOf(request))
  }
  expect((await warnings()).toSorted()).toEqual(['SLUICE_COUNTED_TWICE', 'SLUICE_MADE_IN_HANDLER'])
})

const proxy = '10.0.0.1'
const client = '203.0.113.9'

test.each<[string, View]>([
  ['a proxy', { address: proxy, peer: proxy, headers: { 'x-forwarded-for': client } }],
  [
    'two proxies',
    { address: proxy, peer: proxy, headers: { 'x-forwarded-for': `${client}, 10.0.0.2` } },
  ],
  ['a list of fields', { address: proxy, peer: proxy, headers: { 'x-forwarded-for': [client] } }],
])('warns about %s that is not trusted', async (_, seen) => {
  const { limiter, warnings } = await anew()
  const guard = limiter(byAddress)
  await setImmediate()
  guard(viewOf({}, seen))
  guard(viewOf({}, seen))
  expect(await warnings()).toEqual(['SLUICE_PROXY_UNTRUSTED'])
})

test('warns about a framework that trusts every proxy', async () => {
  const { limiter, warnings } = await anew()
  const guard = limiter(byAddress)
  await setImmediate()
  guard(viewOf({}, { address: client, peer: proxy, trustsEveryProxy: true }))
  expect(await warnings()).toEqual(['SLUICE_PROXY_TRUSTED_BLINDLY'])
})

test.each<[string, View]>([
  ['no proxy', { address: client, peer: client }],
  [
    'one hop that is trusted',
    { address: client, peer: proxy, headers: { 'x-forwarded-for': client } },
  ],
  [
    'a forged entry before the trusted one',
    { address: client, peer: proxy, headers: { 'x-forwarded-for': `1.2.3.4, ${client}` } },
  ],
  [
    'a proxy on the same host, for a client there',
    { address: '127.0.0.1', peer: '127.0.0.1', headers: { 'x-forwarded-for': '127.0.0.1' } },
  ],
  [
    'an address that the framework has from another header',
    { address: client, peer: proxy, headers: { 'x-forwarded-for': '198.51.100.7' } },
  ],
  ['a proxy that says nothing', { address: proxy, peer: proxy, headers: { via: '1.1 proxy' } }],
])('does not warn about %s', async (_, seen) => {
  const { limiter, warnings } = await anew()
  const guard = limiter(byAddress)
  await setImmediate()
  guard(viewOf({}, seen))
  expect(await warnings()).toEqual([])
})

test('does not check addresses if the key uses none', async () => {
  const { limiter, warnings } = await anew()
  const guard = limiter(options)
  await setImmediate()
  const seen = { address: proxy, peer: proxy, headers: { 'x-forwarded-for': client } }
  guard(viewOf({}, { ...seen, trustsEveryProxy: true }))
  expect(await warnings()).toEqual([])
})

test.each<[string, Options['key']]>([
  ['a function', () => '2001:db8::1'],
  ['a function that promises it', async () => '2001:db8::1'],
  ['a function’s function', () => () => '2001:db8::1'],
  ['a function, in a list', () => ['ip', '2001:db8::1']],
  ['a part', ['ip', () => '2001:db8::1']],
  ['a policy’s function', { default: () => '2001:db8::1' }],
  [
    'firstOf',
    firstOf(
      () => undefined,
      ({ user = '2001:db8::1' }) => user,
    ),
  ],
  ['a function, with a port', () => '[2001:db8::1]:443'],
  ['a function, with a zone', () => 'fe80::1%eth0'],
])('warns once about a key that is a bare IPv6 address, from %s', async (_, key) => {
  const { limiter, warnings } = await anew()
  const guard = limiter({ ...byAddress, key: key ?? '' })
  await setImmediate()
  for (let i = 0; i < 3; i++) guard(viewOf({}))
  expect(await warnings()).toEqual(['SLUICE_ADDRESS_UNMASKED'])
})

test.each<[string, Options['key']]>([
  ['byIp', byIp()],
  ['byIp, in a list', [byIp(), byIp({ ipv6: 128 })]],
  ['a function that returns byIp', () => byIp()],
  ['an IPv4 address', () => '192.0.2.1'],
  ['an IPv4 address within IPv6', () => '::ffff:192.0.2.1'],
  ['an IPv4 address behind NAT64', () => '64:ff9b::192.0.2.1'],
  ['a network', () => '2001:db8::/64'],
  ['another key with colons', () => 'user:42'],
  ['another key with many colons', () => 'aa:bb:cc:dd:ee:ff'],
  ['an id of numbers', () => ['user', 42]],
  ['byUser', byUser(() => '2001:db8::1')],
])('does not warn about %s', async (_, key) => {
  const { limiter, warnings } = await anew()
  const guard = limiter({ ...byAddress, key: key ?? '' })
  await setImmediate()
  for (let i = 0; i < 3; i++) guard(viewOf({}, { address: '2001:db8::1', peer: '2001:db8::1' }))
  expect(await warnings()).toEqual([])
})

test('checks the first thousand requests only', async () => {
  const { limiter, warnings } = await anew()
  const guards = [1000, 1001].map((before) => ({ before, guard: limiter(options) }))
  await setImmediate()
  const seen: string[][] = []
  for (const { before, guard } of guards.toReversed()) {
    for (let i = 2; i < before; i++) guard(viewOf({}))
    const request = {}
    guard(viewOf(request))
    guard(viewOf(request))
    seen.push([...(await warnings())])
  }
  expect(seen).toEqual([[], ['SLUICE_COUNTED_TWICE']])
})

test('reads nothing for warnings after the first thousand requests', async () => {
  const { limiter } = await anew()
  const guard = limiter(byAddress)
  await setImmediate()
  let looked = 0
  const view = Object.defineProperty(viewOf({}), 'trustsEveryProxy', { get: () => looked++ < 0 })
  for (let i = 0; i < 1500; i++) guard(view)
  expect(looked).toBe(1000)
})

test('keeps no reference to a request', async () => {
  setFlagsFromString('--expose-gc')
  // Optimized code may keep a reference to the request during which it was compiled (V8 of Node 26).
  setFlagsFromString('--no-maglev')
  const collect: unknown = runInNewContext('gc')
  if (typeof collect !== 'function') throw new Error('no garbage collector')
  const { limiter } = await anew()
  const guard = limiter({ limit: 5000, window: '1m', key: [byIp(), 'x'], count: 'failures' })
  await setImmediate()
  const visited = Array.from({ length: 100 }, () => {
    const request = {}
    const answering = Object.assign(new EventEmitter(), {
      statusCode: 200,
      headersSent: false,
      writableEnded: true,
      end() {},
    })
    guard(viewOf(request), answering)
    answering.emit('finish')
    return [new WeakRef(request), new WeakRef(answering)]
  })
  await setImmediate()
  collect()
  await setImmediate()
  expect(visited.flat().filter((ref) => ref.deref() !== undefined)).toEqual([])
})

/** The warnings about users of requests: for each, whether its user is known at its start, and at its end. */
async function warningsOfUsers(
  requests: readonly (readonly [atStart: boolean, atEnd: boolean])[],
): Promise<string[]> {
  const { warnings } = await anew()
  const http = await import('../../../src/http/index.js')
  const find = http.byUser<{ user: string | undefined }>(({ user }) => user)
  const key = http.firstOf(find, http.byIp())
  const limit = { limit: 5000, window: '1m', key } as const
  const guard = http.createGuard<{ user: string | undefined }, never>(limit, '/')
  for (const [atStart, atEnd] of requests) {
    const raw = { user: atStart ? 'ada' : undefined }
    const exchange = new http.FetchExchange({})
    await guard.check({ ...viewOf({}), raw }, exchange, noHeaders)
    raw.user = atEnd ? 'ada' : undefined
    exchange.returned({ status: 200, body: null }, true)
    await exchange.settled
  }
  return warnings()
}

const late = [false, true] as const

test.each<[string, readonly (readonly [boolean, boolean])[], string[]]>([
  ['that are found after the limiter', [late, late, late], ['SLUICE_USER_LATE']],
  ['that log in', [late, late], []],
  ['that log in and then are known', [late, [true, true], late, late], []],
  ['that are unknown', [1, 2, 3].map(() => [false, false] as const), []],
])(
  'warns about users that count by another key, but not about others: %s',
  async (_, requests, codes) => {
    expect(await warningsOfUsers(requests)).toEqual(codes)
  },
)

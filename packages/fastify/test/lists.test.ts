import { expect, test } from 'vitest'
import { byIp, fixedWindow, memoryStore, rateLimit, type RateLimitOptions } from '../src/index.js'
import { create, serve, start, statuses, times } from './apps.js'

const hello = () => 'hello'
const hour = { limit: 3, window: '1h' }
const second = { limit: 1, window: '1s' }

/** An application with a clock that the test moves. */
async function appOf(list: readonly RateLimitOptions[]) {
  const time = { now: start }
  const app = create()
  await app.register(rateLimit, {
    global: false,
    algorithm: fixedWindow,
    clock: () => time.now,
  })
  app.get('/', { config: { rateLimit: list } }, hello)
  return { app, time }
}

test('a request that one limit of a list denies costs nothing in the others', async () => {
  const { app, time } = await appOf([hour, second])
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /', 'GET /')).toEqual([200, 429, 429])
  expect((await app.rateLimit.limiterOf('GET /').peek('ip:127.0.0.1')).policies).toMatchObject({
    default: { remaining: 2 },
    'default #2': { remaining: 0 },
  })
  time.now += 1000
  expect(await statuses(send, 'GET /')).toEqual([200])
  time.now += 1000
  expect(await statuses(send, 'GET /', 'GET /')).toEqual([200, 429])
  time.now += 1000
  expect(await statuses(send, 'GET /')).toEqual([429])
})

test('headers and body contain all limits of a list', async () => {
  const { app } = await appOf([hour, second])
  const send = await serve(app)
  const fields = ({ headers }: { headers: Readonly<Record<string, string>> }) => [
    headers['ratelimit-policy'],
    headers['ratelimit'],
  ]
  const policies = '"GET /";q=3;w=3600, "GET /-2";q=1;w=1'
  expect(fields(await send())).toEqual([policies, '"GET /";r=2;t=3600, "GET /-2";r=0;t=1'])
  const denied = await send()
  expect(fields(denied)).toEqual([policies, '"GET /";r=2;t=3600, "GET /-2";r=0;t=1'])
  expect([denied.headers['retry-after'], JSON.parse(denied.body)['violated-policies']]).toEqual([
    '1',
    ['GET /-2'],
  ])
})

test('policies with names keep them in a list', async () => {
  const { app } = await appOf([
    { policies: { burst: fixedWindow({ limit: 1, window: '1s' }) } },
    { policies: { day: fixedWindow({ limit: 9, window: '1d' }) } },
  ])
  expect((await (await serve(app))()).headers['ratelimit']).toBe(
    '"burst";r=0;t=1, "day";r=8;t=86400',
  )
})

test('limits that are functions of the request are all or nothing as well', async () => {
  const { app } = await appOf([
    { ...hour, limit: async () => 3 },
    { ...second, limit: ({ url }) => url.length },
  ])
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /', 'GET /')).toEqual([200, 429, 429])
  expect((await send('/?a')).headers['ratelimit']).toBe('"GET /";r=1;t=3600, "GET /-2";r=1;t=1')
})

test('limits of the same name are one limiter, which other routes with the same list share', async () => {
  const { app } = await appOf([
    { ...hour, name: 'search' },
    { ...second, name: 'search' },
  ])
  app.get(
    '/again',
    {
      config: {
        rateLimit: [
          { ...hour, name: 'search' },
          { ...second, name: 'search' },
        ],
      },
    },
    hello,
  )
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /again')).toEqual([200, 429])
  expect((await send()).headers['ratelimit']).toBe('"search";r=2;t=3600, "search-2";r=0;t=1')
})

const byUrl = ({ url }: { url: string }) => url

/** Options other than the policies. */
type Besides = Pick<RateLimitOptions, 'key' | 'deny' | 'wait'>

test.each<[string, Besides, RateLimitOptions]>([
  ['another key', {}, { ...second, key: byUrl }],
  ['another store', {}, { ...second, store: memoryStore() }],
  ['another name', {}, { ...second, name: 'other' }],
  ['another cost', {}, { ...second, cost: 1 }],
  ['another answer', {}, { ...second, body: 'no' }],
  ['keys by policy', { key: { default: byUrl } }, { ...second, key: { default: byUrl } }],
  ['policies for each request', {}, { policies: () => fixedWindow({ limit: 1, window: '1s' }) }],
])(
  'limits with %s are checked in order, and an earlier one is not refunded',
  async (_, first, other) => {
    const { app } = await appOf([{ ...hour, ...first }, other])
    const send = await serve(app)
    expect(await statuses(send, 'GET /', 'GET /', 'GET /', 'GET /')).toEqual([200, 429, 429, 429])
    expect((await send()).headers['retry-after']).toBe('3600')
  },
)

test.each<[string, Besides]>([
  ['the same string as a key', { key: 'all' }],
  ['the same parts as a key', { key: ['all', byUrl] }],
  ['the same list', { deny: ['192.0.2.1'] }],
  ['the same wait', { wait: { max: '1ms' } }],
])('limits with %s are merged', async (_, shared) => {
  const { app, time } = await appOf([
    { ...hour, ...structured(shared) },
    { ...second, ...structured(shared) },
  ])
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /', 'GET /')).toEqual([200, 429, 429])
  time.now += 1000
  expect(await statuses(send, 'GET /')).toEqual([200])
})

/** The same options in other objects. */
function structured(options: Besides): Besides {
  const copied = Object.entries(options).map(([name, value]): [string, unknown] => [
    name,
    Array.isArray(value) ? [...value] : Object(value) === value ? { ...Object(value) } : value,
  ])
  return Object.fromEntries(copied)
}

test('each options object of a list is checked at the start of the application', async () => {
  for (const [list, code] of [
    [[hour, { ...second, max: 5 }], 'SLUICE_OPTION_RENAMED'],
    [[hour, { limit: -1, window: '1s' }], 'SLUICE_OPTION_INVALID'],
    [[hour, { limit: 1 }], 'SLUICE_OPTION_MISSING'],
    [
      [hour, { ...second, policies: fixedWindow({ limit: 1, window: '1s' }) }],
      'SLUICE_OPTIONS_CONFLICT',
    ],
    [[hour, null], 'SLUICE_OPTIONS_INVALID'],
  ] as [RateLimitOptions[], string][]) {
    const { app } = await appOf(list)
    await expect(app.ready()).rejects.toMatchObject({ code })
  }
})

test('limits that inherit the key of the plugin are merged', async () => {
  const app = create()
  await app.register(rateLimit, { ...times(9), key: byIp() })
  app.get('/', { config: { rateLimit: [{ limit: 2 }, { limit: 1, window: '1s' }] } }, hello)
  const send = await serve(app)
  expect(await statuses(send, 'GET /', 'GET /', 'GET /')).toEqual([200, 429, 429])
  expect((await send()).headers['ratelimit']).toBe('"GET /";r=1;t=60, "GET /-2";r=0;t=1')
})

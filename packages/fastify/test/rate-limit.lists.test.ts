import { expect, test } from 'vitest'
import { fixedWindow, memoryStore, rateLimit, type RateLimitOptions } from '../src/index.js'
import { create, serve, start, statuses } from './apps.js'

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
  app.get('/', { config: { sluice: list } }, hello)
  return { app, time }
}

test('headers and body contain all limits of a list that were asked', async () => {
  const { app } = await appOf([hour, second])
  const send = await serve(app)
  const fields = ({ headers }: { headers: Readonly<Record<string, string>> }) => [
    headers['ratelimit-policy'],
    headers['ratelimit'],
  ]
  const policies = '"GET /";q=3;w=3600, "GET / #2";q=1;w=1'
  expect(fields(await send())).toEqual([policies, '"GET /";r=2;t=3600, "GET / #2";r=0;t=1'])
  const denied = await send()
  expect(fields(denied)).toEqual([policies, '"GET /";r=1;t=3600, "GET / #2";r=0;t=1'])
  expect([denied.headers['retry-after'], JSON.parse(denied.body)['violated-policies']]).toEqual([
    '1',
    ['GET / #2'],
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

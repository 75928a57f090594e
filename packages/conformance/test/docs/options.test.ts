import { EventEmitter } from 'node:events'
import { readFileSync } from 'node:fs'
import { limitedFetch } from '@sluice/client'
import * as core from '@sluice/core'
import { databaseStore } from '@sluice/core/database'
import { byIp } from '@sluice/core/http'
import type { PolicyKind } from '@sluice/core/internal'
import { createDashboard, redisView } from '@sluice/dashboard'
import { rateLimit as onExpress } from '@sluice/express'
import { rateLimit as onKoa } from '@sluice/koa'
import { postgresSchema, postgresStore } from '@sluice/postgres'
import { MapDatabase } from '@sluice/test-kit/map-database'
import { sqliteDrivers } from '@sluice/test-kit/sqlite'
import { limitEvents, limitMessages } from '@sluice/sockets'
import { sqliteStore } from '@sluice/sqlite'
import { describe, expect, test } from 'vitest'
import { optionTables, required, type Stated } from './options-page.js'

const [sqlite] = sqliteDrivers()

/** A function, called without types as from JavaScript. */
type Untyped = (options: never) => unknown

const { fixedWindow, slidingWindow, gcra } = core
const limiter = core.createLimiter({ name: 'test', policies: gcra({ limit: 9, window: '1h' }) })
const nowhere = { isCluster: false, evalSha: async () => {}, eval: async () => {} }
const webSocket = {
  bufferedAmount: 0,
  isPaused: false,
  send() {},
  close() {},
  pause() {},
  resume() {},
}
const window = { limit: 7, window: '1m' }

/** A function, its required options, and the tables of all its options. */
const functions: readonly (readonly [name: string, Untyped, needed: object, tables: string[]])[] = [
  [
    'rateLimit of @sluice/express',
    onExpress,
    window,
    [
      'core/src/http/options/options.ts#RateLimitOptions',
      'core/src/limiter/limiter-options.ts#CommonOptions',
    ],
  ],
  [
    'rateLimit of @sluice/koa',
    onKoa,
    window,
    [
      'core/src/http/options/options.ts#RateLimitOptions',
      'core/src/limiter/limiter-options.ts#CommonOptions',
    ],
  ],
  [
    'createLimiter',
    core.createLimiter,
    { name: 'test', policies: fixedWindow({ limit: 1, window: '1m' }) },
    [
      'core/src/limiter/limiter-options.ts#AllLimiterOptions',
      'core/src/limiter/limiter-options.ts#CommonOptions',
    ],
  ],
  [
    'peek',
    (options) => limiter.peek('key', options),
    {},
    [
      'core/src/limiter/arguments.ts#PeekOptions',
      'core/src/limiter/limiter-policies.ts#PolicyChoice',
    ],
  ],
  [
    'consume',
    (options) => limiter.consume('key', options),
    {},
    [
      'core/src/limiter/arguments.ts#PeekOptions',
      'core/src/limiter/arguments.ts#ConsumeOptions',
      'core/src/limiter/limiter-policies.ts#PolicyChoice',
    ],
  ],
  [
    'consumeMany',
    (options) => limiter.consumeMany([options]),
    { key: 'key' },
    [
      'core/src/limiter/arguments.ts#PeekOptions',
      'core/src/limiter/arguments.ts#KeyAndCost',
      'core/src/limiter/limiter-policies.ts#PolicyChoice',
    ],
  ],
  [
    'acquire',
    (options) => limiter.acquire('key', options),
    {},
    [
      'core/src/limiter/arguments.ts#PeekOptions',
      'core/src/limiter/acquire.ts#AcquireOptions',
      'core/src/limiter/limiter-policies.ts#PolicyChoice',
    ],
  ],
  [
    'refund',
    (options) => limiter.refund(limiter.peek('key'), options),
    {},
    ['core/src/limiter/arguments.ts#RefundOptions'],
  ],
  [
    'reset',
    (options) => limiter.reset('key', options),
    {},
    [
      'core/src/limiter/arguments.ts#ResetOptions',
      'core/src/limiter/arguments.ts#ChangeOptions',
      'core/src/limiter/limiter-policies.ts#PolicyChoice',
    ],
  ],
  [
    'grant',
    (options) => limiter.grant('key', 1, options),
    { for: '1m' },
    [
      'core/src/limiter/limiter.ts#GrantOptions',
      'core/src/limiter/arguments.ts#ChangeOptions',
      'core/src/limiter/limiter-policies.ts#PolicyChoice',
    ],
  ],
  [
    'limited',
    (options) => core.limited(limiter, () => ({ key: 'key' }), options),
    {},
    ['core/src/limited/limited-options.ts#LimitedOptions'],
  ],
  [
    'what a call of a limited function consumes',
    (call) => core.limited(limiter, () => call)(() => 'done')(),
    { key: 'key' },
    [
      'core/src/limiter/arguments.ts#PeekOptions',
      'core/src/limiter/limiter-policies.ts#PolicyChoice',
      'core/src/limited/limited-options.ts#LimitedCall',
    ],
  ],
  [
    'limitEvents',
    (options) => limitEvents(limiter, options),
    {},
    ['sockets/src/limit.ts#SocketLimitOptions'],
  ],
  [
    'limitedFetch',
    (options) => limitedFetch(limiter, options),
    {},
    ['client/src/limited-fetch.ts#CallOptions', 'client/src/limited-fetch.ts#FetchOptions'],
  ],
  [
    'limitMessages',
    (options) => limitMessages(Object.assign(new EventEmitter(), webSocket), limiter, options),
    { onMessage() {} },
    ['sockets/src/limit.ts#SocketLimitOptions', 'sockets/src/messages.ts#MessageOptions'],
  ],
  [
    'createDashboard',
    createDashboard,
    { limiters: {}, authorize: () => undefined },
    ['dashboard/src/dashboard.ts#DashboardOptions'],
  ],
  [
    'redisView',
    (options) => redisView(nowhere, options),
    {},
    ['dashboard/src/share/redis-view.ts#RedisViewOptions'],
  ],
  ['memoryStore', core.memoryStore, {}, ['core/src/stores/memory/index.ts#MemoryStoreOptions']],
  [
    'redisStore',
    (options) => core.redisStore(nowhere, options),
    {},
    ['core/src/stores/redis/index.ts#RedisStoreOptions'],
  ],
  [
    'restClient',
    core.restClient,
    { url: 'https://localhost', token: 'a' },
    ['core/src/stores/redis/rest-client.ts#RestClientOptions'],
  ],
  [
    'databaseStore',
    (options) => databaseStore(new MapDatabase(), options),
    {},
    ['core/src/stores/database/database-store.ts#DatabaseStoreOptions'],
  ],
  [
    'sqliteStore',
    (options) => sqliteStore(sqlite.open(':memory:'), options),
    {},
    [
      'core/src/stores/database/database-store.ts#DatabaseStoreOptions',
      'sqlite/src/sqlite-store.ts#SqliteStoreOptions',
    ],
  ],
  [
    'postgresStore',
    (options) => postgresStore({ query: async () => ({ rows: [] }) }, options),
    {},
    [
      'postgres/src/postgres-store.ts#PostgresStoreOptions',
      'postgres/src/schema.ts#PostgresSchemaOptions',
      'core/src/stores/database/database-store.ts#DatabaseStoreOptions',
    ],
  ],
  ['postgresSchema', postgresSchema, {}, ['postgres/src/schema.ts#PostgresSchemaOptions']],
  ['byIp', byIp, {}, ['core/src/http/keys/by-ip.ts#ByIpOptions']],
  [
    'block',
    (block) => fixedWindow({ limit: 1, window: '1m', block }),
    { for: '1m' },
    ['core/src/policy.ts#BlockOptions'],
  ],
]

const steady = { capacity: 5, every: '1s' }
const day = { limit: 5, period: 'day', timeZone: 'UTC' }

/** The builders. A built policy contains the defaults. */
const builders: Readonly<
  Record<Exclude<PolicyKind, 'unlimited'>, readonly [Untyped, needed: object, table: string]>
> = {
  fixedWindow: [fixedWindow, window, 'fixed-window/index.ts#FixedWindowOptions'],
  calendarWindow: [core.calendarWindow, day, 'calendar-window/index.ts#CalendarWindowOptions'],
  slidingWindow: [slidingWindow, window, 'sliding-window/index.ts#SlidingWindowOptions'],
  slidingLog: [core.slidingLog, window, 'sliding-log/index.ts#SlidingLogOptions'],
  tokenBucket: [core.tokenBucket, { ...steady, refill: 2 }, 'gcra/index.ts#TokenBucketOptions'],
  leakyBucket: [core.leakyBucket, { ...steady, leak: 2 }, 'gcra/index.ts#LeakyBucketOptions'],
  leakyQueue: [
    core.leakyQueue,
    { leak: 2, every: '1s', maxDelay: 0 },
    'leaky-queue/index.ts#LeakyQueueOptions',
  ],
  gcra: [gcra, window, 'gcra/index.ts#GcraOptions'],
  concurrency: [
    core.concurrency,
    { limit: 5, lease: '1s' },
    'concurrency/index.ts#ConcurrencyOptions',
  ],
  staged: [
    core.staged,
    { free: gcra({ limit: 5, window: '1h' }), then: gcra({ limit: 1, window: '1s' }) },
    'staged/index.ts#StagedOptions',
  ],
}

const tables = optionTables()
const all = [
  ...functions,
  ...Object.entries(builders).map(
    ([name, [call, needed, table]]) =>
      [name, call, needed, [`core/src/algorithms/${table}`]] as const,
  ),
]

test('the page has one table for each set of options, and no other table', () => {
  const elsewhere = [
    'fastify/src/options.ts#PluginSettings',
    'fetch/src/fetch-adapter.ts#AddressSetting',
    'fetch/src/next.ts#NextSetting',
    'nestjs/src/options.ts#Scoped',
    'nestjs/src/options.ts#Reach',
  ]
  const known = new Set([...all.flatMap(([, , , names]) => names), ...elsewhere])
  expect([...tables.keys()].toSorted()).toEqual(
    [...known].map((name) => `packages/${name}`).toSorted(),
  )
})

describe.each(all)('%s', (name, call, needed, names) => {
  // The page states the option `block` once for all builders.
  const ofAll = name in builders ? { block: '–' } : {}
  const stated: Stated = Object.assign(ofAll, ...names.map((one) => tables.get(`packages/${one}`)))

  test('accepts the options that the page names, and no others', async () => {
    const { code, message } = await failureOf(call, { ...needed, nonsense: 1 })
    expect(code).toBe('SLUICE_OPTION_UNKNOWN')
    const [, known] = message.split('It takes ')
    expect(known.match(/\w+/g)?.toSorted()).toEqual(Object.keys(stated).toSorted())
  })

  test('requires the options that the page calls required, and no others', async () => {
    await call(needed as never)
    const said = Object.keys(stated).filter((option) => stated[option] === required)
    // `rateLimit` accepts a limit in several forms, so no single option is required.
    if (call === onExpress || call === onKoa) return expect(said).toEqual([])
    if (call === core.createLimiter) return expect(said).toEqual(['name'])
    expect(said.toSorted()).toEqual(Object.keys(needed).toSorted())
    for (const option of said) {
      expect((await failureOf(call, { ...needed, [option]: undefined })).code).toMatch(
        /^SLUICE_(?:OPTION_MISSING|OPTIONS_INVALID|KEY_INVALID)$/,
      )
    }
  })
})

test.each([
  ['README.md', /\*\*Complete\.\*\* (\d+) algorithms/],
  ['README.md', /\| Algorithms \| (\d+) \|/],
  ['packages/docs/README.md', /The (\d+) algorithms/],
])('%s states the number of algorithms', (page, number) => {
  const text = readFileSync(new URL(`../../../../${page}`, import.meta.url), 'utf8')
  // The list of builders has all of them but `unlimited`.
  expect(number.exec(text)?.[1]).toBe(`${Object.keys(builders).length + 1}`)
})

test.each(Object.entries(builders))(
  'a policy of %s has the defaults that the page states',
  (_name, [build, needed, table]) => {
    const stated = tables.get(`packages/core/src/algorithms/${table}`) ?? {}
    const built: object = Object(build(needed as never))
    for (const [option, absent] of Object.entries(stated)) {
      if (absent === required) continue
      const expected = absent === '–' ? undefined : valueOf(absent, built)
      expect([option, Reflect.get(built, option)]).toEqual([option, expected])
    }
  },
)

test('a block has the defaults that the page states', () => {
  const { for: _, ...stated } = tables.get('packages/core/src/policy.ts#BlockOptions') ?? {}
  const { block } = fixedWindow({ limit: 1, window: '1m', block: { for: '1m' } })
  const tenYears = 10 * 365.25 * 24 * 60 * 60 * 1000
  expect(stated).toEqual({ on: `'reached'`, escalate: '1', max: 'ten years' })
  expect(block).toEqual({ for: 60_000, on: 'reached', escalate: 1, max: tenYears })
})

/** A literal value, or the value of another option. */
function valueOf(text: string, built: object): unknown {
  return text in built ? Reflect.get(built, text) : JSON.parse(text.replaceAll(`'`, '"'))
}

async function failureOf(call: Untyped, options: object): Promise<core.SluiceError> {
  try {
    await call(options as never)
  } catch (error) {
    if (error instanceof core.SluiceError) return error
    throw error
  }
  throw new Error('nothing was refused')
}

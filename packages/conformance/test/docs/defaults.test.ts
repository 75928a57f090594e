import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once as onceEvent } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Controller, Get, Module } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { limitedFetch } from '@sluice/client'
import * as core from '@sluice/core'
import { databaseStore } from '@sluice/core/database'
import { createGuard, type Action, type RateLimitOptions } from '@sluice/core/http'
import { createDashboard, redisView, type View } from '@sluice/dashboard'
import { rateLimit as fastifyPlugin } from '@sluice/fastify'
import { rateLimit as fetchLimit } from '@sluice/fetch'
import { proxyLimit } from '@sluice/fetch/next'
import { RateLimit, RateLimitModule } from '@sluice/nestjs'
import { postgresSchema, postgresStore } from '@sluice/postgres'
import fastify from 'fastify'
import pg from 'pg'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { MapDatabase } from '@sluice/test-kit/map-database'
import { sqliteDrivers } from '@sluice/test-kit/sqlite'
import { limitConnections, limitEvents, type IoSocket } from '@sluice/sockets'
import { sqliteStore } from '@sluice/sqlite'
import { usePostgres } from '@sluice/test-kit/postgres'
import { useRedis } from '@sluice/test-kit/redis'
import { optionTables, required } from './options-page.js'

const { createLimiter, fixedWindow, gcra, slidingLog, slidingWindow } = core

const redis = useRedis()
const postgres = usePostgres()

const ok = { status: 200, headers: new Headers() }
const once = fixedWindow({ limit: 1, window: '1h' })
const nine = gcra({ limit: 9, window: '1h' })

/** The options with a default, except those of the builders, by their tables. Each function returns the observed default in the words of the page. */
const seen: Readonly<Record<string, Readonly<Record<string, () => unknown>>>> = {
  'core/src/http/options/options.ts#RateLimitOptions': {
    algorithm: async () => usualAlgorithm(guard),
    name: async () => `'${(await told({ policies: once })).limiter}'`,
    key: async () =>
      (await told({ policies: once })).keys['default'] === 'ip:192.0.2.1' && 'byIp()',
    cost: async () => (await told({ policies: once })).cost,
    count: async () => (await counts(200)) && (await counts(404)) && `'all'`,
    dryRun: async () => isAdmitted(await denied({})),
    async headers() {
      const [whole, dry] = [await denied({}), await denied({ dryRun: true })]
      return `'${styleOf(whole)}', in a dry run '${styleOf(dry)}'`
    },
    releaseOn: async () => (await releases()) && `'done'`,
    async partitionKey() {
      const { headers } = await denied({})
      return Object.fromEntries(headers)['RateLimit'].includes('pk=')
    },
    statusCode: async () => Object(await denied({})).status,
    async body() {
      const actions = [await denied({}, '*/*'), await denied({}, 'text/plain')]
      const types = actions.map(({ headers }) => headers.at(-1)?.[1])
      expect(types).toEqual(['application/problem+json', 'text/plain; charset=utf-8'])
      return 'a problem (RFC 9457), or plain text if the client prefers it'
    },
  },
  'fastify/src/options.ts#PluginSettings': {
    global: async () => (await onFastify()).includes('denied'),
    // A hook of the next kind runs after the limit, even if it was added before the plugin.
    hook: async () => (await onFastify()).includes('counted') && `'onRequest'`,
  },
  'fetch/src/fetch-adapter.ts#AddressSetting': {
    async address() {
      const headers = { 'x-forwarded-for': '192.0.2.9', 'cf-connecting-ip': '192.0.2.9' }
      const limit = fetchLimit({ policies: once })
      const request = new Request('http://localhost/', { headers })
      const key = await limit.keyOf(request, { address: '192.0.2.1' })
      return key === 'ip:192.0.2.1' && 'the address that the runtime reports'
    },
  },
  'fetch/src/next.ts#NextSetting': {
    async next() {
      const proxy = proxyLimit({ policies: once, key: 'all' })
      const { headers } = await proxy(new Request('http://localhost/'), { waitUntil() {} })
      return headers.get('x-middleware-next') === '1' && 'the request continues to its route'
    },
  },
  'nestjs/src/options.ts#Scoped': {
    async scope() {
      expect(await onNest()).toEqual(['default', 'Whole', 'Single.read'])
      return `'route' on a method, 'controller' on a class, 'global' for the module`
    },
  },
  'nestjs/src/options.ts#Reach': { global: async () => (await onNest()).includes('default') },
  // Those of `rateLimit` and of `createLimiter`.
  'core/src/limiter/limiter-options.ts#CommonOptions': {
    store: async () =>
      isAdmitted(await guard({ policies: once })()) &&
      (limiterOf({}).consume('key') instanceof Promise || 'memoryStore()'),
    clock: async () =>
      (await passes(guard({ policies: brief }))) &&
      (await passes(() => limiterOf({ policies: brief }).peek('key'))) &&
      `the store's own time`,
    async onStoreError() {
      const { decision } = await told({ policies: once, store: gone() })
      const { source } = await limiterOf({ store: gone() }).consume('key')
      return decision.source === 'fallback' && source === 'fallback' && `'local'`
    },
    async localShare() {
      const { decision } = await told({ policies: nine, store: gone() })
      const { limit } = await limiterOf({ policies: nine, store: gone() }).consume('key')
      return decision.limit === limit && limit / 9
    },
  },
  'core/src/limiter/limiter-options.ts#AllLimiterOptions': {
    algorithm: async () =>
      usualAlgorithm((options) => {
        const limiter = core.createLimiter({ name: 'test', ...options })
        return () => limiter.consume('key')
      }),
    async denyCache() {
      const limiter = limiterOf({ store: core.redisStore(redis.client()) })
      for (let i = 0; i < 2; i++) await limiter.consume('key')
      return (await limiter.consume('key')).source === 'local'
    },
  },
  'core/src/limiter/arguments.ts#PeekOptions': {
    async cost() {
      const limiter = limiterOf({ policies: nine })
      const { remaining } = limiter.consume('key')
      await limiter.acquire('key')
      await core.limited(limiter, () => ({ key: 'key' }))(() => 'done')()
      return limiter.peek('key').remaining === 9 - 3 && 9 - remaining
    },
  },
  'core/src/limiter/arguments.ts#ConsumeOptions': {
    owner() {
      const limiter = limiterOf({ policies: core.concurrency({ limit: 2, lease: '1h' }) })
      const grants = [1, 2, 3].map(() => limiter.consume('key').allowed)
      return grants.join() === 'true,true,false' && 'each request has an owner of its own'
    },
    async mode() {
      const [{ mode }] = await onChannel<core.DecisionEvent>('sluice:decision', async () => {
        limiterOf({}).consume('key')
      })
      return `'${mode}'`
    },
  },
  'core/src/limiter/acquire.ts#AcquireOptions': {
    async maxWait() {
      const limiter = limiterOf({ policies: brief })
      limiter.consume('key')
      return (await limiter.acquire('key')).allowed && 'no bound'
    },
  },
  'core/src/limiter/arguments.ts#ResetOptions': {
    unblock() {
      const limiter = limiterOf({})
      limiter.block('key', '1h')
      return limiter.reset('key')
    },
  },
  'client/src/limited-fetch.ts#CallOptions': {
    async maxWait() {
      const limiter = limiterOf({ policies: once })
      const waits: unknown[] = []
      const acquire: core.Limiter['acquire'] = async (key, options) => {
        waits.push(options?.maxWait)
        return limiter.acquire(key, options)
      }
      await limitedFetch({ ...limiter, acquire }, { fetch: async () => ok })('http://localhost')
      return waits[0] === 30_000 && `'30s'`
    },
    async retries() {
      let sent = 0
      const refused = { status: 429, headers: new Headers({ 'Retry-After': '0' }) }
      const fetch = async () => (sent++, refused)
      await limitedFetch(limiterOf({ policies: nine }), { fetch })('http://localhost')
      return sent - 1
    },
    async retryByIdempotencyKey() {
      let sent = 0
      const refused = { status: 429, headers: new Headers({ 'Retry-After': '0' }) }
      const fetch = async (_url: string, _init?: RequestInit) => (sent++, refused)
      const call = limitedFetch(limiterOf({ policies: nine }), { fetch })
      await call('http://localhost', { method: 'POST', headers: { 'Idempotency-Key': 'a' } })
      return sent > 1
    },
    async key() {
      const limiter = limiterOf({ policies: nine })
      await limitedFetch(limiter, { fetch: async () => ok })('http://localhost:3000/a')
      return limiter.status('localhost:3000').policies['default'].used === 1 && 'the host'
    },
  },
  'client/src/limited-fetch.ts#FetchOptions': {
    async fetch() {
      const call = limitedFetch(limiterOf({ policies: nine }))
      const failure = await call('http://127.0.0.1:9').catch((error: unknown) => error)
      return failure instanceof TypeError && 'globalThis.fetch'
    },
  },
  'sockets/src/limit.ts#SocketLimitOptions': {
    async key() {
      const keys = (await askedBySocket()).map(({ key }) => key)
      expect(keys).toEqual(['ip:192.0.2.1', 'connection:one'])
      return '`byIp()` for connections and upgrades, `byConnection()` for events and messages'
    },
    async cost() {
      const [first, ...others] = await askedBySocket()
      return others.every(({ cost }) => cost === first.cost) && first.cost
    },
    async address() {
      const [{ key }] = await askedBySocket()
      return key === 'ip:192.0.2.1' && 'the address of the connection'
    },
  },
  'core/src/limited/limited-options.ts#LimitedOptions': {
    async maxHold() {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] })
      onTestFinished(() => void vi.useRealTimers())
      const warned = onceEvent(process, 'warning')
      const limiter = limiterOf({ policies: core.concurrency({ limit: 1, lease: '10m' }) })
      void core.limited(limiter, () => ({ key: 'key' }))(async () => new Promise(() => {}))()
      for (let i = 0; i < 60; i++) await vi.advanceTimersByTimeAsync(60_000)
      return /for 3600000 ms/.test(String(await warned)) && "'1h'"
    },
    async onDenied() {
      const call = core.limited(limiterOf({ policies: never }), () => ({ key: 'key' }))(
        () => 'done',
      )
      const error: unknown = await call().catch((error: unknown) => error)
      return error instanceof core.DeniedError && 'a rejection with a DeniedError'
    },
  },
  'core/src/stores/memory/index.ts#MemoryStoreOptions': {
    maxKeys() {
      const store = core.memoryStore()
      const limiter = limiterOf({ store, policies: nine })
      for (let i = 0; i < 110_000; i++) limiter.consume(`${i}`)
      return store.size
    },
  },
  'dashboard/src/dashboard.ts#DashboardOptions': {
    async mask() {
      const [{ key }] = (await viewed()).limiters[0].top.requests.keys
      return key === '(hidden)' && 'no text'
    },
    async sample() {
      const [{ count }] = (await viewed()).limiters[0].top.requests.keys
      return count / 3
    },
    async clock() {
      const before = Date.now()
      const { at } = await viewed()
      return at >= before && at <= Date.now() && 'Date.now'
    },
  },
  'dashboard/src/share/redis-view.ts#RedisViewOptions': {
    async prefix() {
      await redisView(redis.client()).write('process', '{}', [])
      const [name] = await redis.connection.keys('*::{view}')
      return `'${name.slice(0, name.indexOf(':'))}'`
    },
  },
  'core/src/stores/redis/index.ts#RedisStoreOptions': {
    async prefix() {
      const client = redis.client()
      await createLimiter({
        name: 'prefix',
        policies: once,
        store: core.redisStore(client),
      }).consume('key')
      const [key] = await client.keys('*:prefix:*')
      return prefixOf(key)
    },
    async timeout() {
      const silent = { isCluster: false, evalSha: forever, eval: forever }
      const errors = await onChannel<core.StoreErrorEvent>('sluice:store:error', async () => {
        await limiterOf({ store: core.redisStore(silent) }).consume('key')
      })
      return /within (\d+) ms/.exec(errors[0].error.message)?.[1]
    },
  },
  'core/src/stores/redis/rest-client.ts#RestClientOptions': {
    async fetch() {
      const sent = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'))
      const client = core.restClient({ url: 'https://localhost', token: 'a' })
      await limiterOf({ store: core.redisStore(client) }).consume('key')
      const urls = sent.mock.calls.map(([url]) => url)
      sent.mockRestore()
      return urls.includes('https://localhost/') ? 'the global `fetch`' : undefined
    },
  },
  'core/src/stores/database/database-store.ts#DatabaseStoreOptions': {
    async prefix() {
      const database = new MapDatabase()
      await limiterOf({ store: databaseStore(database) }).consume('key')
      const [key] = database.rows.keys()
      return prefixOf(key)
    },
    async timeout() {
      const silent = new MapDatabase({ before: forever })
      const errors = await onChannel<core.StoreErrorEvent>('sluice:store:error', async () => {
        await limiterOf({ store: databaseStore(silent) }).consume('key')
      })
      return /within (\d+) ms/.exec(errors[0].error.message)?.[1]
    },
    async rememberedRows() {
      const database = new MapDatabase()
      const store = databaseStore(database, { timeout: '1m' })
      const limiter = limiterOf({ store, policies: nine })
      for (let i = 0; i < 10_001; i++) await limiter.consume(`${i}`)
      /** The saves of a further request: a row that is not remembered is taken for a new one first. */
      const savesFor = async (key: string): Promise<number> => {
        const before = database.calls.save
        await limiter.consume(key)
        return database.calls.save - before
      }
      return (await savesFor('1')) === 1 && (await savesFor('0')) === 2 && 10_000
    },
  },
  'sqlite/src/sqlite-store.ts#SqliteStoreOptions': {
    async table() {
      const connection = sqliteDrivers()[0].open(':memory:')
      sqliteStore(connection)
      const tables = connection.prepare('select name from sqlite_master')
      return `'${String(Object.values(tables.get() ?? {})[0])}'`
    },
  },
  'postgres/src/postgres-store.ts#PostgresStoreOptions': {
    async prepare() {
      const client = await connected()
      await client.query(postgresSchema())
      await limiterOf({ store: postgresStore(client, { timeout: '10s' }) }).consume('key')
      const named = "select name from pg_prepared_statements where name like 'sluice-%'"
      return (await client.query(named)).rows.length > 0
    },
    async migrate() {
      const store = postgresStore(await connected(), { table: 'absent', timeout: '10s' })
      const { source } = await limiterOf({ store }).consume('key')
      return source !== 'fallback'
    },
  },
  'postgres/src/schema.ts#PostgresSchemaOptions': {
    schema: async () => `'${(await createdTable()).schemaname}'`,
    table: async () => `'${(await createdTable()).tablename}'`,
    logged: async () => (await createdTable()).relpersistence === 'p',
  },
  'core/src/http/keys/by-ip.ts#ByIpOptions': {
    async ipv6() {
      const { keys } = await told({ policies: once }, '2001:db8:1:2:3:4:5:6')
      return keys['default'].split('/')[1]
    },
  },
}

/** The prefix of the name of a state. The name of the limiter and the number of the layout follow it. */
function prefixOf(name: string): string {
  return `'${/^(.*):[^:]*:1\{/.exec(name)?.[1]}'`
}

/** A connection to the PostgreSQL of this file, until the test ends. */
async function connected(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: postgres.url })
  onTestFinished(() => client.end())
  await client.connect()
  return client
}

/** The table that `postgresSchema` makes. */
async function createdTable() {
  const client = await connected()
  await client.query(postgresSchema())
  const tables = await client.query(
    `select schemaname, tablename, relpersistence from pg_tables join pg_class on oid = format('%I.%I', schemaname, tablename)::regclass
     where schemaname not in ('pg_catalog', 'information_schema')`,
  )
  return tables.rows[0]
}

const tables = [...optionTables()].filter(([source]) => !/algorithms|policy\.ts/.test(source))

describe.each(tables)('%s', (source, stated) => {
  const own = seen[source.replace('packages/', '')] ?? {}
  const withDefault = Object.keys(stated).filter((name) => ![required, '–'].includes(stated[name]))

  test('every default of the table has a test', () => {
    expect(Object.keys(own).toSorted()).toEqual(withDefault.toSorted())
  })

  test.each(withDefault)('%s', async (name) => {
    expect(String(await own[name]())).toBe(stated[name].replace(/(?<=\d)_/g, ''))
  })
})

/** The keys and the costs that the limits of connections and of events ask for, by default. */
async function askedBySocket(): Promise<
  readonly { readonly key: unknown; readonly cost: unknown }[]
> {
  const asked: { key: unknown; cost: unknown }[] = []
  const limiter = limiterOf({})
  const recording: core.Limiter = {
    ...limiter,
    consume(key, options) {
      asked.push({ key, cost: options?.cost })
      return limiter.consume(key, options)
    },
  }
  const on = () => {}
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  const socketOf = (use: IoSocket['use']): IoSocket => ({
    id: 'one',
    connected: true,
    handshake: { address: '192.0.2.1', url: '/', headers },
    conn: { readyState: 'open', once: on },
    use,
    listenerCount: () => 0,
    once: on,
    removeListener: on,
  })
  await new Promise((next) => limitConnections(recording)(socketOf(on), next))
  await new Promise((next) =>
    limitEvents(recording)(
      socketOf((limit) => limit(['event'], next)),
      on,
    ),
  )
  return asked
}

type Options = RateLimitOptions<unknown, () => unknown>

const builders = { fixedWindow, gcra, slidingLog, slidingWindow }
const brief = fixedWindow({ limit: 1, window: '30ms' })
const never = fixedWindow({ limit: 0, window: '1h' })

/** The name of the builder that makes the policy of `limit` and `window` if the options contain none. */
async function usualAlgorithm(
  callsOf: (options: ShortForm) => () => unknown,
): Promise<string | undefined> {
  // Four units in the last minute and a half leave a different remaining number for each algorithm, or that of one later in the list.
  const left = async (options: Pick<ShortForm, 'algorithm'>): Promise<number> => {
    let now = Date.UTC(2030, 0, 1)
    const call = callsOf({ ...options, limit: 5, window: '1m', clock: () => now })
    await call()
    now += 50_000
    for (let i = 0; i < 3; i++) await call()
    now += 40_000
    const [{ decision }] = await onChannel<core.DecisionEvent>('sluice:decision', async () => {
      await call()
    })
    return decision.remaining
  }
  const usual = await left({})
  for (const [name, algorithm] of Object.entries(builders)) {
    if ((await left({ algorithm })) === usual) return name
  }
  return undefined
}

interface ShortForm {
  readonly limit: number
  readonly window: core.Duration
  readonly clock: core.Clock
  readonly algorithm?: core.Algorithm
}

function limiterOf<S extends core.Store = core.MemoryStore>(
  options: { readonly policies?: core.Policies } & Partial<
    Omit<core.LimiterOptions<S>, 'policies' | 'limit' | 'window' | 'algorithm'>
  >,
): core.Limiter<S> {
  return createLimiter<S>({ name: 'test', policies: once, ...options })
}

/** The store of a Redis that cannot be reached. */
function gone(): core.AsyncStore {
  const fail = async (): Promise<never> => Promise.reject(new Error('nobody listens'))
  return core.redisStore({ isCluster: false, evalSha: fail, eval: fail })
}

async function forever(): Promise<never> {
  return new Promise(() => {})
}

/** A guard in front of this response, which is over when `end` is called. */
function guard(
  options: Options,
  address = '192.0.2.1',
  accept = '*/*',
  response = answer(200),
): () => Promise<Action<unknown>> {
  const made = createGuard(options, undefined, true)
  const view = {
    address,
    peer: address,
    method: 'GET',
    url: '/',
    route: undefined,
    headers: { accept },
  }
  const noHeaders = { getHeader: () => undefined }
  return () => made.check({ raw: {}, trustsEveryProxy: false, ...view }, response, noHeaders)
}

function answer(statusCode: number) {
  const listeners: (() => void)[] = []
  return {
    statusCode,
    headersSent: false,
    writableEnded: true,
    once: (_event: string, listener: () => void) => listeners.push(listener),
    off: () => {},
    end: () => listeners.splice(0, 1).forEach((listener) => listener()),
  }
}

function isAdmitted(action: unknown): boolean {
  return Object(action).type === 'continue'
}

/** The action for a request that exceeds the limit. */
function denied(options: Options, accept?: string): Promise<Action<unknown>> {
  return guard({ policies: never, ...options }, undefined, accept)()
}

function styleOf({ headers }: Action<unknown>): string {
  const names = new Set(headers.map(([name]) => name))
  const draft = names.has('RateLimit')
  const legacy = names.has('X-RateLimit-Limit')
  return [draft && 'draft', legacy && 'legacy'].filter(Boolean).join(' and ') || 'none'
}

/** Whether the unit of a request whose client has disconnected is released when its handler is done, and not earlier. */
async function releases(): Promise<boolean> {
  const policy = core.concurrency({ limit: 1, lease: '1h' })
  const response = { ...answer(200), writableEnded: false }
  const visit = guard({ policies: policy, key: 'all' }, undefined, undefined, response)
  await visit()
  // The first end is that of the connection: the handler is still running.
  response.end()
  const held = !isAdmitted(await visit())
  response.end()
  return held && isAdmitted(await visit())
}

/** Whether a request with this response status has been counted. */
async function counts(status: number): Promise<boolean> {
  const response = answer(status)
  const visit = guard({ policies: once }, undefined, undefined, response)
  await visit()
  response.end()
  return !isAdmitted(await visit())
}

/** Whether the default clock advances: a key over its limit is allowed a moment later. */
async function passes(ask: () => unknown): Promise<boolean> {
  await ask()
  await sleep(40)
  const action = await ask()
  return isAdmitted(action) || Object(action).allowed === true
}

/** The decision event of one request. */
async function told(options: Options, address?: string): Promise<core.DecisionEvent> {
  const events = await onChannel<core.DecisionEvent>('sluice:decision', async () => {
    await guard(options, address)()
  })
  return events[0]
}

async function onChannel<E>(channel: string, act: () => Promise<void>): Promise<E[]> {
  const events: E[] = []
  const listen = (event: unknown) => void events.push(event as E)
  subscribe(channel, listen)
  await act()
  unsubscribe(channel, listen)
  return events
}

async function onFastify(): Promise<string[]> {
  const app = fastify()
  const facts: string[] = []
  app.addHook('preParsing', async (request) => {
    if (request.rateLimit !== undefined) facts.push('counted')
  })
  await app.register(fastifyPlugin, { policies: once })
  app.get('/', async () => 'Hello.')
  await app.inject('/')
  if ((await app.inject('/')).statusCode === 429) facts.push('denied')
  await app.close()
  return facts
}

/** The names of the limits of a module, of a class and of a method. */
async function onNest(): Promise<string[]> {
  class Plain {
    read(): string {
      return 'Hello.'
    }
  }
  class Whole extends Plain {}
  class Single extends Plain {}
  RateLimit({})(Whole)
  const controllers = [Plain, Whole, Single].map((type) => {
    Controller(type.name)(type)
    // Each class needs its own function, because decorators store their metadata on it.
    const descriptor = { value: () => 'Hello.', configurable: true, enumerable: true }
    Get()(type.prototype, 'read', descriptor)
    if (type === Single) RateLimit({})(type.prototype, 'read', descriptor)
    Object.defineProperty(type.prototype, 'read', descriptor)
    return type
  })
  class App {
    readonly controllers = controllers
  }
  Module({ imports: [RateLimitModule.forRoot({ policies: once })], controllers })(App)
  const app = await NestFactory.create(App, { logger: false })
  await app.listen(0, '127.0.0.1')
  const events = await onChannel<core.DecisionEvent>('sluice:decision', async () => {
    for (const { name } of controllers) await fetch(`${await app.getUrl()}/${name}`)
  })
  await app.close()
  return events.map(({ limiter }) => limiter)
}

/** The view of a dashboard after three requests of a client. */
async function viewed(): Promise<View> {
  const dashboard = createDashboard({ limiters: {}, authorize: () => 'read' })
  onTestFinished(async () => dashboard.close())
  const limiter = createLimiter({ name: 'viewed', policies: nine })
  for (let i = 0; i < 3; i++) limiter.consume('ann')
  const server = createServer(dashboard.handler).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await onceEvent(server, 'listening')
  const { port } = server.address() as AddressInfo
  const response = await fetch(`http://127.0.0.1:${port}/api/view`)
  return (await response.json()) as View
}

import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sluiceError } from '../src/errors.js'
import { requestError } from '../src/errors/request-error.js'
import { limiterMessages } from '../src/errors/limiter.js'
import { optionMessages } from '../src/errors/options.js'
import { requestMessages } from '../src/errors/requests.js'
import { storeMessages } from '../src/errors/stores.js'
import {
  byHeader,
  byIp,
  byRoute,
  byUser,
  createGuard,
  createLimiters,
  createView,
  FetchExchange,
  firstOf,
  warnOfUnseenRoute,
  type NodeRequest,
} from '../src/http/index.js'
import {
  createLimiter,
  gcra,
  limited,
  memoryStore,
  notLimited,
  redisStore,
  restClient,
  slidingWindow,
  SluiceError,
  spendAhead,
  tokenBucket,
  type Key,
} from '../src/index.js'
import { errorCodes, type CoreCode } from './error-codes.js'
import { listOfShape } from './stores/redis/shapes.js'
import { holdTime, pass, releaseTime } from './stores/pipeline/stub-store.js'
import { unusedClient } from './stores/redis/unused-client.js'
import { errorOf, rejectionOf, warningOf } from './error-of.js'
import { databaseStore, type Database } from '../src/stores/database/index.js'
import { storeContract } from '../src/stores/store.js'
import { rulesOf } from './http/judged.js'
import { noHeaders, response } from './http/visit.js'

const policies = slidingWindow({ limit: 5, window: '1m' })
const daily = tokenBucket({ capacity: 5, refill: 5, every: '1s' })
const named = createLimiter({ name: 'api', policies: { burst: policies, daily } })

const noRequest = {
  raw: undefined,
  address: undefined,
  peer: undefined,
  trustsEveryProxy: false,
  method: 'GET',
  url: '/',
  route: undefined,
  headers: {},
  sent: [],
}

const viewOfNode = createView<NodeRequest>({
  node: (request) => request,
  url: () => '/',
  address: () => undefined,
  route: () => undefined,
  sent: () => [],
  trustsEveryProxy: () => false,
})

// A value that a program without types can pass.
const untyped = (value: unknown) => value as never

/** A call that causes each error of the catalogue, and words that its message has to contain. */
const causes: Readonly<
  Record<CoreCode, readonly [() => SluiceError | Promise<SluiceError>, string[]]>
> = {
  SLUICE_OPTION_UNKNOWN: [
    () => errorOf(() => slidingWindow(untyped({ limit: 5, window: '1m', colour: 'red' }))),
    ['slidingWindow', '"colour"', '"limit", "window"'],
  ],
  SLUICE_OPTION_RENAMED: [
    () => errorOf(() => slidingWindow(untyped({ limit: 5, windowMs: 1000 }))),
    ['slidingWindow', '"windowMs" is called "window"'],
  ],
  SLUICE_OPTION_MISPLACED: [
    () => errorOf(() => createGuard(untyped({ limit: 5, window: '1m', burst: 9 }))),
    ['rateLimit', '"burst"', 'policies: gcra(', 'burst: 20'],
  ],
  SLUICE_OPTION_MISSING: [
    () => errorOf(() => slidingWindow(untyped({ window: '1m' }))),
    ['slidingWindow', '"limit"', 'whole number'],
  ],
  SLUICE_OPTION_INVALID: [
    () => errorOf(() => slidingWindow(untyped({ limit: '100', window: '1m' }))),
    ['slidingWindow', '"limit" is the string "100"', 'whole number'],
  ],
  SLUICE_RESULT_INVALID: [
    () =>
      rejectionOf(
        Promise.resolve(
          createGuard(
            { policies: async () => untyped(undefined), key: 'all' },
            'GET /',
            true,
          ).check(noRequest, response, noHeaders),
        ),
      ),
    ['rateLimit', 'the function "policies" returned undefined', 'slidingWindow'],
  ],
  SLUICE_OPTIONS_INVALID: [
    () => errorOf(() => slidingWindow(untyped(100))),
    ['slidingWindow', '100', '{ limit, window,'],
  ],
  SLUICE_OPTIONS_CONFLICT: [
    () => errorOf(() => createGuard({ limit: 5, window: '1m', policies })),
    ['rateLimit', '"limit"', '"policies"'],
  ],
  SLUICE_NUMBERS_TOO_LARGE: [
    () => errorOf(() => gcra({ limit: 2 ** 53 - 1, window: '1d' })),
    ['gcra', 'burst × window', '2^53', 'slidingWindow'],
  ],
  SLUICE_POLICY_UNKNOWN: [
    () => errorOf(() => createLimiter({ name: 'api', policies: { kind: 'gcar' } })),
    [
      '"api"',
      '"default"',
      'the kind "gcar" is not a policy',
      'Did you mean "gcra"?',
      '"slidingWindow"',
    ],
  ],
  SLUICE_POLICIES_MISSING: [
    () =>
      errorOf(() => createGuard({ name: 'api', limit: () => 5, window: '1m' }).limiter.peek('all')),
    ['"api"', 'no policies of its own', '"policies"'],
  ],
  SLUICE_POLICY_NAME_UNKNOWN: [
    () => errorOf(() => named.consume({ burst: 'a', daily: 'a', weekly: 'a' })),
    ['"api"', '"weekly"', '"burst", "daily"'],
  ],
  SLUICE_KEY_INVALID: [
    () => errorOf(() => named.consume({ burst: 'a', daily: ['phone', untyped(['138', 'x'])] })),
    ['"api"', 'part 2 of the key of the policy "daily" is a list', 'non-empty', '"notLimited"'],
  ],
  SLUICE_KEY_OBJECT: [
    () => errorOf(() => named.consume(['id', untyped(new Date())])),
    ['"api"', 'part 2 of the key', '"Date"', 'String(id)'],
  ],
  SLUICE_KEY_MISSING: [
    () => errorOf(() => named.consume({ burst: 'a' })),
    ['"api"', '"daily"', '"notLimited"'],
  ],
  SLUICE_COST_INVALID: [
    () => errorOf(() => named.consume('a', { cost: 1.5 })),
    ['"api"', '1.5', 'whole number'],
  ],
  SLUICE_CLOCK_INVALID: [
    () =>
      errorOf(() => createLimiter({ name: 'api', policies, clock: () => Number.NaN }).consume('a')),
    ['NaN', 'milliseconds', '2^47'],
  ],
  SLUICE_DECISION_FOREIGN: [
    () => errorOf(() => named.refund(createLimiter({ name: 'other', policies }).consume('a'))),
    ['"api"', '"other"'],
  ],
  SLUICE_HELD_LONG: [
    () => sluiceError('SLUICE_HELD_LONG', 'jobs', 3_600_000),
    ['"jobs"', '3600000 ms', '"maxHold"'],
  ],
  SLUICE_LIMITER_UNKNOWN: [
    () => errorOf(() => createLimiters().of('log-in')),
    ['"log-in"', 'none so far', 'when the application starts'],
  ],
  SLUICE_DENIED: [
    () => rejectionOf(limited(named, () => ({ key: 'a', cost: 6 }))(() => 'done')()),
    ['"api"', '"burst", "daily"', 'more than the quota', '"onDenied"', '"wait"'],
  ],
  SLUICE_ADDRESS_MISSING: [
    () => errorOf(() => byIp()(undefined, noRequest)),
    ['byIp', 'undefined', 'trust proxy'],
  ],
  SLUICE_HEADER_MISSING: [
    () => errorOf(() => byHeader('X-API-Key')(undefined, noRequest)),
    ['byHeader', '"X-API-Key"', 'firstOf(byHeader(…), byIp())'],
  ],
  SLUICE_USER_MISSING: [
    () => rejectionOf(Promise.resolve(byUser(untyped(() => undefined))(undefined))),
    ['byUser', 'undefined', 'authentication', 'firstOf(byUser(…), byIp())', '"notLimited"'],
  ],
  SLUICE_REQUEST_INVALID: [
    () => errorOf(() => viewOfNode(untyped(new Request('http://localhost/')))),
    ['a web Request', "Node's own request", '@sluice/fetch'],
  ],
  SLUICE_RESPONSE_UNSEEN: [
    () =>
      rejectionOf(
        createGuard({ limit: 5, window: '1m', key: 'all', count: 'failures' }, 'GET /check').check(
          noRequest,
          response,
          noHeaders,
          false,
        ),
      ),
    ['"GET /check"', '"count"', 'limit.run(request, next)'],
  ],
  // Packages of adapters throw these.
  SLUICE_CONNECTION_MISSING: [
    () => requestError('SLUICE_CONNECTION_MISSING'),
    ['byConnection', 'firstOf(byConnection(), byIp())'],
  ],
  SLUICE_KEY_PER_RULE: [
    () => rejectionOf(Promise.resolve(createGuard({ rules: rulesOf() }).keyOf(noRequest))),
    ['"rules"', '"explain"'],
  ],
  SLUICE_ROUTE_MISSING: [() => errorOf(() => byRoute()(undefined, noRequest)), ['on the route']],
  SLUICE_NAME_TAKEN: [
    () =>
      errorOf(() => {
        const store = memoryStore()
        createGuard({ name: 'api', store, limit: 5, window: '1m' })
        createGuard({ name: 'api', store, limit: 6, window: '1m' })
      }),
    ['rateLimit', '"api"', 'other policies', '"name" of its own'],
  ],
  SLUICE_PROXY_UNTRUSTED: [
    () =>
      warningOf(() => {
        const headers = { 'x-forwarded-for': '203.0.113.9' }
        byIp()(undefined, { ...noRequest, address: '10.0.0.1', peer: '10.0.0.1', headers })
      }),
    ['X-Forwarded-For', '10.0.0.1', "'trust proxy', 1", 'maxIpsCount: 1', 'trustProxy: '],
  ],
  SLUICE_PROXY_TRUSTED_BLINDLY: [
    () =>
      warningOf(() => {
        byIp()(undefined, { ...noRequest, address: '203.0.113.9', trustsEveryProxy: true })
      }),
    ['X-Forwarded-For', "'trust proxy', 1", 'maxIpsCount: 1', 'trustProxy: '],
  ],
  SLUICE_ADDRESS_UNMASKED: [
    () =>
      warningOf(async () => {
        const guard = createGuard({ limit: 5, window: '1m', key: () => '2001:db8::1' }, 'GET /v6')
        await guard.check(noRequest, response, noHeaders)
      }),
    ['IPv6', '"2001:db8::1"', '64 bits', 'byIp()'],
  ],
  SLUICE_USER_LATE: [
    () =>
      warningOf(async () => {
        const key = firstOf(
          byUser<{ user?: string }>(({ user }) => user),
          () => 'all',
        )
        const limit = { limit: 5, window: '1m', key } as const
        const guard = createGuard<{ user?: string }, never>(limit, 'GET /late')
        for (let i = 0; i < 3; i++) {
          const raw: { user?: string } = {}
          const exchange = new FetchExchange({})
          await guard.check({ ...noRequest, raw }, exchange, noHeaders)
          raw.user = 'ada'
          exchange.returned({ status: 200, body: null }, true)
          await exchange.settled
        }
      }),
    ['firstOf', '3 requests', 'behind the authentication'],
  ],
  SLUICE_COUNTED_TWICE: [
    () =>
      warningOf(async () => {
        const guard = createGuard({ limit: 5, window: '1m', key: 'all' }, 'GET /twice')
        const view = { ...noRequest, raw: {} }
        await guard.check(view, response, noHeaders)
        await guard.check(view, response, noHeaders)
      }),
    ['"GET /twice"', 'twice'],
  ],
  SLUICE_MADE_IN_HANDLER: [
    () =>
      warningOf(async () => {
        for (let i = 0; i < 2; i++) {
          const guard = createGuard({ limit: 5, window: '1m', key: 'all' })
          await guard.check({ ...noRequest, raw: {} }, response, noHeaders)
        }
      }),
    ['"default"', 'create it once'],
  ],
  SLUICE_ROUTE_UNSEEN: [
    () => warningOf(() => warnOfUnseenRoute('GET /me', 'preHandler')),
    ['"GET /me"', '"preHandler"', 'await app.register'],
  ],
  SLUICE_ALGORITHM_MISSING: [
    async () => {
      // Alone, as in a program that a bundler has reduced to the builders that it calls.
      vi.resetModules()
      const { resolvePolicy } = await import('../src/algorithms/kind.js')
      return errorOf(() => resolvePolicy({ kind: 'gcra', limit: 5, window: '1m' }, 'limiter "api"'))
    },
    ['limiter "api"', 'the algorithm "gcra"', 'registerAlgorithms', '@sluice/core/algorithms'],
  ],
  SLUICE_DURATION_SHORT: [
    () => warningOf(() => void slidingWindow({ limit: 5, window: 60 })),
    ['slidingWindow', '"window" is 60', "'60s'", "'60ms'"],
  ],
  SLUICE_POLICY_REDUNDANT: [
    () =>
      warningOf(() => {
        const day = slidingWindow({ limit: 5, window: '1m' })
        createLimiter({ name: 'twice', policies: { minute: policies, again: day } }).consume('a')
      }),
    ['"twice"', '"again"', '"minute"', 'same key'],
  ],
  SLUICE_AHEAD_UNUSED: [
    () =>
      warningOf(() => {
        const store = spendAhead(redisStore(unusedClient))
        createLimiter({ name: 'all', policies: { daily, policies }, store })
      }),
    ['"all"', '"policies"', 'slidingWindow', 'buckets', 'the store itself'],
  ],
  SLUICE_THROWN: [
    () =>
      rejectionOf(
        createGuard({
          limit: 5,
          window: '1m',
          name: 'odd',
          key: () => {
            // oxlint-disable-next-line typescript/only-throw-error -- a program can throw any value
            throw undefined
          },
        }).check(noRequest, response, noHeaders),
      ),
    ['"odd"', 'undefined', 'an Error'],
  ],
  SLUICE_STORE_FOREIGN: [
    () => {
      const store = { ...memoryStore(), [storeContract]: { version: 0 } }
      return errorOf(() => createLimiter({ name: 'api', policies, store }))
    },
    ['createLimiter', 'store contract 0', 'npm ls @sluice/core'],
  ],
  SLUICE_CLIENT_INVALID: [
    () => errorOf(() => redisStore(untyped('redis://:secret@localhost'))),
    [
      'redisStore',
      'is a string',
      'redisStore(new Redis(url))',
      'createClient({ url })',
      'restClient({ url, token })',
    ],
  ],
  SLUICE_REST_INVALID: [
    () => errorOf(() => restClient({ url: 'redis://:secret@localhost', token: 'a' })),
    ['restClient', '"url" is an address of the Redis protocol', 'https://'],
  ],
  SLUICE_POLICY_NAMES_MANY: [
    async () =>
      warningOf(() => {
        for (let i = 0; i < 1000; i++) named.peek('key', { policies: { [`user ${i}`]: policies } })
      }),
    ['limiter "api"', '1000 different policies', '"user 999"', 'into the key'],
  ],
  SLUICE_STORE_FAILED: [() => failureAt(unusedPort), ['redis', 'Connection is closed']],
  SLUICE_STORE_TIMEOUT: [() => failureAt(silentPort), ['redis', '40 ms']],
  SLUICE_STORE_UNAVAILABLE: [unavailableStore, ['redis', 'several times', 'until it answers']],
  SLUICE_STORE_CONTENDED: [contendedStore, ['the map store', '20 ms', 'redisStore']],
  SLUICE_DATABASE_INVALID: [
    () => errorOf(() => databaseStore(untyped({ query() {} }))),
    ['databaseStore', '"query"', '"load" and "save"'],
  ],
  SLUICE_STORE_DAMAGED: [damagedStore, ['the map store', '"sluice:api:1{a}"', 'For a minute']],
  SLUICE_SCRIPTS_MANY: [manyScripts, ['limiter "one more"', '256 different lists', 'same order']],
  SLUICE_STORE_REFUSED: [refusedStore, ['the map store', 'the table is missing']],
  SLUICE_STORE_CLOSED: [closedStore, ['redis', 'closed']],
}

test.each(errorCodes)('%s begins with the project’s name and is in capitals', (code) => {
  expect(code).toMatch(/^SLUICE_[A-Z]+(_[A-Z]+)*$/)
})

test('each code has one message', () => {
  const groups = [optionMessages, limiterMessages, requestMessages, storeMessages]
  expect(groups.flatMap((group) => Object.keys(group))).toEqual(errorCodes)
})

test('there is a call that causes each error of the catalogue', () => {
  expect(Object.keys(causes).sort()).toEqual([...errorCodes].sort())
})

for (const [code, [cause, words]] of Object.entries(causes)) {
  test(`${code} has a message with ${words.join(', ')}`, async () => {
    const error = await cause()
    expect(error).toBeInstanceOf(SluiceError)
    expect([error.code, error.name]).toEqual([code, 'SluiceError'])
    expect(words.filter((word) => !error.message.includes(word))).toEqual([])
  })
}

test('an error of the client is kept as the cause', async () => {
  const { cause } = await failureAt(unusedPort)
  expect(cause).toEqual(new Error('Connection is closed.'))
})

test('with an asynchronous store, an error rejects and is never thrown', async () => {
  const limiter = createLimiter({ name: 'api', policies, store: await storeAt(unusedPort) })
  const { code } = await rejectionOf(limiter.consume(''))
  expect(code).toBe('SLUICE_KEY_INVALID')
})

const invalidKeys: readonly (readonly [string, Key])[] = [
  ['an empty list', []],
  ['an empty part', ['user', '']],
  ['a list as a part', ['user', untyped(['a', 'b'])]],
  ['a record as a part', ['user', untyped({ burst: 'a' })]],
  ['null as a part', ['user', untyped(null)]],
  ['undefined', untyped(undefined)],
  ['null', untyped(null)],
  ['a number', untyped(42)],
  ['true', untyped(true)],
  ['another symbol', untyped(Symbol('notLimited'))],
]

test.each(invalidKeys)('an invalid key is an error, and never unlimited: %s', (_, key) => {
  for (const keys of [key, { burst: 'a', daily: key }]) {
    const { code, status } = errorOf(() => named.consume(keys))
    expect([code, status]).toEqual(['SLUICE_KEY_INVALID', 400])
  }
})

test('an invalid record of keys from JSON is an error, and never unlimited', () => {
  const limiter = createLimiter({ name: 'api', policies })
  const refused = ['{"default":null}', '{"default":{}}', '{"default":{"default":"a"}}', '{}']
  const codes = refused.map((text) => errorOf(() => limiter.consume(JSON.parse(text))).code)
  expect(codes).toEqual([
    'SLUICE_KEY_INVALID',
    'SLUICE_KEY_INVALID',
    'SLUICE_KEY_INVALID',
    'SLUICE_KEY_MISSING',
  ])
})

test('"notLimited" excludes one policy, or all policies', () => {
  const limiter = createLimiter({ name: 'api', policies: { burst: policies, daily: policies } })
  expect(Object.keys(limiter.consume({ burst: 'a', daily: notLimited }).policies)).toEqual([
    'burst',
  ])
  expect(limiter.peek('a')).toMatchObject({ remaining: 4 })
  for (let i = 0; i < 20; i++) {
    expect(limiter.consume(notLimited)).toMatchObject({ allowed: true, policies: {} })
  }
  expect(limiter.peek('a')).toMatchObject({ remaining: 4 })
})

test('"notLimited" is the same in every copy of the package', () => {
  expect(notLimited).toBe(Symbol.for('@sluice/core: notLimited'))
  expect(JSON.stringify({ key: notLimited })).toBe('{}')
})

const ofTheRequest: ReadonlySet<string> = new Set([
  'SLUICE_KEY_INVALID',
  'SLUICE_HEADER_MISSING',
  'SLUICE_USER_MISSING',
])

test.each(errorCodes)(
  '%s has the status 400 if the request is invalid, and no status otherwise',
  (code) => {
    const error = new SluiceError(code, 'wrong')
    const own = Object.entries(error).filter(([name]) => !['name', 'code'].includes(name))
    const expected = { status: 400, statusCode: 400, expose: true }
    expect(Object.fromEntries(own)).toEqual(ofTheRequest.has(code) ? expected : {})
  },
)

test.each([-1, 0.5, Number.NaN, Infinity, 2 ** 53, '1', null])('refuses the cost %o', (cost) => {
  expect(errorOf(() => named.consume('a', { cost: untyped(cost) })).code).toBe(
    'SLUICE_COST_INVALID',
  )
})

test('consumeMany and peekMany check each of their requests', () => {
  const asked = [{ key: 'a' }, { key: 'b', plan: policies }]
  expect(errorOf(() => named.consumeMany(untyped(asked))).code).toBe('SLUICE_OPTION_UNKNOWN')
  expect(errorOf(() => named.peekMany(untyped([5]))).code).toBe('SLUICE_OPTIONS_INVALID')
  expect(errorOf(() => named.peekMany(untyped([undefined]))).code).toBe('SLUICE_OPTIONS_INVALID')
})

test.each([{}, 5, undefined, null, 'a'])('consumeMany and peekMany refuse %j', (requests) => {
  for (const call of [named.consumeMany, named.peekMany]) {
    const { code, message } = errorOf(() => call(untyped(requests)))
    expect([code, message]).toEqual([
      'SLUICE_OPTION_INVALID',
      expect.stringContaining('limiter "api": "requests" is '),
    ])
  }
})

test.each([{}, 'signal', null])('acquire refuses the signal %j', async (signal) => {
  const { code, message } = await rejectionOf(named.acquire('a', { signal: untyped(signal) }))
  expect([code, message]).toEqual([
    'SLUICE_OPTION_INVALID',
    expect.stringContaining('"signal" is '),
  ])
})

test.each(['no', 1, 0, null])('reset refuses %j as "unblock"', (unblock) => {
  const { code, message } = errorOf(() => named.reset('a', { unblock: untyped(unblock) }))
  expect([code, message]).toEqual([
    'SLUICE_OPTION_INVALID',
    expect.stringContaining('"unblock" is '),
  ])
})

test('an invalid call consumes nothing', () => {
  const limiter = createLimiter({ name: 'api', policies: { burst: policies, daily } })
  errorOf(() => limiter.consume({ burst: 'a', daily: '' }))
  errorOf(() => limiter.consume('a', { cost: -1 }))
  expect(limiter.peek('a').remaining).toBe(5)
})

async function failureAt(port: () => Promise<number>): Promise<SluiceError> {
  return rejectionOf((await failingLimiter(port)).penalize('a', 1))
}

/** With `deny` no memory store replaces the store, and a call that is not a decision cannot be denied: it fails. */
async function failingLimiter(port: () => Promise<number>) {
  const store = await storeAt(port)
  return createLimiter({ name: 'api', policies, store, onStoreError: 'deny' })
}

async function unavailableStore(): Promise<SluiceError> {
  const limiter = await failingLimiter(unusedPort)
  for (let i = 0; i < 3; i++) {
    expect((await rejectionOf(limiter.penalize('a', 1))).code).toBe('SLUICE_STORE_FAILED')
  }
  return rejectionOf(limiter.penalize('a', 1))
}

/** Another process changes the row before each save. */
async function contendedStore(): Promise<SluiceError> {
  const database: Database = {
    name: 'map',
    load: async (keys) => ({ now: Date.now(), rows: keys.map(() => undefined) }),
    save: async (groups) => ({ now: Date.now(), groups: groups.map(() => undefined) }),
  }
  const store = databaseStore(database, { timeout: 20 })
  const limiter = createLimiter({ name: 'api', policies, store, onStoreError: 'deny' })
  holdTime()
  const error = rejectionOf(limiter.penalize('a', 1))
  await pass(20)
  releaseTime()
  return error
}

/** Another program has written the row. */
async function damagedStore(): Promise<SluiceError> {
  const row = { version: 1, bytes: Uint8Array.of(255) }
  const database: Database = {
    name: 'map',
    load: async (keys) => ({ now: Date.now(), rows: keys.map(() => row) }),
    save: async (groups) => ({ now: Date.now(), groups: groups.map(() => [2]) }),
  }
  const store = databaseStore(database)
  const limiter = createLimiter({ name: 'api', policies, store, onStoreError: 'deny' })
  return warningOf(() => void rejectionOf(limiter.penalize('a', 1)))
}

function manyScripts(): SluiceError {
  const store = redisStore(unusedClient)
  for (let shape = 0; shape < 256; shape++) {
    createLimiter({ name: `limiter ${shape}`, policies: listOfShape(shape, 8), store })
  }
  return errorOf(() => createLimiter({ name: 'one more', policies: listOfShape(0, 9), store }))
}

async function refusedStore(): Promise<SluiceError> {
  const refuse = (): Promise<never> =>
    Promise.reject(
      new SluiceError(
        'SLUICE_STORE_REFUSED',
        'the map store refuses its calls: the table is missing',
      ),
    )
  const store = databaseStore({ name: 'map', load: refuse, save: refuse })
  const limiter = createLimiter({ name: 'api', policies, store, onStoreError: 'deny' })
  return warningOf(() => void rejectionOf(limiter.penalize('a', 1)))
}

async function closedStore(): Promise<SluiceError> {
  const store = await storeAt(unusedPort)
  await store.close()
  return rejectionOf(createLimiter({ name: 'api', policies, store }).consume('a'))
}

async function storeAt(port: () => Promise<number>) {
  const client = new Redis(await port(), '127.0.0.1', {
    lazyConnect: true,
    retryStrategy: () => null,
  })
  // Without a listener, ioredis prints the refused connection.
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  // A refused connection fails at once, so only the silent server needs a short timeout.
  return redisStore(client, { timeout: port === silentPort ? 40 : 20_000 })
}

/** A port without a server. */
async function unusedPort(): Promise<number> {
  const server = await listening(createServer())
  const port = portOf(server)
  server.close()
  await once(server, 'close')
  return port
}

/** A port with a server that never replies. */
async function silentPort(): Promise<number> {
  const server = await listening(createServer((socket) => socket.resume()))
  onTestFinished(() => void server.close())
  return portOf(server)
}

async function listening(server: Server): Promise<Server> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port
}

import { expect, test } from 'vitest'
import { byHeader, byIp, byRoute, byUser, createGuard, firstOf } from '../../../src/http/index.js'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyQueue,
  memoryStore,
  notLimited,
  type ErrorCode,
} from '../../../src/index.js'
import { messageOf } from '../../../src/errors.js'
import { errorOf } from '../../error-of.js'

const short = { limit: 1, window: '1m' }
const policy = fixedWindow({ limit: 1, window: '1m' })
const handler = (): string => 'handled'

function refusalOf(options: unknown): { code: ErrorCode; message: string } {
  const { code, message } = errorOf(() => createGuard(options as object))
  return { code, message }
}

test.each([undefined, null, 5, 'options', [], handler])(
  'refuses %s instead of options',
  (options) => {
    expect(refusalOf(options).code).toBe('SLUICE_OPTIONS_INVALID')
  },
)

test.each([
  [{}, 'limit', 'it with a "window", or pass "policies" instead'],
  [{ window: '1m' }, 'limit', 'it with a "window", or pass "policies" instead'],
  [{ name: 'api' }, 'limit', 'it with a "window", or pass "policies" instead'],
  [
    { limit: 5 },
    'window',
    `whole milliseconds from 1 to ten years, or a string such as '250ms', '10s', '5m', '1h', '1d', '1w', '1y'`,
  ],
  [
    { limit: () => 5 },
    'window',
    `whole milliseconds from 1 to ten years, or a string such as '250ms', '10s', '5m', '1h', '1d', '1w', '1y'`,
  ],
])('refuses %j: no limit and no policy', (options, option, expected) => {
  expect(refusalOf(options)).toEqual({
    code: 'SLUICE_OPTION_MISSING',
    message: `rateLimit: "${option}" is missing. Pass ${expected}.`,
  })
})

const block = { for: '1h', on: 'exceeded' } as const
const onExceeded = fixedWindow({ limit: 5, window: '1m', block })
const queue = leakyQueue({ leak: 1, every: '1s', maxDelay: '5s' })
const late = { when: 'failures', reserve: false } as const

test('counts after the response with a block of requests over the limit, which no request holds then', () => {
  expect(() => createGuard({ policies: onExceeded, count: late })).not.toThrow()
})

test.each([
  [{ ...short, policies: policy }, 'limit', 'policies'],
  [{ ...short, policies: { one: policy } }, 'limit', 'policies'],
  [{ window: '1m', policies: { one: policy } }, 'window', 'policies'],
  [{ policies: () => policy, algorithm: fixedWindow }, 'algorithm', 'policies'],
  [{ ...short, onDenied: handler, body: 'no' }, 'onDenied', 'body'],
  [{ ...short, onDenied: handler, statusCode: 503 }, 'onDenied', 'statusCode'],
  [{ policies: onExceeded, count: 'failures' }, 'count', "block: { on: 'exceeded' }"],
  [{ policies: { one: onExceeded }, count: () => true }, 'count', "block: { on: 'exceeded' }"],
  [{ policies: onExceeded, count: { when: 'failures' } }, 'count', "block: { on: 'exceeded' }"],
  [{ ...short, count: late, wait: { max: '1s' } }, 'count', 'wait'],
  [{ policies: concurrency({ limit: 1, lease: '1s' }), count: late }, 'count', 'concurrency'],
  [{ policies: queue, count: late }, 'count', 'leakyQueue'],
])('refuses %j: two options exclude each other', (options, first, second) => {
  const { code, message } = refusalOf(options)
  expect(code).toBe('SLUICE_OPTIONS_CONFLICT')
  expect(message.startsWith(`rateLimit: "${first}" and "${second}" exclude each other. `)).toBe(
    true,
  )
})

test.each([
  [['draft', 'draft-7'], 'draft', 'draft-7'],
  [['legacy', 'draft-6', 'draft'], 'draft', 'draft-6'],
  [['legacy-epoch', 'legacy'], 'legacy', 'legacy-epoch'],
  [['draft', 'none'], 'none', 'draft'],
  [['none', 'legacy-epoch'], 'none', 'legacy-epoch'],
])('refuses the styles %j: both write the same header', (headers, first, second) => {
  expect(refusalOf({ ...short, headers })).toEqual({
    code: 'SLUICE_OPTIONS_CONFLICT',
    message: `rateLimit: "${first}" and "${second}" exclude each other. As "headers", both write the same header in different forms, or one of them writes none.`,
  })
})

test.each<[string, unknown[]]>([
  ['limit', ['5', -1, 1.5, NaN, null, true, {}]],
  ['window', ['soon', '', 0, -1, 1.5, null, () => '1m']],
  ['algorithm', ['gcra', policy, null]],
  ['name', ['', 5, null]],
  ['store', ['memory', {}, null, { run: true }]],
  ['clock', [5, null, 'now']],
  ['key', ['', 5, null, true]],
  ['cost', ['1', -1, 1.5, NaN, null]],
  ['skip', [true, false, null, 'admin']],
  ['allow', [null, '10.0.0.0/8', true, handler]],
  ['deny', [null, '10.0.0.0/8', true, {}]],
  ['count', ['', 'none', 'failure', true, null, []]],
  ['resetOn', ['', 'failure', true, null, []]],
  ['wait', [null, true, '5s', 5000, []]],
  ['dryRun', [null, 'yes', 1, 0]],
  ['headers', ['', 'DRAFT', 'draft-10', 'both', true, false, null, [], ['draft', 'DRAFT']]],
  ['partitionKey', ['yes', 1, null]],
  ['releaseOn', ['', 'end', true, null]],
  ['onDecision', [true, null, 'log']],
  ['onDenied', [true, null, 'no']],
  ['statusCode', [0, 199, 600, 429.5, '429', null]],
  ['body', [5, null, true]],
])('refuses a wrong "%s", and names valid values', (option, values) => {
  for (const value of values) {
    const { code, message } = refusalOf({ ...short, [option]: value })
    expect([value, code]).toEqual([value, 'SLUICE_OPTION_INVALID'])
    expect(message.startsWith(`rateLimit: "${option}" is `)).toBe(true)
    expect(message).toMatch(/\. Pass [^.].+[.?]$/)
  }
})

test.each<[object, ErrorCode]>([
  [{ policies: { kind: 'other' } }, 'SLUICE_POLICY_UNKNOWN'],
  [{ ...short, count: { when: 'all' } }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, count: { when: 'failures', reserve: 'no' } }, 'SLUICE_OPTION_INVALID'],
  [{ policies: { kind: 'fixedWindow', limit: '5', window: 1000 } }, 'SLUICE_OPTION_INVALID'],
  [{ policies: 5 }, 'SLUICE_OPTION_INVALID'],
  [{ policies: [policy] }, 'SLUICE_OPTION_INVALID'],
  [{ policies: {} }, 'SLUICE_OPTION_MISSING'],
  [{ policies: { one: 5 } }, 'SLUICE_POLICY_UNKNOWN'],
  [{ ...short, algorithm: () => ({ one: policy }) }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, algorithm: () => ({ kind: 'other' }) }, 'SLUICE_POLICY_UNKNOWN'],
  [{ ...short, algorithm: () => 5 }, 'SLUICE_OPTION_INVALID'],
  [{ limit: () => 5, window: '1m', algorithm: () => 5 }, 'SLUICE_OPTION_INVALID'],
])('refuses %j: there is no such policy', (options, code) => {
  expect(refusalOf(options).code).toBe(code)
})

test.each([
  [{ ...short, key: { default: 5 } }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: { default: {} } }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: { default: undefined } }, 'SLUICE_OPTION_INVALID'],
  [{ policies: () => policy, key: { default: 5 } }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: { default: null } }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: [] }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: ['user', ''] }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: ['user', null] }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: ['user', ['a', 'b']] }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: ['user', 1.5, () => 'a'] }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: ['user', notLimited] }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: notLimited }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: { default: '' } }, 'SLUICE_OPTION_INVALID'],
  [{ ...short, key: {} }, 'SLUICE_KEY_MISSING'],
  [{ ...short, key: { user: 'a' } }, 'SLUICE_POLICY_NAME_UNKNOWN'],
  [{ policies: { one: policy, two: policy }, key: { one: 'a' } }, 'SLUICE_KEY_MISSING'],
] as const)('refuses %j before the first request: the key can never be valid', (options, code) => {
  expect(refusalOf(options).code).toBe(code)
})

test('refuses a cost for a policy that the limiter does not have', () => {
  const policies = { one: policy, two: policy }
  const { code, message } = refusalOf({ policies, cost: { one: 2, three: 1 } })
  expect([code, message]).toEqual([
    'SLUICE_POLICY_NAME_UNKNOWN',
    messageOf('SLUICE_POLICY_NAME_UNKNOWN', 'default', 'three', ['one', 'two']),
  ])
  expect(refusalOf({ ...short, cost: { one: 2 } }).code).toBe('SLUICE_POLICY_NAME_UNKNOWN')
  expect(() => createGuard({ policies, cost: { two: 2 } })).not.toThrow()
})

test.each([
  [{ failure: ['default'] }, 'SLUICE_OPTION_UNKNOWN'],
  [{}, 'SLUICE_OPTION_MISSING'],
  [{ success: 'default' }, 'SLUICE_OPTION_INVALID'],
  [{ success: [] }, 'SLUICE_OPTION_INVALID'],
  [{ success: [''] }, 'SLUICE_OPTION_INVALID'],
] as const)('refuses to reset by %j', (resetOn, code) => {
  expect(refusalOf({ ...short, resetOn }).code).toBe(code)
})

test('refuses to reset a policy that the limiter does not have', () => {
  const policies = { account: policy, address: policy }
  const { code, message } = refusalOf({ policies, resetOn: { success: ['account', 'adress'] } })
  expect([code, message]).toEqual([
    'SLUICE_OPTION_INVALID',
    'resetOn: "success" is the string "adress". Pass names of its policies: "account", "address".',
  ])
})

test.each([
  ['onStoreErrors', ' Did you mean "onStoreError"?'],
  ['colour', ''],
])('refuses the unknown option "%s"', (option, meant) => {
  expect(refusalOf({ ...short, [option]: undefined })).toEqual({
    code: 'SLUICE_OPTION_UNKNOWN',
    message:
      `rateLimit: there is no option "${option}".${meant} It takes "limit", "window", "algorithm", "policies", "rules", "name", ` +
      `"store", "clock", "onStoreError", "localShare", "key", "cost", "allow", "deny", "count", "resetOn", "wait", "releaseOn", "dryRun", "skip", "headers", ` +
      `"partitionKey", "onDenied", "onDecision", "statusCode", "body".`,
  })
})

test.each([
  [{}, 'SLUICE_OPTION_MISSING'],
  [{ max: '5x' }, 'SLUICE_OPTION_INVALID'],
  [{ max: 0 }, 'SLUICE_OPTION_INVALID'],
  [{ max: '5s', poll: 5 }, 'SLUICE_OPTION_UNKNOWN'],
] as const)('refuses the wait %j', (wait, code) => {
  expect(refusalOf({ ...short, wait }).code).toBe(code)
})

test('says of rules that are a promise that they have to be awaited', () => {
  expect(refusalOf({ rules: Promise.resolve({}) }).message).toBe(
    'rateLimit: "rules" is an object of the type "Promise". Pass rules, such as those that loadRules of @sluice/rules returns. This is a promise: await it.',
  )
})

test('treats an undefined option as absent', () => {
  expect(refusalOf({ limit: undefined, policies: undefined, window: '1m' }).code).toBe(
    'SLUICE_OPTION_MISSING',
  )
  createGuard({
    policies: policy,
    limit: undefined,
    body: undefined,
    onDenied: undefined,
  })
})

test('refuses a second guard without a name in one store, because both would count together', () => {
  const store = memoryStore()
  createGuard({ policies: policy, store })
  expect(refusalOf({ policies: policy, store })).toEqual({
    code: 'SLUICE_OPTION_MISSING',
    message:
      'rateLimit: "name" is missing. Pass a name to each limiter of this store: another limiter has no name either, or is called "default", and both would count together.',
  })
  createGuard({ policies: policy, store, name: 'login' })
  createGuard({ policies: policy, store: memoryStore() })
})

test('a refused guard claims no name', () => {
  const store = memoryStore()
  refusalOf({ policies: policy, store, key: [] })
  createGuard({ policies: policy, store })
})

const stores = 'Pass memoryStore(), redisStore(client) or another store.'

test.each<[string, unknown, string]>([
  ['an empty object', {}, `"store" is an empty object. ${stores}`],
  [
    'the address of a server',
    'redis://localhost',
    `"store" is the string "redis://localhost". ${stores} Make a client for the address, and pass redisStore(client).`,
  ],
  [
    'a function that makes stores',
    memoryStore,
    `"store" is a function. ${stores} Call the function that makes the store.`,
  ],
  [
    'a Redis client',
    { evalsha: async () => {} },
    `"store" is an object with the keys "evalsha". ${stores} This looks like a Redis client: pass redisStore(client).`,
  ],
  [
    'the address of a PostgreSQL',
    'postgres://localhost/app',
    `"store" is the string "postgres://localhost/app". ${stores} Make a pool for the address, and pass postgresStore(pool) of @sluice/postgres.`,
  ],
  [
    'a pool of pg',
    { query: async () => {} },
    `"store" is an object with the keys "query". ${stores} This looks like a pool of pg: pass postgresStore(pool) of @sluice/postgres.`,
  ],
  [
    'the function of postgres.js',
    Object.assign(() => {}, { unsafe: async () => {} }),
    `"store" is a function. ${stores} This looks like postgres.js: pass postgresStore(sql) of @sluice/postgres.`,
  ],
  [
    'an SQLite database',
    { prepare: () => {}, exec: () => {} },
    `"store" is an object with the keys "prepare", "exec". ${stores} This looks like an SQLite database: pass sqliteStore(database) of @sluice/sqlite.`,
  ],
  [
    'the store of another library',
    { increment: () => {} },
    `"store" is an object with the keys "increment". ${stores} A store of another library cannot hold the counts of Sluice.`,
  ],
])('names a valid store instead of %s', (_, store, message) => {
  const error = errorOf(() => createGuard({ limit: 5, window: '1m', store: store as never }))
  expect([error.code, error.message]).toEqual(['SLUICE_OPTION_INVALID', `rateLimit: ${message}`])
  const policies = fixedWindow({ limit: 5, window: '1m' })
  const { message: told } = errorOf(() =>
    createLimiter({ name: 'api', policies, store: store as never }),
  )
  expect(told).toBe(`createLimiter: ${message}`)
})

test.each<[unknown, string]>([
  [byIp, 'byIp()'],
  [byRoute, 'byRoute()'],
  [byHeader, `byHeader('x-api-key')`],
  [byUser, 'byUser((request) => request.user?.id)'],
  [firstOf, 'firstOf(byUser((request) => request.user?.id), byIp())'],
  [['tenant', byIp], 'byIp()'],
  [{ minute: 'all', day: byIp }, 'byIp()'],
  [{ minute: 'all', day: ['tenant', byRoute] }, 'byRoute()'],
])('refuses a key function that is not called: %o', (key, call) => {
  const error = errorOf(() => createGuard({ limit: 5, window: '1m', key: key as never }))
  expect([error.code, error.message.endsWith(` Call it: ${call}.`)]).toEqual([
    'SLUICE_OPTION_INVALID',
    true,
  ])
})

const user = 'byUser((request) => request.user?.id)'

test.each<[unknown, string]>([
  ['ip', 'byIp()'],
  ['byIp()', 'byIp()'],
  ['req.ip', 'byIp()'],
  ['remote_address', 'byIp()'],
  ['X-Forwarded-For', 'byIp()'],
  ['user', user],
  ['userId', user],
  ['user.id', user],
  ['req.user.id', user],
  ['apiKey', `byHeader('x-api-key')`],
  ['x-api-key', `byHeader('x-api-key')`],
  ['route', 'byRoute()'],
  ['req.body.email', '(req) => req.body.email'],
  ["req.headers['x-tenant']", "(req) => req.headers['x-tenant']"],
  ['ctx.state.user.id', '(ctx) => ctx.state.user.id'],
  ['params.id', '(req) => req.params.id'],
  [['ip'], 'byIp()'],
  [['user', 'route'], user],
  [{ minute: byIp(), day: 'user' }, user],
])('refuses the name of a field as the key: %o', (key, call) => {
  const { code, message } = errorOf(() =>
    createGuard({ limit: 5, window: '1m', key: key as never }),
  )
  const advice = 'A string is one key for all requests, and not the name of a field.'
  expect([code, message.endsWith(` ${advice} Pass a function: ${call}.`)]).toEqual([
    'SLUICE_OPTION_INVALID',
    true,
  ])
})

test.each<[unknown]>([
  ['everybody'],
  ['ipsum'],
  ['acme.example'],
  ['user:42'],
  [['user', 42]],
  [['user', 'ada']],
  [['ip', (request: { ip: string }) => request.ip]],
  [{ default: 'all' }],
])('takes a constant that is not the name of a field: %o', (key) => {
  expect(() => createGuard({ limit: 5, window: '1m', key: key as never })).not.toThrow()
})

import { createLimiter } from '@sluice/core'
import { rateLimit } from '@sluice/express'
import { loadRules, staticSource } from '@sluice/rules'
import { useRedis } from '@sluice/test-kit/redis'
import { expect, onTestFinished, test } from 'vitest'
import { errorOf } from '../../core/test/error-of.js'
import { createDashboard, redisView } from '../src/index.js'

const redis = useRedis()

// Called without types, as from JavaScript.
const create = createDashboard as (options: unknown) => unknown

const limiter = createLimiter({ name: 'options', limit: 1, window: '1m' })
const usual = { limiters: { limiter }, authorize: () => undefined }

test.each<[string, unknown, string, string]>([
  ['no options', undefined, 'SLUICE_OPTIONS_INVALID', '{ limiters, rules, authorize'],
  [
    'no limiters',
    { ...usual, limiters: undefined },
    'SLUICE_OPTION_MISSING',
    '"limiters" is missing',
  ],
  [
    'a list of limiters',
    { ...usual, limiters: [limiter] },
    'SLUICE_OPTION_INVALID',
    '"limiters" is a list',
  ],
  [
    'a rateLimit',
    { ...usual, limiters: { api: rateLimit({ limit: 1, window: '1m' }) } },
    'SLUICE_OPTION_INVALID',
    '"api" looks like a rateLimit: pass its "limiter"',
  ],
  [
    'no limiter',
    { ...usual, limiters: { limiter, api: {} } },
    'SLUICE_OPTION_INVALID',
    '"api" is no limiter',
  ],
  [
    'a role in place of a function',
    { ...usual, authorize: 'write' },
    'SLUICE_OPTION_INVALID',
    `"authorize" is the string "write". Pass a function that returns 'write', 'read'`,
  ],
  [
    'a client in place of a share',
    { ...usual, share: { eval() {} } },
    'SLUICE_OPTION_INVALID',
    'Pass redisView(client)',
  ],
  [
    'a promise of rules',
    { ...usual, rules: Promise.resolve() },
    'SLUICE_OPTION_INVALID',
    'This is a promise: await it',
  ],
  [
    'a source of rules',
    { ...usual, rules: staticSource('') },
    'SLUICE_OPTION_INVALID',
    'such as those that loadRules returns',
  ],
  [
    'a mask that is a text',
    { ...usual, mask: '***' },
    'SLUICE_OPTION_INVALID',
    '"mask" is the string "***"',
  ],
  ['a sample of 0', { ...usual, sample: 0 }, 'SLUICE_OPTION_INVALID', 'a number above 0, up to 1'],
  [
    'a sample above 1',
    { ...usual, sample: 10 },
    'SLUICE_OPTION_INVALID',
    'a number above 0, up to 1',
  ],
  [
    'a clock that is a date',
    { ...usual, clock: new Date() },
    'SLUICE_OPTION_INVALID',
    '"clock" is',
  ],
  [
    'an option of a wrong name',
    { ...usual, autorize: () => {} },
    'SLUICE_OPTION_UNKNOWN',
    'Did you mean "authorize"?',
  ],
])('createDashboard refuses %s', (_, options, code, message) => {
  const error = errorOf(() => create(options))
  expect([error.code, error.message]).toEqual([code, expect.stringContaining(message)])
  expect(error.message).toContain('createDashboard')
})

test('two limiters of one name are refused', () => {
  const other = createLimiter({ name: 'options', limit: 1, window: '1m' })
  const error = errorOf(() => create({ ...usual, limiters: { a: limiter, b: other } }))
  expect(error.message).toContain('Two of them are called "options"')
  const dashboard = createDashboard({ ...usual, limiters: { a: limiter, b: limiter } })
  onTestFinished(async () => dashboard.close())
})

test.each<[unknown, string]>([
  [{ prefix: '' }, '"prefix" is the string "". Pass a non-empty string.'],
  [{ prefx: 'a' }, 'Did you mean "prefix"?'],
])('redisView refuses %o', (options, message) => {
  const error = errorOf(() => redisView(redis.connection, options as never))
  expect(error.message).toContain(message)
  expect(error.message).toContain('redisView')
})

test('the types take the limiters, the rules and the clients of the other packages', async () => {
  const rules = await loadRules({
    source: staticSource(
      'version: 1\nname: options\nrules:\n  - { id: a, key: [], limit: 1, window: 1m }',
    ),
  })
  const limit = rateLimit({ limit: 1, window: '1m', name: 'typed' })
  const dashboard = createDashboard({
    limiters: { limiter, limit: limit.limiter },
    rules,
    authorize: async (request) => (request.headers.host === undefined ? null : { role: 'read' }),
    share: redisView(redis.connection),
    mask: (key) => key.slice(0, 3),
    sample: 0.5,
    clock: Date.now,
  })
  await dashboard.close()
  rules.close()
})

test('an option that is undefined is absent', async () => {
  const dashboard = createDashboard({
    limiters: {},
    authorize: () => 'read',
    rules: undefined,
    share: redisView(redis.connection, { prefix: undefined }),
    mask: undefined,
    policiesOf: undefined,
    sample: undefined,
    clock: undefined,
  })
  await dashboard.close()
})

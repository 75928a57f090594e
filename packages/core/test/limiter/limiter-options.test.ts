import { expect, test } from 'vitest'
import { isDeepStrictEqual } from 'node:util'
import { createGuard } from '../../src/http/index.js'
import {
  createLimiter,
  fixedWindow,
  gcra,
  slidingLog,
  slidingWindow,
  type Duration,
} from '../../src/index.js'
import { errorOf } from '../error-of.js'

const policy = fixedWindow({ limit: 2, window: '1h' })
const short = { limit: 5, window: '1m' }
const limited = 'it with a "window", or pass "policies" instead.'
const exclusive = (first: string, second: string) =>
  `"${first}" and "${second}" exclude each other.`
const untyped = (options: object) => createLimiter(options as never)

test('one policy in "policies" has the name "default"', () => {
  const limiter = createLimiter({ name: 'api', policies: policy })
  const decisions = [1, 2, 3].map(() => limiter.consume('key'))
  expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
    [true, 1],
    [true, 0],
    [false, 0],
  ])
  expect(limiter.consume({ default: 'other' }).deniedBy).toEqual([])
})

test('all forms of one policy have the same counts', () => {
  const short = { limit: 2, window: '1h', algorithm: fixedWindow }
  const each = [{ policies: policy }, { policies: { default: policy } }, short].map((stated) => {
    const limiter = untyped({ name: 'api', ...stated, clock: () => 0 })
    limiter.consume('key')
    return limiter.status('key')
  })
  expect(each.every((status) => isDeepStrictEqual(status, each[0]))).toBe(true)
  expect(each[0].policies['default']).toMatchObject({ used: 1, limit: 2, resetMs: 3_600_000 })
})

test('the short form makes a sliding window, or the policy of another builder', () => {
  let now = 0
  const clock = () => now
  const usedAfter = (options: object) => {
    now = 0
    const limiter = untyped({ name: 'api', limit: 5, window: '1m', clock, ...options })
    for (const at of [0, 50_000, 50_000]) {
      now = at
      limiter.consume('key')
    }
    now = 61_000
    return limiter.status('key').policies['default'].used
  }
  const own = ({ limit, window }: { limit: number; window: Duration }) =>
    slidingLog({ limit, window })
  const algorithms = [undefined, slidingWindow, fixedWindow, own]
  expect(algorithms.map((algorithm) => usedAfter({ algorithm }))).toEqual([2, 2, 0, 2])
  expect(usedAfter({ limit: 0 })).toBe(0)
})

test('an undefined policy is treated as absent', () => {
  expect(untyped({ name: 'api', ...short, policies: undefined }).name).toBe('api')
  expect(untyped({ name: 'api', limit: undefined, policies: policy }).name).toBe('api')
})

test.each<[string, object, string]>([
  ['SLUICE_OPTION_MISSING', { name: 'api' }, `"limit" is missing. Pass ${limited}`],
  ['SLUICE_OPTION_MISSING', { name: 'api', window: '1m' }, `"limit" is missing. Pass ${limited}`],
  [
    'SLUICE_OPTION_MISSING',
    { name: 'api', limit: 5 },
    '"window" is missing. Pass whole milliseconds from 1 to ten years, or a string such as',
  ],
  ['SLUICE_OPTIONS_CONFLICT', { ...short, policies: policy }, exclusive('limit', 'policies')],
  ['SLUICE_OPTIONS_CONFLICT', { window: '1m', policies: policy }, exclusive('window', 'policies')],
  [
    'SLUICE_OPTIONS_CONFLICT',
    { algorithm: gcra, policies: policy },
    exclusive('algorithm', 'policies'),
  ],
  [
    'SLUICE_OPTION_INVALID',
    { ...short, limit: () => 5 },
    '"limit" is a function. Pass a whole number',
  ],
  [
    'SLUICE_OPTION_INVALID',
    { ...short, limit: '5' },
    '"limit" is the string "5". Pass a whole number',
  ],
  [
    'SLUICE_OPTION_INVALID',
    { ...short, window: 'soon' },
    '"window" is the string "soon". Pass whole',
  ],
  [
    'SLUICE_OPTION_INVALID',
    { ...short, algorithm: 'gcra' },
    '"algorithm" is the string "gcra". Pass a builder',
  ],
  [
    'SLUICE_OPTION_INVALID',
    { ...short, algorithm: () => ({ minute: policy }) },
    '"algorithm" is a function. Pass a builder that returns one policy, such as gcra.',
  ],
])('createLimiter throws %s for %o, as rateLimit does', (code, options, message) => {
  const error = errorOf(() => untyped({ name: 'api', ...options }))
  expect([error.code, error.message.startsWith(`createLimiter: ${message}`)]).toEqual([code, true])
  // `limit` of `rateLimit` may be a function.
  if ('limit' in options && typeof options.limit === 'function') return
  const other = errorOf(() => createGuard({ name: 'api', ...options }))
  expect(other.code).toBe(code)
  expect(other.message.replace(', or a function from the request to one', '')).toBe(
    error.message.replace('createLimiter', 'rateLimit'),
  )
})

const asPolicies = 'Pass a policy, or a record from name to policy.'
const callIt = 'Call it: gcra({ limit: 100, window: "1m" }).'
const awaitIt = 'Await the promise.'

test.each<[string, unknown, string]>([
  ['a map', new Map([['a', policy]]), `an object of the type "Map". ${asPolicies}`],
  ['a list', [policy], `a list. ${asPolicies}`],
  ['null', null, `null. ${asPolicies}`],
  ['a text', 'gcra', `the string "gcra". ${asPolicies}`],
  [
    'a promise',
    Promise.resolve(policy),
    `an object of the type "Promise". ${asPolicies} ${awaitIt}`,
  ],
  ['a builder', gcra, `a function. ${asPolicies} ${callIt}`],
  ['a function', () => policy, `a function. ${asPolicies} ${callIt}`],
])('refuses %s as "policies", by its name', (_, policies, message) => {
  const expected = ['SLUICE_OPTION_INVALID', `limiter "api": "policies" is ${message}`]
  const limiter = createLimiter({ name: 'api', policies: policy })
  for (const call of [
    () => untyped({ name: 'api', policies }),
    () => limiter.consume('key', { policies: policies as never }),
  ]) {
    const error = errorOf(call)
    expect([error.code, error.message]).toEqual(expected)
  }
})

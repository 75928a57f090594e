import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  memoryStore,
  redisStore,
  SluiceError,
  type Decision,
  type Keys,
  type RedisClient,
} from '../../src/index.js'
import { runs } from '@sluice/test-kit/random'
import { builders } from '../builders.js'
import { errorOf, rejectionOf } from '../error-of.js'

// Values that a program without types can pass, or that come from a client. Each call is an error with a code, or makes a decision.

const policies = fixedWindow({ limit: 5, window: '1h' })

/** Names of properties that every object inherits. */
const names = fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'kind', 'limit')
const anything = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(names, fc.jsonValue(), { noNullPrototype: true }),
  fc.anything({ withBigInt: true, withDate: true, withTypedArray: true, withSparseArray: true }),
)

/** Values from `JSON.parse`, in which `__proto__` is an own property. */
const parsed = anything.filter(isJson).map((value) => JSON.parse(JSON.stringify(value)))

const inherited = Reflect.ownKeys(Object.prototype)

function isJson(value: unknown): boolean {
  try {
    return JSON.stringify(value) !== undefined
  } catch {
    return false
  }
}

/** The value of a call, or the code of its error. Any other error fails the test. */
function outcomeOf<T>(call: () => T): T | string {
  try {
    return call()
  } catch (error) {
    if (error instanceof SluiceError) return error.code
    throw error
  }
}

function expectSane({
  allowed,
  remaining,
  limit,
  retryAfterMs,
  resetMs,
  deniedBy,
}: Decision): void {
  expect(remaining >= 0 && remaining <= limit).toBe(true)
  expect(retryAfterMs === null || retryAfterMs >= 0).toBe(true)
  expect(resetMs >= 0).toBe(true)
  expect(deniedBy.length === 0).toBe(allowed)
}

describe('a policy of unknown shape', () => {
  test('is an error with a code, or decides', () => {
    fc.assert(
      fc.property(parsed, (value) => {
        const limiter = outcomeOf(() => createLimiter({ name: 'api', policies: value }))
        if (typeof limiter === 'string') return
        expectSane(limiter.consume('key'))
      }),
      { numRuns: runs(3000) },
    )
    expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited)
  })

  test.each(Object.entries(builders))(
    'that is almost valid is an error with a code, or decides: %s',
    (kind, { good }) => {
      const change = fc.record({
        option: fc.oneof(names, fc.constantFrom(...Object.keys(good))),
        value: fc.oneof(anything, fc.double(), fc.bigInt(), fc.integer()),
      })
      let decided = 0
      fc.assert(
        fc.property(fc.array(change, { minLength: 1, maxLength: 2 }), (changes) => {
          const policy = { kind, ...good }
          for (const { option, value } of changes) {
            Object.defineProperty(policy, option, { value, enumerable: true, configurable: true })
          }
          const made = outcomeOf(() => createLimiter({ name: 'api', policies: policy }))
          if (typeof made === 'string') return
          decided++
          for (let i = 0; i < 3; i++) expectSane(made.consume('key'))
        }),
        { numRuns: runs(500) },
      )
      expect(decided).toBeGreaterThan(0)
      expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited)
    },
  )

  test('is counted under its own name, also under a name that objects inherit', () => {
    const text = JSON.stringify({ policy: policies })
    for (const name of ['__proto__', 'constructor', 'hasOwnProperty']) {
      const named = JSON.parse(text.replace('policy', name))
      const limiter = createLimiter({ name: 'api', policies: named })
      for (let i = 0; i < 5; i++) limiter.consume('key')
      const { allowed, deniedBy, policies: verdicts } = limiter.consume('key')
      expect([allowed, deniedBy, Object.keys(verdicts)]).toEqual([false, [name], [name]])
    }
    expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited)
  })
})

describe('a key of unknown shape', () => {
  const limiter = createLimiter({ name: 'api', policies: { ip: policies, tenant: policies } })

  test('is an error with a code, or a key', () => {
    fc.assert(
      fc.property(fc.oneof(anything, parsed), (value) => {
        for (const verb of [limiter.consume, limiter.peek, limiter.status, limiter.reset]) {
          const result = outcomeOf(() => verb(value as Keys))
          if (typeof result !== 'string') continue
          expect([
            'SLUICE_KEY_INVALID',
            'SLUICE_KEY_MISSING',
            'SLUICE_KEY_OBJECT',
            'SLUICE_POLICY_NAME_UNKNOWN',
          ]).toContain(result)
        }
      }),
      { numRuns: runs(2000) },
    )
    expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited)
  })

  test('is an error with the same code in `acquire`', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, parsed), async (value) => {
        const code = outcomeOf(() => limiter.peek(value as Keys))
        if (typeof code !== 'string') return
        expect((await rejectionOf(limiter.acquire(value as Keys, { maxWait: 0 }))).code).toBe(code)
      }),
      { numRuns: runs(1000) },
    )
  })

  test('has no inherited keys', () => {
    const keys = Object.create({ ip: 'inherited', tenant: 'inherited' })
    expect(errorOf(() => limiter.consume(keys)).code).toBe('SLUICE_KEY_OBJECT')
  })
})

/** Values that are not whole numbers from 0 to 2^53 - 1. */
const invalidCosts = fc.oneof(
  fc.constantFrom<unknown>(
    Number.NaN,
    Infinity,
    -Infinity,
    -1,
    -Number.MIN_VALUE,
    0.1,
    2 ** 53,
    1e308,
    '1',
    '',
    '__proto__',
    null,
    true,
    [1],
    [],
    1n,
    Symbol.iterator,
    new Date(1),
    { valueOf: () => 1 },
    { toString: () => '1' },
    { [Symbol.toPrimitive]: () => 1 },
    Object(1),
    () => 1,
  ),
  fc.double().filter((cost) => !Number.isSafeInteger(cost) || cost < 0),
  fc.string(),
  fc.bigInt(),
)

describe('a cost', () => {
  test('that is invalid is an error with a code in each method, and consumes nothing', async () => {
    const limiter = createLimiter({ name: 'api', policies })
    await fc.assert(
      fc.asyncProperty(invalidCosts, async (value) => {
        const cost = value as number
        const calls = [
          () => limiter.consume('key', { cost }),
          () => limiter.peek('key', { cost }),
          () => limiter.consumeMany([{ key: 'other' }, { key: 'key', cost }]),
          () => limiter.peekMany([{ key: 'key', cost }]),
        ]
        // An object with methods is read as a record from the names of policies.
        const expected =
          typeof value === 'object' &&
          value !== null &&
          Object.keys(value).length > 0 &&
          !Array.isArray(value)
            ? 'SLUICE_POLICY_NAME_UNKNOWN'
            : 'SLUICE_COST_INVALID'
        expect(calls.map((call) => errorOf(call).code)).toEqual(Array(4).fill(expected))
        expect((await rejectionOf(limiter.acquire('key', { cost }))).code).toBe(expected)
        for (const change of [limiter.penalize, limiter.refund]) {
          if (value === undefined) continue
          expect(errorOf(() => change('key', cost)).code).toBe('SLUICE_OPTION_INVALID')
        }
      }),
      { numRuns: runs(500) },
    )
    expect([limiter.peek('key').remaining, limiter.peek('other').remaining]).toEqual([5, 5])
  })

  test.each([0, -0, 1, 2 ** 53 - 1])('of %d is valid', (cost) => {
    const limiter = createLimiter({ name: 'api', policies })
    const { allowed, remaining } = limiter.consume('key', { cost })
    expect([allowed, Object.is(remaining, -0)]).toEqual([cost <= 5, false])
  })
})

describe('options of unknown shape', () => {
  const gone = async () => Promise.reject(new Error('gone'))
  const client: RedisClient = { isCluster: false, evalSha: gone, eval: gone }

  test.each<[string, (value: never) => unknown]>([
    ['createLimiter', (value) => createLimiter(value)],
    ['memoryStore', (value) => memoryStore(value)],
    ['redisStore', (value) => redisStore(client, value)],
    ['consume', (value) => createLimiter({ name: 'api', policies }).consume('key', value)],
    ['reset', (value) => createLimiter({ name: 'api', policies }).reset('key', value)],
    ['block', (value) => createLimiter({ name: 'api', policies }).block('key', value)],
    ['release', (value) => createLimiter({ name: 'api', policies }).release('key', value)],
  ])('are an error with a code, or accepted: %s', (_, act) => {
    fc.assert(
      fc.property(fc.oneof(anything, parsed), (value) => {
        outcomeOf(() => act(value as never))
      }),
      { numRuns: runs(1000) },
    )
    expect(Reflect.ownKeys(Object.prototype)).toEqual(inherited)
  })
})

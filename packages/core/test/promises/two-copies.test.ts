import { describe, expect, test, vi } from 'vitest'
import * as here from '../../src/index.js'
import { contractVersion, storeContract } from '../../src/stores/store.js'
import { errorOf, rejectionOf } from '../error-of.js'
import { stubStore } from '../stores/pipeline/stub-store.js'

// An application with two versions of the package contains two copies of its code: each class exists twice, and so does each symbol that is not
// registered.

vi.resetModules()
const there: typeof here = await import('../../src/index.js')

/** A client of a Redis that does not exist. */
const gone: here.RedisClient = {
  isCluster: false,
  evalSha: async () => Promise.reject(new Error('gone')),
  eval: async () => Promise.reject(new Error('gone')),
}
const policies = here.fixedWindow({ limit: 2, window: '1h' })

test('the two copies have different classes', () => {
  expect(there.SluiceError).not.toBe(here.SluiceError)
})

describe('a store of the other copy', () => {
  test('in memory counts for the limiters of both copies', () => {
    const store = there.memoryStore()
    const limiter = here.createLimiter({ name: 'api', policies, store })
    const other = there.createLimiter({ name: 'api', policies, store })
    expect([limiter, other, limiter].map((each) => each.consume('key').allowed)).toEqual([
      true,
      true,
      false,
    ])
  })

  test('has one fallback for the limiters of both copies', async () => {
    const store = there.redisStore(gone)
    const limiters = [here, there].map((copy) =>
      copy.createLimiter({ name: 'api', policies, store }),
    )
    const decisions: unknown[] = []
    for (const limiter of [...limiters, limiters[0]]) {
      const { allowed, source } = await limiter.consume('key')
      decisions.push([allowed, source])
    }
    expect(decisions).toEqual([
      [true, 'fallback'],
      [true, 'fallback'],
      [false, 'fallback'],
    ])
  })

  test('rejects with the error of the store, also after it was closed', async () => {
    const store = there.redisStore(gone)
    const limiter = here.createLimiter({ name: 'api', policies, store, onStoreError: 'deny' })
    expect((await rejectionOf(limiter.penalize('key', 1))).code).toBe('SLUICE_STORE_FAILED')
    await store.close()
    expect((await rejectionOf(limiter.consume('key'))).code).toBe('SLUICE_STORE_CLOSED')
  })

  test.each(['memoryStore', 'redisStore'] as const)(
    'with another contract version is an error that says what to do: %s',
    (kind) => {
      const store = kind === 'memoryStore' ? there.memoryStore() : there.redisStore(gone)
      const older = { ...store, [storeContract]: { version: contractVersion - 1 } }
      const error = errorOf(() => here.createLimiter({ name: 'api', policies, store: older }))
      expect(error.code).toBe('SLUICE_STORE_FOREIGN')
      expect(error.message).toContain(`store contract ${contractVersion - 1}; this copy has`)
      expect(error.message).toContain('npm ls @sluice/core')
    },
  )

  test('that an application implements itself has no version, and is accepted', async () => {
    const limiter = here.createLimiter({ name: 'api', policies, store: stubStore() })
    expect((await limiter.consume('key')).allowed).toBe(true)
  })
})

test.each([
  [
    'of another limiter',
    () => here.createLimiter({ name: 'other', policies }).consume('key'),
    'made by the limiter "other"',
  ],
  [
    'of the other copy',
    () => there.createLimiter({ name: 'api', policies }).consume('key'),
    'npm ls @sluice/core',
  ],
  [
    'copied into another object',
    () => ({ ...here.createLimiter({ name: 'api', policies }).consume('key') }),
    'copy of a decision',
  ],
] as const)('a decision %s cannot be refunded', (_, decisionOf, reason) => {
  const limiter = here.createLimiter({ name: 'api', policies })
  const error = errorOf(() => limiter.refund(decisionOf()))
  expect(error.code).toBe('SLUICE_DECISION_FOREIGN')
  expect(error.message).toContain(reason)
})

test('a counted key of the other copy is a key, also for one policy', () => {
  const limiter = here.createLimiter({ name: 'api', policies })
  const counted = there.countedKey('|user|42')
  Reflect.apply(limiter.consume, undefined, [counted])
  Reflect.apply(limiter.penalize, undefined, [{ default: counted }, 1])
  expect(limiter.status(['user', 42]).policies['default'].used).toBe(2)
})

test('two limiters of one name refund a decision once', () => {
  const store = here.memoryStore()
  const [one, two] = [0, 1].map(() => here.createLimiter({ name: 'api', policies, store }))
  const decision = one.consume('key')
  one.consume('key')
  expect([two.refund(decision), one.refund(decision)]).toEqual([true, false])
  expect(one.peek('key').remaining).toBe(1)
})

describe('instanceof', () => {
  const copies = { here, there }

  test.each([
    ['here', 'there'],
    ['there', 'here'],
  ] as const)('is true for an error of the copy "%s" in the copy "%s"', async (maker, reader) => {
    const { SluiceError, DeniedError } = copies[reader]
    const limiter = copies[maker].createLimiter({ name: 'api', policies })
    const call = copies[maker].limited(limiter, () => ({ key: 'key' }))(async () => 1)
    const denied = async () => {
      for (let i = 0; i < 3; i++) await call()
    }
    const errors = await Promise.all([
      rejection(async () => limiter.consume('')),
      rejection(denied),
    ])
    expect(errors.map((error) => error instanceof SluiceError)).toEqual([true, true])
    expect(errors.map((error) => error instanceof DeniedError)).toEqual([false, true])
    expect(errors.map((error) => error instanceof Error)).toEqual([true, true])
  })

  test('is false for all other values', () => {
    const values = [new Error('x'), { code: 'SLUICE_DENIED' }, null, undefined, 'SLUICE_DENIED']
    expect(values.some((value) => value instanceof here.SluiceError)).toBe(false)
    expect(values.some((value) => value instanceof here.DeniedError)).toBe(false)
  })

  test('for a derived class is true only for its own instances', () => {
    class Own extends here.SluiceError {}
    const own = new Own('SLUICE_DENIED', 'denied')
    const plain = new here.SluiceError('SLUICE_DENIED', 'denied')
    expect([own instanceof Own, own instanceof there.SluiceError]).toEqual([true, true])
    expect([plain instanceof Own, plain instanceof here.DeniedError]).toEqual([false, false])
  })
})

async function rejection(act: () => Promise<unknown>): Promise<unknown> {
  try {
    return await act()
  } catch (error) {
    return error
  }
}

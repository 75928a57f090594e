import { beforeEach, describe, expect, test } from 'vitest'
import {
  createLimiter,
  fixedWindow,
  gcra,
  memoryStore,
  notLimited,
  unlimited,
  type AsyncStore,
  type LimiterOptions,
  type MemoryStore,
  type Policies,
} from '../../src/index.js'
import { errorOf, rejectionOf } from '../error-of.js'
import { stubStore, type StubStore } from '../stores/pipeline/stub-store.js'
import { unlimitedNumbers } from './unlimited-numbers.js'

const free = fixedWindow({ limit: 3, window: '1h' })

let stub: StubStore
beforeEach(() => {
  stub = stubStore()
})

function limiterOf(
  policies: Policies,
  options: Partial<
    Omit<LimiterOptions<AsyncStore>, 'policies' | 'limit' | 'window' | 'algorithm'>
  > = {},
) {
  return createLimiter({ name: 'plans', policies, store: stub, ...options })
}

const infinite = {
  ...unlimitedNumbers,
  deniedBy: [],
  policies: { default: { ...unlimitedNumbers, used: 0, nextMs: 0 } },
  source: 'store',
}

describe('unlimited alone', () => {
  test('calls no store, for any method', async () => {
    const limiter = limiterOf(unlimited())
    const decision = await limiter.consume('key', { cost: 1000 })
    expect(decision).toEqual(infinite)
    expect(await limiter.peek('key')).toEqual(infinite)
    expect(await limiter.consumeMany([{ key: 'a' }, { key: 'b' }])).toEqual([infinite, infinite])
    expect(await limiter.acquire('key')).toEqual(infinite)
    expect([await limiter.refund(decision), await limiter.refund(decision)]).toEqual([true, false])
    await limiter.penalize('key', 5)
    expect([await limiter.refund('key', 5), await limiter.reset('key')]).toEqual([true, true])
    expect((await limiter.status('key')).policies).toEqual({
      default: {
        used: 0,
        limit: Infinity,
        remaining: Infinity,
        resetMs: 0,
        blockedMs: 0,
        exemptMs: 0,
      },
    })
    expect(stub.calls).toEqual([])
  })

  test.each(['local', 'allow', 'deny'] as const)(
    'is allowed at once while the store does not respond: %s',
    async (onStoreError) => {
      stub.answer = () => new Promise(() => {})
      const limiter = limiterOf(unlimited(), { onStoreError })
      expect(await limiter.consume('key')).toEqual(infinite)
    },
  )

  test.each(['block', 'exempt'] as const)(
    'refuses %s, which would change nothing',
    async (verb) => {
      const { code, message } = await rejectionOf(limiterOf(unlimited())[verb]('key', '1m'))
      expect(code).toBe('SLUICE_OPTION_INVALID')
      expect(message).toContain('"unlimited" allows everything')
      const inMemory = createLimiter({ name: 'plans', policies: unlimited() })
      expect(errorOf(() => inMemory[verb]('key', '1m')).code).toBe('SLUICE_OPTION_INVALID')
    },
  )

  test('refuses an invalid key', async () => {
    expect((await rejectionOf(limiterOf(unlimited()).consume(''))).code).toBe('SLUICE_KEY_INVALID')
  })
})

describe('unlimited as the policy of one call', () => {
  const policies = unlimited()

  test('does not change the counts of the same policy name', async () => {
    const limiter = limiterOf(free)
    await limiter.consume('key', { cost: 2 })
    const { length } = stub.calls
    const decision = await limiter.consume('key', { cost: 9, policies })
    expect(decision).toEqual(infinite)
    await limiter.refund(decision)
    await limiter.reset('key', { policies })
    expect(stub.calls.length).toBe(length)
    expect((await limiter.peek('key')).policies['default'].used).toBe(2)
  })

  test('is allowed even if the limiter denies while the store is unavailable', async () => {
    const limiter = limiterOf(free, { onStoreError: 'deny' })
    stub.fail()
    const sources = [await limiter.consume('key'), await limiter.consume('key', { policies })]
    expect(sources.map(({ allowed }) => allowed)).toEqual([false, true])
  })

  test('does not wait for other calls that wait for the same key', async () => {
    const limiter = limiterOf(free)
    await limiter.consume('key', { cost: 3 })
    const controller = new AbortController()
    const waiting = limiter.acquire('key', { signal: controller.signal })
    expect(await Promise.race([limiter.acquire('key', { policies }), waiting])).toEqual(infinite)
    controller.abort('enough')
    await expect(waiting).rejects.toBe('enough')
  })
})

describe('unlimited beside other policies', () => {
  const policies = {
    before: unlimited(),
    hour: free,
    between: unlimited(),
    pace: gcra({ limit: 6, window: '1m' }),
  }

  test('is decided with them, and only they are sent to the store', async () => {
    const limiter = limiterOf(policies)
    const decision = await limiter.consume('key', { cost: 2 })
    expect(Object.keys(decision.policies)).toEqual(['before', 'hour', 'between', 'pace'])
    expect(stub.calls.map((calls) => calls[0].policies.map(({ name }) => name))).toEqual([
      ['hour', 'pace'],
    ])
    expect(decision).toMatchObject({ limit: 3, remaining: 1, deniedBy: [] })
    expect((await limiter.consume('key', { cost: 2 })).deniedBy).toEqual(['hour'])
    expect(await limiter.refund(decision)).toBe(true)
    const { policies: statuses } = await limiter.status('key')
    expect(Object.entries(statuses).map(([name, { used }]) => [name, used])).toEqual([
      ['before', 0],
      ['hour', 0],
      ['between', 0],
      ['pace', 0],
    ])
  })

  test('with a key of its own is not sent to the store', async () => {
    const limiter = limiterOf(policies)
    await limiter.consume({ before: 'a', hour: 'b', between: 'c', pace: 'd' })
    expect(stub.calls.map(([{ keys }]) => keys)).toEqual([['b', 'd']])
  })

  test('does not end their block', async () => {
    const limiter = limiterOf(policies)
    await limiter.block('key', '1m')
    expect(await limiter.consume('key')).toMatchObject({
      allowed: false,
      deniedBy: ['hour', 'pace'],
    })
  })

  test('is not exempt, and does not prevent that a decision is', async () => {
    const limiter = limiterOf(policies)
    await limiter.exempt('key', '1m')
    expect(await limiter.consume('key', { cost: 99 })).toMatchObject({
      allowed: true,
      exempt: true,
    })
    const { policies: statuses } = await limiter.status('key')
    expect(Object.values(statuses).map(({ exemptMs }) => exemptMs > 0)).toEqual([
      false,
      true,
      false,
      true,
    ])
    await limiter.unexempt({ before: 'key', hour: 'key', between: 'key', pace: notLimited })
    expect('exempt' in (await limiter.consume('key'))).toBe(false)
  })

  test('does not deny when the limiter denies while the store is unavailable', async () => {
    const limiter = limiterOf(policies, { onStoreError: 'deny' })
    stub.fail()
    const { allowed, deniedBy, policies: verdicts, source } = await limiter.consume('key')
    expect([allowed, deniedBy, source]).toEqual([false, ['hour', 'pace'], 'closed'])
    expect(verdicts['before']).toEqual(infinite.policies.default)
  })

  test('stays unlimited while the store is unavailable and the others have shares of their limits', async () => {
    const limiter = limiterOf(policies, { localShare: 0.5 })
    stub.fail()
    const { policies: verdicts, source } = await limiter.consume('key')
    const limits = Object.values(verdicts).map(({ limit }) => limit)
    expect([limits, source]).toEqual([[Infinity, 2, Infinity, 3], 'fallback'])
  })
})

describe('unlimited in memory', () => {
  function inMemory(): { store: MemoryStore; consume: (policies: Policies) => number } {
    const store = memoryStore()
    const limiter = createLimiter({ name: 'plans', policies: free, store })
    return { store, consume: (policies) => limiter.consume('key', { policies }).remaining }
  }

  test('adds no count to the store', () => {
    const { store, consume } = inMemory()
    expect([consume(unlimited()), store.size]).toEqual([Infinity, 0])
  })

  test('does not change the counts of the same policy name', () => {
    const { consume } = inMemory()
    expect([consume(free), consume(unlimited()), consume(free)]).toEqual([2, Infinity, 1])
  })
})

import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  slidingWindow,
  type AsyncStore,
  type FallbackEvent,
  type Limiter,
  type LimiterOptions,
  type Policies,
} from '../../src/index.js'
import { sluiceError } from '../../src/errors.js'
import { rejectionOf } from '../error-of.js'
import {
  failure,
  gone,
  holdTime,
  pass,
  releaseTime,
  stubStore,
  type StubStore,
} from '../stores/pipeline/stub-store.js'

const policies = fixedWindow({ limit: 10, window: '1h' })
const failed = { code: 'SLUICE_STORE_FAILED' }

type Options = { readonly policies?: Policies } & Partial<
  Omit<LimiterOptions<AsyncStore>, 'policies' | 'limit' | 'window' | 'algorithm'>
>

interface Bench {
  readonly stub: StubStore
  readonly limiter: Limiter<AsyncStore>
}

function bench(options: Options = {}): Bench {
  const stub = stubStore()
  return { stub, limiter: createLimiter({ name: 'api', policies, store: stub, ...options }) }
}

function away(options: Options = {}): Bench {
  const { stub, limiter } = bench(options)
  stub.fail()
  return { stub, limiter }
}

beforeEach(holdTime)
afterEach(releaseTime)

test('a store that works decides alone', async () => {
  const { stub, limiter } = bench()
  const { source, remaining } = await limiter.consume('key')
  expect([source, remaining, stub.calls.length]).toEqual(['store', 9, 1])
})

test('the fallback decides only the failed requests of a call, and keeps their order', async () => {
  const { stub, limiter } = bench()
  stub.answer = async (requests) =>
    requests.map((asked, i) => (i === 1 ? failure('this one') : stub.memory.run(asked)))
  const asked = ['a', 'b', 'c'].map((key, i) => ({ key, cost: i + 1 }))
  const decisions = await limiter.consumeMany(asked)
  expect(decisions.map(({ source, remaining }) => [source, remaining])).toEqual([
    ['store', 9],
    ['fallback', 8],
    ['store', 7],
  ])
})

test.each(['local', 'allow', 'deny'] as const)(
  'an invalid key and a closed store remain errors: %s',
  async (onStoreError) => {
    const { stub, limiter } = away({ onStoreError })
    expect((await rejectionOf(limiter.consume(''))).code).toBe('SLUICE_KEY_INVALID')
    stub.answer = async () => [sluiceError('SLUICE_STORE_CLOSED', 'stub')]
    expect((await rejectionOf(limiter.consume('key'))).code).toBe('SLUICE_STORE_CLOSED')
  },
)

describe('local', () => {
  test('is the default', async () => {
    expect((await away().limiter.consume('key')).source).toBe('fallback')
  })

  test('a memory store decides, at the whole limit if no share is given', async () => {
    const { limiter } = away()
    const admitted: boolean[] = []
    for (let i = 0; i < 11; i++) admitted.push((await limiter.consume('key')).allowed)
    expect(admitted).toEqual([...Array(10).fill(true), false])
    expect(await limiter.consume('key')).toMatchObject({
      source: 'fallback',
      remaining: 0,
      deniedBy: ['default'],
    })
  })

  test('the memory store executes every method', async () => {
    const { limiter } = away()
    await limiter.penalize('key', 4)
    expect(await limiter.peek('key')).toMatchObject({ source: 'fallback', remaining: 6 })
    expect(await limiter.refund('key', 1)).toBe(true)
    expect((await limiter.status('key')).policies['default']).toMatchObject({ used: 3 })
    await limiter.block('key', '1m')
    expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 60_000 })
    expect(await limiter.reset('key')).toBe(false)
    await limiter.unblock('key')
    await limiter.exempt('key', '1m')
    const exempt = await limiter.consume('key', { cost: 99 })
    expect(exempt).toMatchObject({ allowed: true, exempt: true, source: 'fallback' })
    expect(await limiter.refund(exempt)).toBe(false)
    await limiter.unexempt('key')
    expect(await limiter.reset('key')).toBe(true)
    expect((await limiter.peek('key')).remaining).toBe(10)
  })

  test('an exemption holds where it was made: in the store or in the memory store', async () => {
    const { stub, limiter } = bench()
    await limiter.exempt('stored', '1h')
    stub.fail()
    expect('exempt' in (await limiter.consume('stored'))).toBe(false)
    await limiter.exempt('local', '1h')
    stub.work()
    expect(await limiter.consume('stored')).toMatchObject({ exempt: true, source: 'store' })
    expect('exempt' in (await limiter.consume('local'))).toBe(false)
  })

  test('the memory store counts each form of state under one name by itself', async () => {
    const { limiter } = away({ localShare: 0.5 })
    const pace = { policies: gcra({ limit: 10, window: '1h' }) }
    let allowed = 0
    for (let i = 0; i < 10; i++) {
      for (const choice of [{}, pace]) if ((await limiter.consume('key', choice)).allowed) allowed++
    }
    expect(allowed).toBe(10)
    await limiter.reset('key', pace)
    expect((await limiter.peek('key')).remaining).toBe(5)
  })

  test('the memory store uses an injected clock', async () => {
    const time = { now: 1_763_683_200_000 }
    const { limiter } = away({ clock: () => time.now })
    for (let i = 0; i < 10; i++) await limiter.consume('key')
    time.now += 3_599_999
    expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
    time.now++
    expect((await limiter.consume('key')).allowed).toBe(true)
  })

  test.each([true, false])(
    'a request that its queue delays keeps its decision if the store fails in the meantime (fails first: %s)',
    async (failsFirst) => {
      const queue = leakyQueue({ leak: 1, every: '1s', maxDelay: '9s' })
      const { stub, limiter } = bench({ policies: queue })
      if (failsFirst) stub.fail()
      await limiter.consume('key')
      const delayed = limiter.acquire('key', { cost: 2 })
      await pass(500)
      stub.fail()
      await pass(500)
      const numbers = { delayMs: 0, remaining: 7, resetMs: 3000 }
      expect(await delayed).toMatchObject({
        ...numbers,
        allowed: true,
        source: failsFirst ? 'fallback' : 'store',
        policies: { default: numbers },
      })
    },
  )

  test('the memory store counts separately from the store, and keeps its counts from one outage to the next', async () => {
    const { stub, limiter } = bench()
    await limiter.consume('key', { cost: 7 })
    stub.fail()
    expect((await limiter.consume('key', { cost: 2 })).remaining).toBe(8)
    stub.work()
    expect((await limiter.consume('key')).remaining).toBe(2)
    stub.fail()
    expect((await limiter.consume('key')).remaining).toBe(7)
  })

  test('a decision is refunded in the store that made it, even if another one decides by then', async () => {
    const { stub, limiter } = bench()
    const ofStore = await limiter.consume('key', { cost: 7 })
    stub.fail()
    const ofMemory = await limiter.consume('key', { cost: 2 })
    expect(await limiter.refund(ofStore)).toBe(false)
    stub.work()
    stub.calls.length = 0
    expect(await limiter.refund(ofMemory)).toBe(true)
    expect(stub.calls).toEqual([])
    expect((await limiter.peek('key')).remaining).toBe(3)
    stub.fail()
    expect((await limiter.peek('key')).remaining).toBe(10)
  })

  test('a lease is released and renewed where it was granted', async () => {
    const { stub, limiter } = bench({ policies: concurrency({ limit: 1, lease: '1m' }) })
    stub.fail()
    const { lease } = await limiter.consume('key')
    expect((await limiter.consume('key')).allowed).toBe(false)
    stub.work()
    stub.calls.length = 0
    expect([await lease?.renew(), await lease?.release(), await lease?.release()]).toEqual([
      true,
      true,
      false,
    ])
    expect(stub.calls).toEqual([])
  })

  test('a lease of the store is not found in the memory store', async () => {
    const { stub, limiter } = bench({ policies: concurrency({ limit: 1, lease: '1m' }) })
    const { lease } = await limiter.consume('key')
    stub.fail()
    expect([await lease?.renew(), await limiter.release('key', lease?.id ?? '')]).toEqual([
      false,
      false,
    ])
    stub.work()
    expect(await lease?.release()).toBe(true)
  })

  test('limiters of one name in one store allow one share together', async () => {
    const stub = stubStore()
    stub.fail()
    const limiters = Array.from({ length: 5 }, () =>
      createLimiter({ name: 'api', policies, store: stub, localShare: 0.5 }),
    )
    const admitted: boolean[] = []
    for (let i = 0; i < 6; i++) {
      for (const limiter of limiters) admitted.push((await limiter.consume('key')).allowed)
    }
    expect(admitted.filter(Boolean)).toHaveLength(5)
  })

  test('limiters of other names or other stores count separately', async () => {
    const once = fixedWindow({ limit: 1, window: '1h' })
    const stub = stubStore()
    const other = stubStore()
    for (const store of [stub, other]) store.fail()
    const allowed: boolean[] = []
    for (const [name, store] of [
      ['api', stub],
      ['login', stub],
      ['api', other],
      ['api', stub],
    ] as const) {
      const limiter = createLimiter({ name, policies: once, store })
      allowed.push((await limiter.consume('key')).allowed)
    }
    expect(allowed).toEqual([true, true, true, false])
  })

  test('a second limiter of the same name reads, refunds, resets and blocks the same counts', async () => {
    const { stub, limiter } = away()
    const other = createLimiter({ name: 'api', policies, store: stub })
    const decision = await limiter.consume('key', { cost: 4 })
    expect((await other.status('key')).policies['default']).toMatchObject({ used: 4 })
    expect(await other.refund(decision)).toBe(true)
    await limiter.consume('key', { cost: 10 })
    expect(await other.reset('key')).toBe(true)
    expect((await limiter.consume('key')).remaining).toBe(9)
    await other.block('key', '1m')
    expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 60_000 })
    await other.unblock('key')
    expect((await limiter.consume('key')).allowed).toBe(true)
  })

  test('a share applies to each policy, and to the policies of a call', async () => {
    const minute = slidingWindow({ limit: 5, window: '1m' })
    const { limiter } = away({ policies: { hour: policies, minute }, localShare: 0.3 })
    const { policies: own } = await limiter.consume('key')
    expect([own['hour'].limit, own['minute'].limit]).toEqual([3, 2])
    const plan = fixedWindow({ limit: 100, window: '1h' })
    expect((await limiter.consume('key', { policies: plan })).limit).toBe(30)
  })
})

describe('allow', () => {
  test('every cost is allowed, and is not counted', async () => {
    const { stub, limiter } = away({ onStoreError: 'allow' })
    for (const cost of [1, 10, 11, 1000]) {
      expect(await limiter.consume('key', { cost })).toMatchObject({
        allowed: true,
        source: 'open',
        limit: 10,
        remaining: 10,
        retryAfterMs: 0,
        deniedBy: [],
      })
    }
    stub.work()
    expect((await limiter.peek('key')).remaining).toBe(10)
  })

  test('a peek allows every cost, as a consume does', async () => {
    const { limiter } = away({ onStoreError: 'allow' })
    for (const cost of [1, 11]) {
      expect(await limiter.peek('key', { cost })).toMatchObject({
        allowed: true,
        source: 'open',
        retryAfterMs: 0,
        deniedBy: [],
      })
    }
  })

  test('calls that are not decisions fail', async () => {
    await expectFailures('allow')
  })

  test('its decisions took no units and hold no leases, so a refund or release is false', async () => {
    const { stub, limiter } = away({
      policies: { rate: policies, slots: concurrency({ limit: 1, lease: '1m' }) },
      onStoreError: 'allow',
    })
    const decision = await limiter.consume('key')
    stub.work()
    await limiter.consume('key', { cost: 1 })
    stub.calls.length = 0
    expect(await limiter.refund(decision)).toBe(false)
    expect([await decision.lease?.renew(), await decision.lease?.release()]).toEqual([false, false])
    expect(stub.calls).toEqual([])
  })
})

describe('deny', () => {
  test('every policy denies every request, for a second', async () => {
    const minute = slidingWindow({ limit: 5, window: '1m' })
    const { limiter } = away({ policies: { hour: policies, minute }, onStoreError: 'deny' })
    for (const ask of [limiter.consume, limiter.peek]) {
      expect(await ask('key')).toMatchObject({
        allowed: false,
        source: 'closed',
        remaining: 0,
        retryAfterMs: 1000,
        resetMs: 1000,
        deniedBy: ['hour', 'minute'],
      })
    }
  })

  test('calls that are not decisions fail', async () => {
    await expectFailures('deny')
  })

  test('units that the store has counted stay counted', async () => {
    const { stub, limiter } = bench({ onStoreError: 'deny' })
    const decision = await limiter.consume('key')
    stub.fail()
    expect(await limiter.refund(decision)).toBe(false)
    stub.work()
    expect((await limiter.peek('key')).remaining).toBe(9)
  })
})

/** Calls that are not decisions reject with the error of the store. The calls about a lease return false. */
async function expectFailures(onStoreError: 'allow' | 'deny'): Promise<void> {
  const { limiter } = away({ policies: concurrency({ limit: 1, lease: '1m' }), onStoreError })
  const calls = [
    limiter.penalize('key', 1),
    limiter.refund('key', 1),
    limiter.block('key', '1m'),
    limiter.unblock('key'),
    limiter.exempt('key', '1m'),
    limiter.unexempt('key'),
    limiter.reset('key'),
  ]
  for (const call of calls) expect(await rejectionOf(call)).toMatchObject(failed)
  const held = [await limiter.release('key', 'an id'), await limiter.renew('key', 'an id')]
  expect(held).toEqual([false, false])
}

describe('events', () => {
  const told: FallbackEvent[] = []

  beforeEach(() => {
    told.length = 0
    const listen = (event: unknown) => void told.push(event as FallbackEvent)
    subscribe('sluice:fallback', listen)
    onTestFinished(() => void unsubscribe('sluice:fallback', listen))
  })
  test.each(['local', 'allow', 'deny'] as const)(
    'report the beginning and the end, once each: %s',
    async (onStoreError) => {
      const { stub, limiter } = away({ onStoreError })
      for (let i = 0; i < 5; i++) await limiter.consume('key')
      stub.work()
      await pass(999)
      for (let i = 0; i < 5; i++) await limiter.consume('key')
      expect(told).toEqual([{ limiter: 'api', state: 'begun', onStoreError, error: gone }])
      await pass(1)
      for (let i = 0; i < 5; i++) await limiter.consume('key')
      expect(told.slice(1)).toEqual([
        { limiter: 'api', state: 'ended', onStoreError, error: undefined },
      ])
    },
  )

  test('report one beginning if some requests fail and others do not', async () => {
    const { stub, limiter } = bench()
    for (let i = 0; i < 100; i++) {
      if (i % 2 === 0) stub.fail()
      else stub.work()
      await limiter.consume('key')
      await pass(50)
    }
    expect(told.map(({ state }) => state)).toEqual(['begun'])
  })

  test('report nothing for a limiter whose store works', async () => {
    const { limiter } = bench()
    await limiter.consume('key')
    await pass(2000)
    await limiter.consume('key')
    expect(told).toEqual([])
  })
})

import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  notLimited,
  slidingWindow,
  staged,
  type AsyncStore,
  type Duration,
  type Limiter,
  type LimiterOptions,
  type Policies,
  type Policy,
} from '../../../src/index.js'
import {
  deferred,
  failure,
  holdTime,
  pass,
  pipelineOver,
  releaseTime,
  stubStore,
  type StubStore,
} from './stub-store.js'

const once = fixedWindow({ limit: 1, window: '1h' })

interface Bench {
  readonly stub: StubStore
  readonly store: AsyncStore
  readonly limiter: Limiter<AsyncStore>
}

function bench(
  options: { readonly policies?: Policies } & Partial<
    Omit<LimiterOptions<AsyncStore>, 'policies' | 'limit' | 'window' | 'algorithm'>
  > = {},
): Bench {
  const stub = stubStore()
  const store = pipelineOver(stub)
  return { stub, store, limiter: createLimiter({ name: 'api', policies: once, store, ...options }) }
}

/** A limiter that has just denied the key. */
async function denied(
  options: { readonly policies?: Policies } & Partial<
    Omit<LimiterOptions<AsyncStore>, 'policies' | 'limit' | 'window' | 'algorithm'>
  > = {},
): Promise<Bench> {
  const made = bench(options)
  await made.limiter.consume('key')
  expect((await made.limiter.consume('key')).source).toBe('store')
  made.stub.calls.length = 0
  return made
}

beforeEach(holdTime)
afterEach(releaseTime)

test('a key that was denied is denied again without the store, for less than a second', async () => {
  const { stub, limiter } = await denied()
  await pass(999)
  expect(await limiter.consume('key')).toMatchObject({
    allowed: false,
    source: 'local',
    remaining: 0,
    retryAfterMs: 3_599_001,
    deniedBy: ['default'],
  })
  expect(stub.calls).toEqual([])
})

test('the store receives one request per second, however many requests the key makes', async () => {
  const { stub, limiter } = await denied()
  for (let ms = 0; ms < 5000; ms += 10) {
    await pass(10)
    expect((await limiter.consume('key')).allowed).toBe(false)
  }
  expect(stub.calls).toHaveLength(5)
})

test('a key is allowed as soon as its wait is over, not at the end of the second', async () => {
  const { limiter } = await denied({ policies: gcra({ limit: 1, window: 300, burst: 1 }) })
  await pass(299)
  expect(await limiter.consume('key')).toMatchObject({ source: 'local', retryAfterMs: 1 })
  await pass(1)
  expect(await limiter.consume('key')).toMatchObject({ source: 'store', allowed: true })
})

test('a denial does not apply to another key, another limiter or another policy', async () => {
  const { stub, store, limiter } = bench({ policies: fixedWindow({ limit: 5, window: '1h' }) })
  await limiter.consume('key', { cost: 3 })
  expect((await limiter.consume('key', { cost: 3 })).allowed).toBe(false)
  stub.calls.length = 0
  const other = createLimiter({
    name: 'other',
    policies: fixedWindow({ limit: 5, window: '1h' }),
    store,
  })
  const plan = fixedWindow({ limit: 50, window: '1h' })
  const answers = [
    await limiter.consume('stranger', { cost: 3 }),
    await other.consume('key', { cost: 3 }),
    await limiter.consume('key', { cost: 3, policies: plan }),
  ]
  expect(answers.map(({ allowed, source }) => [allowed, source])).toEqual(
    answers.map(() => [true, 'store']),
  )
  expect(stub.calls).toHaveLength(3)
})

test('a denial does not apply to a staged policy with other stages', async () => {
  const then = gcra({ limit: 1, window: '1h', burst: 1 })
  const one = staged({ free: slidingWindow({ limit: 1, window: '1h' }), then })
  const other = staged({ free: once, then })
  const { limiter } = bench()
  for (let i = 0; i < 2; i++) await limiter.consume('key', { policies: one })
  expect((await limiter.consume('key', { policies: one })).source).toBe('local')
  expect(await limiter.consume('key', { policies: other })).toMatchObject({
    allowed: true,
    source: 'store',
  })
})

test('a key is denied until the policy that denied it allows, whatever the other policies had counted', async () => {
  const then = leakyBucket({ capacity: 2, leak: 1, every: 400 })
  const policies = {
    user: staged({ free: fixedWindow({ limit: 2, window: '1h' }), then }),
    tenant: fixedWindow({ limit: 3, window: 700 }),
  }
  const { limiter } = bench({ policies })
  await limiter.consume({ user: 'y', tenant: 's' })
  await limiter.consume({ user: 'x', tenant: 't' })
  await limiter.consume({ user: 'y', tenant: 't' }, { cost: 2 })
  expect((await limiter.consume({ user: 'y', tenant: 't' })).deniedBy).toEqual(['tenant'])
  // The last unit of the first stage restarts the second stage.
  await limiter.consume({ user: 'y', tenant: 's' })
  expect((await limiter.consume({ user: 'y', tenant: 't' }, { cost: 2 })).source).toBe('local')
  await pass(700)
  expect(await limiter.consume({ user: 'y', tenant: 't' }, { cost: 2 })).toMatchObject({
    allowed: true,
    source: 'store',
  })
})

test('after a denied cost a greater cost is denied locally, and a smaller one is sent to the store', async () => {
  const { stub, limiter } = bench({ policies: fixedWindow({ limit: 5, window: '1h' }) })
  await limiter.consume('key', { cost: 3 })
  await limiter.consume('key', { cost: 3 })
  stub.calls.length = 0
  const sources: (string | boolean)[][] = []
  for (const cost of [3, 4, 5, 6, 2]) {
    const { allowed, source, retryAfterMs } = await limiter.consume('key', { cost })
    sources.push([allowed, source, retryAfterMs === null])
  }
  expect(sources).toEqual([
    [false, 'local', false],
    [false, 'local', false],
    [false, 'local', false],
    [false, 'local', true],
    [true, 'store', false],
  ])
})

test('a cached denial includes the units that a smaller cost has taken since', async () => {
  const { limiter } = bench({ policies: fixedWindow({ limit: 5, window: '1h' }) })
  await limiter.consume('key', { cost: 2 })
  await limiter.consume('key', { cost: 5 })
  expect((await limiter.consume('key', { cost: 2 })).allowed).toBe(true)
  expect(await limiter.consume('key', { cost: 5 })).toMatchObject({ source: 'store', remaining: 1 })
  expect(await limiter.consume('key', { cost: 5 })).toMatchObject({ source: 'local', remaining: 1 })
})

describe('a denial is removed', () => {
  const ways: readonly (readonly [string, (limiter: Limiter<AsyncStore>) => Promise<unknown>])[] = [
    ['refund', async (limiter) => limiter.refund('key')],
    ['penalize', async (limiter) => limiter.penalize('key', 1)],
    ['block', async (limiter) => limiter.block('key', '1m')],
    ['unblock', async (limiter) => limiter.unblock('key')],
    ['exempt', async (limiter) => limiter.exempt('key', '1m')],
    ['unexempt', async (limiter) => limiter.unexempt('key')],
    ['reset', async (limiter) => limiter.reset('key')],
  ]

  test.each(ways)('by %s', async (_, act) => {
    const { limiter } = await denied()
    expect((await limiter.consume('key')).source).toBe('local')
    await act(limiter)
    expect((await limiter.consume('key')).source).toBe('store')
  })

  test.each(ways)('by %s of a limiter of the same name', async (_, act) => {
    const { store, limiter } = await denied()
    await act(createLimiter({ name: 'api', policies: once, store }))
    expect((await limiter.consume('key')).source).toBe('store')
  })

  test.each(ways)('by %s of another key, and the next denial is cached again', async (_, act) => {
    const { limiter } = await denied()
    const elsewhere = {
      ...limiter,
      refund: () => limiter.refund('other'),
      penalize: () => limiter.penalize('other', 1),
      block: () => limiter.block('other', '1m'),
      unblock: () => limiter.unblock('other'),
      exempt: () => limiter.exempt('other', '1m'),
      unexempt: () => limiter.unexempt('other'),
      reset: () => limiter.reset('other'),
    }
    await act(elsewhere)
    expect((await limiter.consume('key')).source).toBe('store')
    expect((await limiter.consume('key')).source).toBe('local')
  })

  test.each(ways)('but not by %s of another limiter', async (_, act) => {
    const { store, limiter } = await denied()
    await act(createLimiter({ name: 'other', policies: once, store }))
    expect((await limiter.consume('key')).source).toBe('local')
  })

  test('by the refund of a decision', async () => {
    const { limiter } = bench()
    const decision = await limiter.consume('key')
    await limiter.consume('key')
    expect((await limiter.consume('key')).source).toBe('local')
    expect(await limiter.refund(decision)).toBe(true)
    expect(await limiter.consume('key')).toMatchObject({ allowed: true, source: 'store' })
  })

  test('by release and renew of a lease beside it', async () => {
    const policies = { rate: once, slots: concurrency({ limit: 5, lease: '1m' }) }
    for (const verb of ['release', 'renew'] as const) {
      const { limiter } = bench({ policies })
      const { lease } = await limiter.consume({ rate: notLimited, slots: 'key' })
      await limiter.consume({ rate: 'key', slots: notLimited })
      await limiter.consume({ rate: 'key', slots: notLimited })
      expect((await limiter.consume({ rate: 'key', slots: notLimited })).source).toBe('local')
      expect(await lease?.[verb]()).toBe(true)
      expect((await limiter.consume({ rate: 'key', slots: notLimited })).source).toBe('store')
    }
  })

  test('by a peek that the store allows, because another process has reset the key', async () => {
    const { stub, limiter } = await denied()
    const other = createLimiter({ name: 'api', policies: once, store: pipelineOver(stub) })
    await other.reset('key')
    expect((await limiter.consume('key')).source).toBe('local')
    expect((await limiter.peek('key')).allowed).toBe(true)
    expect(await limiter.consume('key')).toMatchObject({ allowed: true, source: 'store' })
  })

  test('by a refund that was pending during the denial', async () => {
    const { stub, limiter } = bench()
    await limiter.consume('key')
    const isSent = deferred<void>()
    stub.answer = async (requests) => {
      if (requests[0].verb === 'refundUnits') await isSent.promise
      return requests.map(stub.memory.run)
    }
    const refunded = limiter.refund('key')
    expect((await limiter.consume('key')).allowed).toBe(false)
    expect((await limiter.consume('key')).source).toBe('local')
    isSent.resolve()
    await refunded
    expect(await limiter.consume('key')).toMatchObject({ allowed: true, source: 'store' })
  })

  test('by a refund that ends before the answer of the denial arrives', async () => {
    const { stub, limiter } = bench()
    const decision = await limiter.consume('key')
    const hasArrived = deferred<void>()
    stub.answer = async (requests) => {
      const answers = requests.map(stub.memory.run)
      if (requests[0].verb === 'consume') await hasArrived.promise
      return answers
    }
    const denied = limiter.consume('key')
    expect(await limiter.refund(decision)).toBe(true)
    hasArrived.resolve()
    expect((await denied).allowed).toBe(false)
    expect(await limiter.consume('key')).toMatchObject({ allowed: true, source: 'store' })
  })

  test('by a refund of any of its keys, if its policies have different keys', async () => {
    const policies = { ip: once, tenant: fixedWindow({ limit: 100, window: '1h' }) }
    for (const keys of [
      { ip: '10.0.0.1', tenant: notLimited },
      { ip: notLimited, tenant: 'acme' },
    ]) {
      const { limiter } = bench({ policies })
      const both = { ip: '10.0.0.1', tenant: 'acme' }
      await limiter.consume(both)
      await limiter.consume(both)
      expect((await limiter.consume(both)).source).toBe('local')
      await limiter.refund(keys)
      expect((await limiter.consume(both)).source).toBe('store')
    }
  })

  test('but not by units that other clients take in the policies that did not deny', async () => {
    const policies = { ip: once, tenant: fixedWindow({ limit: 100, window: '1h' }) }
    const { limiter } = bench({ policies })
    const attacker = { ip: '10.0.0.1', tenant: 'acme' }
    await limiter.consume(attacker)
    await limiter.consume(attacker)
    for (let i = 2; i < 20; i++) {
      const { allowed } = await limiter.consume({ ip: `10.0.0.${i}`, tenant: 'acme' })
      expect([allowed, (await limiter.consume(attacker)).source]).toEqual([true, 'local'])
    }
  })
})

describe('a denial by one policy beside an exempt one', () => {
  const both = { ip: '10.0.0.1', tenant: 'acme' }

  async function exemptTenant(ip: Policy, length: Duration): Promise<Bench> {
    const made = bench({ policies: { ip, tenant: once } })
    await made.limiter.consume(both)
    await made.limiter.exempt({ ip: notLimited, tenant: 'acme' }, length)
    expect(await made.limiter.consume(both)).toMatchObject({ source: 'store', deniedBy: ['ip'] })
    return made
  }

  test('is cached until the exemption ends', async () => {
    const { limiter } = await exemptTenant(once, '500ms')
    await pass(499)
    expect(await limiter.consume(both)).toMatchObject({ source: 'local', deniedBy: ['ip'] })
    await pass(1)
    expect(await limiter.consume(both)).toMatchObject({
      source: 'store',
      deniedBy: ['ip', 'tenant'],
    })
  })

  test('is cached until that policy allows, whatever the exempt one has counted', async () => {
    const { limiter } = await exemptTenant(gcra({ limit: 1, window: 300, burst: 1 }), '1m')
    await pass(300)
    expect(await limiter.consume(both)).toMatchObject({ source: 'store', allowed: true })
  })
})

describe('nothing is cached', () => {
  const twice = async (limiter: Limiter<AsyncStore>): Promise<string[]> => {
    await limiter.consume('key')
    const decisions = [await limiter.consume('key'), await limiter.consume('key')]
    expect(decisions.map(({ allowed }) => allowed)).toEqual([false, false])
    return decisions.map(({ source }) => source)
  }

  test('of a limiter with `denyCache: false`', async () => {
    expect(await twice(bench({ denyCache: false }).limiter)).toEqual(['store', 'store'])
  })

  test('under an injected clock', async () => {
    expect(await twice(bench({ clock: () => 1_763_683_200_000 }).limiter)).toEqual([
      'store',
      'store',
    ])
  })

  test('of leases, which may be released at any moment, nor of policies in the same request', async () => {
    const lease = concurrency({ limit: 1, lease: '1h' })
    expect(await twice(bench({ policies: lease }).limiter)).toEqual(['store', 'store'])
    const both = bench({ policies: { rate: once, slots: lease } }).limiter
    expect(await twice(both)).toEqual(['store', 'store'])
  })

  test('of a peek, and a peek is answered by the store', async () => {
    const { stub, limiter } = bench()
    await limiter.penalize('key', 1)
    await limiter.peek('key')
    expect((await limiter.consume('key')).source).toBe('store')
    expect((await limiter.peek('key')).source).toBe('store')
    expect(stub.calls).toHaveLength(4)
  })

  test('of a failure', async () => {
    const { stub, limiter } = bench()
    stub.fail()
    expect((await limiter.consume('key')).source).toBe('fallback')
    stub.work()
    expect(await limiter.consume('key')).toMatchObject({ source: 'store', allowed: true })
  })
})

test('a block that starts with a denied request starts even if the denial is cached', async () => {
  const block = { for: 100, on: 'exceeded', escalate: 10 } as const
  const { limiter } = bench({ policies: fixedWindow({ limit: 1, window: '1h', block }) })
  await limiter.consume('key')
  await limiter.consume('key')
  await pass(99)
  expect((await limiter.consume('key')).source).toBe('local')
  await pass(1)
  expect((await limiter.consume('key')).source).toBe('store')
  expect((await limiter.status('key')).policies['default'].blockedMs).toBe(1000)
})

test('requests of one call are answered in order, and only those without a cached denial are sent', async () => {
  const { stub, limiter } = await denied()
  stub.answer = async (requests) =>
    requests.map((asked) =>
      asked.keys[0] === 'failing' ? failure('this one') : stub.memory.run(asked),
    )
  const keys = ['new', 'key', 'failing', 'key', 'newer']
  const decisions = await limiter.consumeMany(keys.map((key) => ({ key })))
  expect(decisions.map(({ allowed, source }) => [allowed, source])).toEqual([
    [true, 'store'],
    [false, 'local'],
    [true, 'fallback'],
    [false, 'local'],
    [true, 'store'],
  ])
  expect(stub.calls.flat().map(({ keys }) => keys[0])).toEqual(['new', 'failing', 'newer'])
})

test('the cache keeps the latest ten thousand denials', async () => {
  const { stub, limiter } = bench({ policies: fixedWindow({ limit: 0, window: '1h' }) })
  for (let i = 0; i < 10_001; i++) await limiter.consume(`${i}`)
  stub.calls.length = 0
  const sources = new Set<string>()
  for (let i = 1; i < 10_001; i++) sources.add((await limiter.consume(`${i}`)).source)
  expect([...sources]).toEqual(['local'])
  expect((await limiter.consume('0')).source).toBe('store')
  expect((await limiter.consume('1')).source).toBe('store')
  expect((await limiter.consume('3')).source).toBe('local')
})

test('pings and closes the store directly', async () => {
  const { stub, store } = bench()
  expect(await store.ping()).toBe(true)
  await store.close()
  expect([stub.pings, stub.isClosed]).toEqual([1, true])
})

test('a denial by one form of state does not deny another under its name, whose reset or block applies to both', async () => {
  const { stub, limiter } = await denied()
  const pace = { policies: gcra({ limit: 1, window: '1h' }) }
  expect(await limiter.consume('key', pace)).toMatchObject({ allowed: true, source: 'store' })
  expect((await limiter.consume('key')).allowed).toBe(false)
  await limiter.reset('key', pace)
  expect(await limiter.consume('key')).toMatchObject({ allowed: true, source: 'store' })
  expect((await limiter.consume('key')).retryAfterMs).toBe(3_600_000)
  await limiter.block('key', '2h', pace)
  expect((await limiter.consume('key')).retryAfterMs).toBe(7_200_000)
  stub.calls.length = 0
  expect(await limiter.consume('key')).toMatchObject({ source: 'local', retryAfterMs: 7_200_000 })
  expect(stub.calls).toEqual([])
})

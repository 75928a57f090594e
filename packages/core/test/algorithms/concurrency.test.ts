import { useRedis } from '@sluice/test-kit/redis'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyQueue,
  memoryStore,
  redisStore,
  SluiceError,
  type Decision,
  type HeldLease,
  type Limiter,
  type Policies,
  type Store,
  type SyncStore,
} from '@sluice/core'
import { beforeEach, describe, expect, test } from 'vitest'

const server = useRedis()

const stores: [string, () => Store][] = [
  ['memory', () => memoryStore()],
  ['redis', () => redisStore(server.connection, { timeout: 10_000 })],
]

describe.each(stores)('concurrency over %s', (_name, createStore) => {
  const start = 1_700_000_000_000
  let now: number
  let named = 0

  beforeEach(() => {
    now = start
  })

  function limiterOf(policies: Policies, clock: (() => number) | undefined = () => now): Limiter {
    const name = `limiter ${++named}`
    const shared = { name, policies, store: createStore() }
    return createLimiter(clock === undefined ? shared : { ...shared, clock })
  }

  const two = concurrency({ limit: 2, lease: 1000 })
  const lock = concurrency({ limit: 1, lease: 1000 })

  test('holds at most the limit at once, and returns when the next lease expires', async () => {
    const limiter = limiterOf(two)
    expect(numbers(await limiter.consume('k'))).toEqual([true, 1, 0, 1000, 1000])
    now += 400
    expect(numbers(await limiter.consume('k'))).toEqual([true, 0, 0, 600, 1000])
    expect(numbers(await limiter.consume('k'))).toEqual([false, 0, 600, 600, 1000])
    now += 599
    expect(numbers(await limiter.consume('k'))).toEqual([false, 0, 1, 1, 401])
    now += 1
    expect(numbers(await limiter.consume('k'))).toEqual([true, 0, 0, 400, 1000])
  })

  test('counts each key separately', async () => {
    const limiter = limiterOf(lock)
    expect((await limiter.consume('a')).allowed).toBe(true)
    expect((await limiter.consume('b')).allowed).toBe(true)
  })

  test('a release frees a unit, once', async () => {
    const limiter = limiterOf(lock)
    const lease = held(await limiter.consume('k'))
    expect((await limiter.consume('k')).allowed).toBe(false)
    expect(await lease.release()).toBe(true)
    expect(await lease.release()).toBe(false)
    expect(numbers(await limiter.peek('k'))).toEqual([true, 1, 0, 0, 0])
    expect((await limiter.consume('k')).allowed).toBe(true)
  })

  test('a late release does not affect the next holder of the unit', async () => {
    const limiter = limiterOf(lock)
    const late = held(await limiter.consume('k'))
    now += 1000
    const owner = held(await limiter.consume('k'))
    expect(await late.release()).toBe(false)
    expect(await late.renew()).toBe(false)
    expect((await limiter.consume('k')).allowed).toBe(false)
    expect(await owner.release()).toBe(true)
  })

  test('a lease counts in its last millisecond and not in the next', async () => {
    const limiter = limiterOf(lock)
    const lease = held(await limiter.consume('k'))
    now += 999
    expect(await lease.renew()).toBe(true)
    expect((await limiter.consume('k')).retryAfterMs).toBe(1000)
    now += 1000
    expect(await lease.renew()).toBe(false)
    expect((await limiter.consume('k')).allowed).toBe(true)
  })

  test('a renewal by a shorter lease makes it shorter', async () => {
    const limiter = limiterOf(lock)
    const plan = concurrency({ limit: 1, lease: 5000 })
    const lease = held(await limiter.consume('k', { policies: plan }))
    expect((await limiter.peek('k')).retryAfterMs).toBe(5000)
    expect(await limiter.renew('k', lease.id)).toBe(true)
    expect((await limiter.peek('k')).retryAfterMs).toBe(1000)
  })

  test('releases and renews a lease of another process by its id', async () => {
    const limiter = limiterOf(lock)
    const { id } = held(await limiter.consume('k'))
    expect(await limiter.release('k', 'another')).toBe(false)
    expect(await limiter.release('other', id)).toBe(false)
    now += 500
    expect(await limiter.renew('k', id)).toBe(true)
    expect((await limiter.peek('k')).retryAfterMs).toBe(1000)
    expect(await limiter.release('k', id)).toBe(true)
    expect(await limiter.renew('k', id)).toBe(false)
    expect(await limiter.release('k', id)).toBe(false)
  })

  test('a second lease of an owner takes no further unit, and the unit is free when all leases of the owner have ended', async () => {
    const limiter = limiterOf(two)
    const outer = held(await limiter.consume('k', { owner: 'a' }))
    now += 100
    const inner = held(await limiter.consume('k', { owner: 'a' }))
    expect(inner.id).not.toBe(outer.id)
    expect((await limiter.peek('k')).remaining).toBe(1)
    held(await limiter.consume('k', { owner: 'b' }))
    expect((await limiter.consume('k', { owner: 'c' })).allowed).toBe(false)
    expect((await limiter.consume('k', { owner: 'a' })).allowed).toBe(true)
    expect(await outer.release()).toBe(true)
    expect(await outer.release()).toBe(false)
    expect((await limiter.peek('k')).remaining).toBe(0)
    expect(await inner.release()).toBe(true)
    expect((await limiter.peek('k')).remaining).toBe(0)
    now += 1000
    expect((await limiter.peek('k')).remaining).toBe(2)
  })

  test('the unit of an owner is free when the last of its leases ends, in whatever order they are released', async () => {
    const limiter = limiterOf(lock)
    const first = held(await limiter.consume('k', { owner: 'a' }))
    now += 300
    const second = held(await limiter.consume('k', { owner: 'a' }))
    expect((await limiter.peek('k')).retryAfterMs).toBe(1000)
    await second.release()
    expect((await limiter.peek('k')).retryAfterMs).toBe(700)
    expect(await first.renew()).toBe(true)
    expect((await limiter.peek('k')).retryAfterMs).toBe(1000)
    await first.release()
    expect((await limiter.peek('k')).retryAfterMs).toBe(0)
  })

  test('an owner holds the largest of the costs', async () => {
    const limiter = limiterOf(concurrency({ limit: 5, lease: 1000 }))
    await limiter.consume('k', { owner: 'a', cost: 2 })
    expect((await limiter.consume('k', { owner: 'a' })).remaining).toBe(3)
    expect((await limiter.consume('k', { owner: 'a', cost: 4 })).remaining).toBe(1)
    await limiter.consume('k')
    // Apart from the four units of this owner, only one unit is held.
    expect(numbers(await limiter.consume('k', { owner: 'a', cost: 5 }))[2]).toBe(1000)
    expect((await limiter.consume('k', { owner: 'a', cost: 6 })).retryAfterMs).toBe(null)
  })

  test('an owner does not share the unit of a lease whose id equals the name of the owner', async () => {
    const limiter = limiterOf(lock)
    const { id } = held(await limiter.consume('k'))
    expect((await limiter.consume('k', { owner: id })).allowed).toBe(false)
  })

  test('the name of one owner may begin with the name of another', async () => {
    const limiter = limiterOf(concurrency({ limit: 9, lease: 1000 }))
    const owners = ['a', 'ab', 'abc', 'a\0', 'é', '__proto__']
    for (const owner of owners) {
      await limiter.consume('k', { owner })
      await limiter.consume('k', { owner })
    }
    expect((await limiter.peek('k')).remaining).toBe(9 - owners.length)
  })

  test('a token is greater than all earlier tokens, also those of leases that expired, were released or were reset', async () => {
    const limiter = limiterOf(two)
    const tokens: number[] = []
    for (let i = 0; i < 40; i++) {
      const { lease } = await limiter.consume('k', i % 3 === 0 ? { owner: 'a' } : {})
      if (lease !== undefined) tokens.push(lease.token)
      if (i % 2 === 0) await lease?.release()
      if (i % 5 === 0) now += 1000
      if (i % 7 === 0) now -= 300
      if (i % 11 === 0) await limiter.reset('k')
    }
    now += 3_600_000
    tokens.push(held(await limiter.consume('k')).token)
    expect(tokens.length).toBeGreaterThan(20)
    expect(tokens.filter((token, i) => i > 0 && token <= tokens[i - 1])).toEqual([])
    expect(tokens.every(Number.isSafeInteger)).toBe(true)
  })

  test('a repeated request takes the same lease', async () => {
    // A client may send a command twice: then the store receives one request two times.
    const store = createStore()
    const { spy, sent } = spyOn(store)
    for (const owner of [undefined, 'a']) {
      const limiter = createLimiter({
        name: `twice ${++named}`,
        policies: two,
        store: spy,
        clock: () => now,
      })
      const lease = held(await limiter.consume('k', owner === undefined ? {} : { owner }))
      const request = sent[sent.length - 1]
      await runOn(store, request)
      expect((await limiter.peek('k')).remaining).toBe(1)
      expect(await lease.release()).toBe(true)
      expect(await lease.release()).toBe(false)
      expect((await limiter.peek('k')).remaining).toBe(2)
    }
  })

  test('a repeated request whose lease has expired takes a unit only if one is free', async () => {
    const store = createStore()
    const { spy, sent } = spyOn(store)
    const limiter = createLimiter({
      name: `late ${++named}`,
      policies: lock,
      store: spy,
      clock: () => now,
    })
    await limiter.consume('k')
    const first = { ...sent[0], now: start + 1500 }
    now += 1000
    const other = held(await limiter.consume('k'))
    expect(await runOn(store, first)).toMatchObject({ allowed: false })
    expect(await other.release()).toBe(true)
  })

  test('one lease holds all units of a cost', async () => {
    const limiter = limiterOf(concurrency({ limit: 5, lease: 1000 }))
    const lease = held(await limiter.consume('k', { cost: 3 }))
    now += 500
    await limiter.consume('k', { cost: 2 })
    expect((await limiter.consume('k', { cost: 4 })).retryAfterMs).toBe(1000)
    expect((await limiter.consume('k', { cost: 3 })).retryAfterMs).toBe(500)
    expect((await limiter.consume('k', { cost: 6 })).retryAfterMs).toBe(null)
    expect(await lease.release()).toBe(true)
    expect((await limiter.peek('k')).remaining).toBe(3)
  })

  test('a cost of 0 takes no lease, and only a debt, a block or a limit of 0 denies it', async () => {
    const limiter = limiterOf(lock)
    expect((await limiter.consume('k', { cost: 0 })).lease).toBe(undefined)
    await limiter.consume('k')
    expect((await limiter.consume('k', { cost: 0 })).allowed).toBe(true)
    await limiter.penalize('k', 1)
    expect(numbers(await limiter.consume('k', { cost: 0 }))).toEqual([false, 0, 1000, 1000, 1000])
    await limiter.reset('k')
    await limiter.block('k', 50)
    expect((await limiter.consume('k', { cost: 0 })).retryAfterMs).toBe(50)
    const none = limiterOf(concurrency({ limit: 0, lease: 1000 }))
    expect(numbers(await none.consume('k', { cost: 0 }))).toEqual([false, 0, null, 0, 0])
  })

  test('neither a denial nor a peek takes a lease', async () => {
    const limiter = limiterOf(lock)
    expect('lease' in (await limiter.peek('k'))).toBe(false)
    await limiter.consume('k')
    expect('lease' in (await limiter.consume('k'))).toBe(false)
  })

  test('a refund of a decision releases its lease, once', async () => {
    const limiter = limiterOf(lock)
    const decision = await limiter.consume('k')
    expect(await limiter.refund(decision)).toBe(true)
    expect(await limiter.refund(decision)).toBe(false)
    expect(await held(decision).release()).toBe(false)
    expect((await limiter.peek('k')).remaining).toBe(1)
  })

  test('a refund after the lease has expired frees no unit of another lease', async () => {
    const limiter = limiterOf(lock)
    const decision = await limiter.consume('k')
    now += 1000
    await limiter.consume('k')
    await limiter.refund(decision)
    expect((await limiter.peek('k')).remaining).toBe(0)
  })

  test('penalize takes units that no caller can release, and a refund of n ends the newest whole leases', async () => {
    const limiter = limiterOf(concurrency({ limit: 5, lease: 1000 }))
    const oldest = held(await limiter.consume('k', { cost: 2 }))
    await limiter.penalize('k', 4)
    expect((await limiter.status('k')).policies['default']).toMatchObject({ used: 6, remaining: 0 })
    await limiter.refund('k', 3)
    expect((await limiter.status('k')).policies['default'].used).toBe(6)
    await limiter.refund('k', 5)
    expect((await limiter.status('k')).policies['default'].used).toBe(2)
    const newest = held(await limiter.consume('k'))
    await limiter.refund('k')
    expect(await newest.release()).toBe(false)
    expect(await oldest.release()).toBe(true)
  })

  test('a release frees the lease only, and refunds nothing in other policies', async () => {
    const limiter = limiterOf({ held: lock, rate: fixedWindow({ limit: 2, window: 5000 }) })
    const first = await limiter.consume('k')
    await held(first).release()
    expect((await limiter.consume('k')).policies['rate'].remaining).toBe(0)
    const denied = await limiter.consume('k')
    expect(denied.deniedBy).toEqual(['held', 'rate'])
    // A refund returns the units of both policies, even after the release of the lease.
    await limiter.refund(first)
    expect((await limiter.peek('k')).policies['rate'].remaining).toBe(1)
  })

  test('a request that another policy denies takes no lease', async () => {
    const limiter = limiterOf({ rate: fixedWindow({ limit: 1, window: 5000 }), held: two })
    await held(await limiter.consume('k')).release()
    expect((await limiter.consume('k')).deniedBy).toEqual(['rate'])
    expect((await limiter.peek('k')).policies['held'].remaining).toBe(2)
  })

  test('the leases of several concurrency policies with different keys are released together', async () => {
    const limiter = limiterOf({ user: lock, all: two })
    const first = held(await limiter.consume({ user: 'a', all: '*' }))
    held(await limiter.consume({ user: 'b', all: '*' }))
    expect((await limiter.consume({ user: 'c', all: '*' })).deniedBy).toEqual(['all'])
    expect(await first.renew()).toBe(true)
    expect(await first.release()).toBe(true)
    expect((await limiter.peek({ user: 'a', all: '*' })).remaining).toBe(1)
  })

  test('many keys in one call have separate leases', async () => {
    const limiter = limiterOf(two)
    const decisions = await limiter.consumeMany([
      { key: 'a' },
      { key: 'a' },
      { key: 'a' },
      { key: 'b' },
    ])
    expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true, false, true])
    expect(await held(decisions[0]).release()).toBe(true)
    expect((await limiter.peek('a')).remaining).toBe(1)
  })

  test('a lowered limit counts the leases that are held, and returns when a unit will be free', async () => {
    const limiter = limiterOf(concurrency({ limit: 5, lease: 1000 }))
    for (let i = 0; i < 5; i++, now += 100) await limiter.consume('k')
    const lowered = await limiter.consume('k', { policies: two })
    expect(numbers(lowered)).toEqual([false, 0, 800, 800, 900])
    expect(lowered.limit).toBe(2)
  })

  test('a clock that steps back frees no unit early, and delays by no more than the step', async () => {
    const limiter = limiterOf(lock)
    await limiter.consume('k')
    now -= 400
    expect((await limiter.consume('k')).retryAfterMs).toBe(1400)
    now = start + 1000
    expect((await limiter.consume('k')).allowed).toBe(true)
    // A lease that is granted now begins at the latest time that the clock has shown.
    now -= 700
    expect(numbers(await limiter.consume('k', { policies: two }))).toEqual([true, 0, 0, 1700, 1700])
  })

  test('expired leases are deleted once, and the others stay', async () => {
    const limiter = limiterOf(concurrency({ limit: 4, lease: 1000 }))
    for (let i = 0; i < 4; i++, now += 300) await limiter.consume('k')
    now = start + 1300
    expect((await limiter.consume('k')).remaining).toBe(1)
    expect((await limiter.peek('k')).remaining).toBe(1)
    expect((await limiter.consume('k', { owner: 'a' })).remaining).toBe(0)
    expect((await limiter.consume('k')).retryAfterMs).toBe(300)
    now += 300
    expect((await limiter.consume('k', { cost: 2 })).retryAfterMs).toBe(300)
    expect((await limiter.consume('k', { owner: 'a' })).remaining).toBe(1)
    expect((await limiter.peek('k')).remaining).toBe(1)
  })

  test('a further lease of an owner extends the time of its unit', async () => {
    const limiter = limiterOf(lock)
    await limiter.consume('k', { owner: 'a' })
    now += 300
    expect(numbers(await limiter.consume('k', { owner: 'a' }))).toEqual([true, 0, 0, 1000, 1000])
  })

  test('a block starts when the last unit is taken, and ends with the refund of that request', async () => {
    const limiter = limiterOf(concurrency({ limit: 2, lease: 1000, block: { for: 5000 } }))
    await limiter.consume('k', { owner: 'a' })
    expect((await limiter.peek('k')).allowed).toBe(true)
    const last = await limiter.consume('k', { owner: 'b' })
    expect((await limiter.consume('k', { owner: 'a' })).retryAfterMs).toBe(5000)
    await limiter.refund(last)
    expect((await limiter.peek('k')).remaining).toBe(1)
  })

  test('reset ends all leases', async () => {
    const limiter = limiterOf(two)
    const lease = held(await limiter.consume('k', { owner: 'a', cost: 2 }))
    expect(await limiter.reset('k')).toBe(true)
    expect(await lease.release()).toBe(false)
    expect(numbers(await limiter.peek('k'))).toEqual([true, 2, 0, 0, 0])
  })

  test('acquire gets the unit soon after it is released, not only when its lease expires', async () => {
    const limiter = limiterOf(concurrency({ limit: 1, lease: '1h' }), undefined)
    const lease = held(await limiter.consume('k'))
    const waiting = limiter.acquire('k')
    expect((await limiter.acquire('k', { maxWait: 20 })).allowed).toBe(false)
    expect(await lease.release()).toBe(true)
    const next = held(await waiting)
    expect(next.token).toBeGreaterThan(lease.token)
  })

  test('an acquire that stops waiting holds no lease', async () => {
    const policies = { queue: leakyQueue({ leak: 1, every: 60_000, maxDelay: '1h' }), held: two }
    const limiter = limiterOf(policies, undefined)
    await limiter.consume('k')
    const late = await limiter.acquire('k', { maxWait: 10 })
    expect([late.allowed, 'lease' in late]).toEqual([false, false])
    expect((await limiter.peek('k')).policies['held'].remaining).toBe(1)
  })

  test.each(['', 5, null, '\ud800'])('rejects %j as an owner or a lease id', async (value) => {
    const limiter = limiterOf(lock)
    const calls = [
      () => Reflect.apply(limiter.consume, limiter, ['k', { owner: value }]),
      () => Reflect.apply(limiter.release, limiter, ['k', value]),
      () => Reflect.apply(limiter.renew, limiter, ['k', value]),
    ]
    for (const call of calls) {
      const error = await errorOf(call)
      expect(error.code).toBe('SLUICE_OPTION_INVALID')
      expect(error.message).toContain('a non-empty string')
    }
  })

  test('rejects a release if no policy has leases', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 2, window: 5000 }))
    const error = await errorOf(() => limiter.release('k', 'id'))
    expect(error.message).toContain('at least one concurrency policy')
    expect((await limiter.consume('k', { owner: 'a' })).lease).toBe(undefined)
  })
})

test('a memory store returns the result of release and renew at once', () => {
  const limiter = createLimiter({ name: 'sync', policies: concurrency({ limit: 1, lease: 1000 }) })
  const { lease } = limiter.consume('k')
  const answers: (boolean | undefined)[] = [
    lease?.renew(),
    lease?.release(),
    limiter.release('k', 'id'),
  ]
  expect(answers).toEqual([true, true, false])
})

/** allowed, remaining, retryAfterMs, nextMs, resetMs */
function numbers({ allowed, remaining, retryAfterMs, policies, resetMs }: Decision): unknown[] {
  return [allowed, remaining, retryAfterMs, Object.values(policies)[0].nextMs, resetMs]
}

function held({ lease }: Decision): HeldLease {
  if (lease === undefined) throw new Error('no lease was granted')
  return lease
}

async function errorOf(call: () => unknown): Promise<SluiceError> {
  try {
    await call()
  } catch (error) {
    if (error instanceof SluiceError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

type Request = Parameters<SyncStore['run']>[0]

/** The same store with a record of its requests. */
function spyOn(store: Store): { spy: Store; sent: Request[] } {
  const sent: Request[] = []
  const spy: Store = store.async
    ? {
        ...store,
        run: (requests: readonly Request[]) => (sent.push(...requests), store.run(requests)),
      }
    : { ...store, run: (request: Request) => (sent.push(request), store.run(request)) }
  return { spy, sent }
}

async function runOn(store: Store, request: Request): Promise<unknown> {
  return store.async ? (await store.run([request]))[0] : store.run(request)
}

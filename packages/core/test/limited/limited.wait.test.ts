import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  leakyQueue,
  limited,
  memoryStore,
  notLimited,
  SluiceError,
  type AsyncStore,
} from '../../src/index.js'
import { rejectionOf } from '../error-of.js'
import { counted, forAll, limiterOf, once, pass, useTimers } from './limited-bench.js'

beforeEach(useTimers)
afterEach(() => {
  vi.useRealTimers()
})

describe('waiting', () => {
  test('delays a call until it is allowed, to the millisecond', async () => {
    const { ran, work } = counted()
    const limitedWork = limited(limiterOf(once), forAll, { wait: { max: '1m' } })(work)
    await limitedWork()
    const second = limitedWork()
    await pass(59_999)
    expect(ran()).toBe(1)
    await pass(1)
    expect([ran(), await second]).toEqual([2, 2])
  })

  test('denies a call at once if its wait would be too long', async () => {
    const limitedWork = limited(limiterOf(once), forAll, { wait: { max: 59_999 } })(() => 'done')
    await limitedWork()
    expect(await rejectionOf(limitedWork())).toMatchObject({
      code: 'SLUICE_DENIED',
      decision: { allowed: false, retryAfterMs: 60_000 },
    })
  })

  test('uses the cost and the policies of the call', async () => {
    const limiter = limiterOf(once)
    const { ran, work } = counted()
    const policies = fixedWindow({ limit: 5, window: '1s' })
    const describeCall = (cost: number) => ({ key: 'all', cost, policies })
    const limit = limited(limiter, describeCall, { wait: { max: '1m' } })
    const upload = limit((_size: number) => work())
    const calls = [upload(3), upload(3), upload(2)]
    await pass(999)
    expect(ran()).toBe(1)
    await pass(1)
    expect([ran(), await Promise.all(calls)]).toEqual([3, [1, 2, 3]])
  })

  test('ends when the signal aborts, with its reason, and consumes nothing', async () => {
    const limiter = limiterOf(once)
    const { ran, work } = counted()
    const describeCall = (signal: AbortSignal) => ({ key: 'all', signal })
    const limit = limited(limiter, describeCall, { wait: { max: '1h' } })
    const limitedWork = limit((_signal: AbortSignal) => work())
    limiter.consume('all')
    const call = new AbortController()
    const waiting = limitedWork(call.signal)
    await pass(30_000)
    call.abort('enough')
    await expect(waiting).rejects.toBe('enough')
    await pass(30_000)
    expect([ran(), limiter.peek('all')]).toEqual([0, expect.objectContaining({ remaining: 1 })])
  })

  test('with a signal that is aborted already, a call is neither counted nor run', async () => {
    const limiter = limiterOf(once)
    const asked = vi.spyOn(limiter, 'consume')
    const { ran, work } = counted()
    const signal = AbortSignal.abort('stopped')
    for (const options of [{}, { wait: { max: '1h' } }] as const) {
      const limit = limited(limiter, () => ({ key: 'all', signal }), options)
      await expect(limit(work)()).rejects.toBe('stopped')
    }
    expect([ran(), asked.mock.calls]).toEqual([0, []])
  })

  test('a leaky queue delays a call by the delay of its decision', async () => {
    const queue = leakyQueue({ leak: 1, every: '1s', maxDelay: '10s' })
    const { ran, work } = counted()
    const limitedWork = limited(limiterOf(queue), forAll)(work)
    const calls = [limitedWork(), limitedWork(), limitedWork()]
    const seen = []
    for (const ms of [0, 999, 1, 999, 1]) {
      await pass(ms)
      seen.push(ran())
    }
    expect(seen).toEqual([1, 1, 2, 2, 3])
    await Promise.all(calls)
  })

  test('a call that is aborted in a leaky queue is refunded', async () => {
    const limiter = limiterOf(leakyQueue({ leak: 1, every: '1s', maxDelay: '10s' }))
    const { ran, work } = counted()
    const stop = new AbortController()
    await limited(limiter, forAll)(work)()
    const before = limiter.status('all')
    const delayed = limited(limiter, () => ({ key: 'all', signal: stop.signal }))(work)()
    await pass(0)
    expect(limiter.status('all')).not.toEqual(before)
    stop.abort('enough')
    await expect(delayed).rejects.toBe('enough')
    expect([ran(), limiter.status('all')]).toEqual([1, before])
  })
})

describe('the lease of a concurrency policy', () => {
  const policies = concurrency({ limit: 1, lease: '10s' })

  test('is held while the function runs, and released when it has ended', async () => {
    const limiter = limiterOf(policies)
    const { promise, resolve } = gate()
    const work = limited(limiter, forAll)(() => promise)
    const first = work()
    await pass(0)
    expect((await rejectionOf(work())).code).toBe('SLUICE_DENIED')
    resolve('done')
    expect(await first).toBe('done')
    expect(limiter.peek('all')).toMatchObject({ allowed: true, remaining: 1 })
  })

  test('is also released when the function throws or rejects', async () => {
    const limiter = limiterOf(policies)
    const limit = limited(limiter, forAll)
    const broken = new Error('broken')
    const fail = () => {
      throw broken
    }
    for (const work of [fail, async () => fail()]) {
      await expect(limit(work)()).rejects.toBe(broken)
      expect(limiter.peek('all')).toMatchObject({ remaining: 1 })
    }
  })

  test('is renewed for as long as the function runs', async () => {
    const limiter = limiterOf(policies)
    const { promise, resolve } = gate()
    const first = limited(limiter, forAll)(() => promise)()
    for (let second = 0; second < 60; second++) {
      await pass(1000)
      expect(limiter.peek('all')).toMatchObject({ allowed: false })
    }
    resolve('done')
    await first
    await pass(10_000)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([['with wait', { wait: { max: '1h' } }] as const, ['without wait', {}] as const])(
    'does not change the result of the function if it cannot be released: %s',
    async (_, wait) => {
      const limiter = createLimiter({ name: 'calls', policies, store: storeWithoutRelease() })
      const broken = new Error('broken')
      const limit = limited(limiter, (key: string) => ({ key }), wait)
      expect(await limit(async (_key: string) => 'done')('one')).toBe('done')
      await expect(limit((_key: string) => Promise.reject(broken))('two')).rejects.toBe(broken)
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  test('is renewed while a leaky queue delays the call', async () => {
    const slots = concurrency({ limit: 2, lease: '10s' })
    const limiter = limiterOf({ pace: leakyQueue({ leak: 1, every: '1m', maxDelay: '1h' }), slots })
    const { promise, resolve } = gate()
    const work = limited(limiter, forAll)(() => promise)
    const calls = [work(), work()]
    for (let second = 0; second < 90; second++) {
      await pass(1000)
      expect(await limiter.peek({ pace: notLimited, slots: 'all' })).toMatchObject({ remaining: 0 })
    }
    resolve('done')
    expect(await Promise.all(calls)).toEqual(['done', 'done'])
    expect(limiter.peek({ pace: notLimited, slots: 'all' })).toMatchObject({ remaining: 2 })
    expect(vi.getTimerCount()).toBe(0)
  })

  test('is renewed while a leaky queue delays a call that waits', async () => {
    const slots = concurrency({ limit: 2, lease: '10s' })
    const limiter = limiterOf({ pace: leakyQueue({ leak: 1, every: '1m', maxDelay: '1h' }), slots })
    const work = limited(limiter, forAll, { wait: { max: '1h' } })(() => 'done')
    await work()
    const delayed = work()
    await pass(59_000)
    const { remaining } = limiter.peek({ pace: notLimited, slots: 'all' })
    await pass(1000)
    await delayed
    expect(remaining).toBe(1)
  })

  test('is released before the limited function resolves', async () => {
    const events: string[] = []
    const memory = memoryStore()
    const store: AsyncStore = {
      ...storeWithoutRelease(),
      async run(requests) {
        for (let i = 0; i < 10; i++) await Promise.resolve()
        events.push(...requests.map(({ verb }) => verb))
        return requests.map(memory.run)
      },
    }
    const limiter = createLimiter({ name: 'calls', policies, store })
    await limited(limiter, forAll)(() => events.push('runs'))()
    events.push('resolves')
    expect(events).toEqual(['consume', 'runs', 'release', 'resolves'])
  })

  test('passes to the next call that waits', async () => {
    const limiter = limiterOf(policies)
    const running: number[] = []
    let most = 0
    const work = limited(limiter, forAll, { wait: { max: '1m' } })(async (id: number) => {
      running.push(id)
      most = Math.max(most, running.length)
      await new Promise((resolve) => setTimeout(resolve, 100))
      return running.shift()
    })
    const calls = Promise.all([1, 2, 3].map((id) => work(id)))
    for (let i = 0; i < 100; i++) await pass(10)
    expect([await calls, most]).toEqual([[1, 2, 3], 1])
  })
})

/** A promise that its test resolves. */
function gate(): { promise: Promise<string>; resolve: (value: string) => void } {
  let open: (value: string) => void = () => {}
  const promise = new Promise<string>((resolve) => (open = resolve))
  return { promise, resolve: (value) => open(value) }
}

/** A store that fails when a lease is released. */
function storeWithoutRelease(): AsyncStore {
  const memory = memoryStore()
  const gone = new SluiceError('SLUICE_STORE_FAILED', 'gone')
  return {
    async: true,
    run: async (requests) =>
      requests.map((request) => (request.verb === 'release' ? gone : memory.run(request))),
    ping: async () => true,
    async close() {},
  }
}

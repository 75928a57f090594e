import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import {
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  notLimited,
  staged,
  type Decision,
  type Policies,
  type Store,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bothStores } from '../both-stores.js'

const server = useRedis()

/** A limiter whose clock does not proceed. */
function limiterAtOneMoment(policies: Policies, store: Store) {
  return createLimiter({ name: randomUUID(), policies, store, clock: () => today })
}

/** One request each 100 ms, and at most three waiting requests. */
const queue = leakyQueue({ leak: 1, every: 100, maxDelay: 300 })

describe('over memory, to the millisecond', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  describe('the queue decides the order of its requests', () => {
    test('maxDelay applies to the waiting calls of one process: a request that would wait longer is denied at once', async () => {
      const { come, arrivals } = setup(queue)
      come('a', 'b', 'c', 'd', 'e', 'f')
      await pass(0)
      expect(arrivals).toEqual(['a 0', 'e denied 100', 'f denied 100'])
      await pass(300)
      expect(arrivals.slice(3)).toEqual(['b 100', 'c 200', 'd 300'])
    })

    test('a maxWait below maxDelay also denies at once, and the denied request takes no unit', async () => {
      const { limiter, come, arrivals } = setup(queue)
      come('a', 'b')
      const late = limiter.acquire('key', { maxWait: 199 })
      come('c')
      await pass(0)
      expect(await late).toMatchObject({
        allowed: false,
        retryAfterMs: 200,
        deniedBy: ['default'],
        remaining: 2,
        resetMs: 200,
      })
      await pass(200)
      expect(arrivals).toEqual(['a 0', 'b 100', 'c 200'])
      expect(limiter.refund(await late)).toBe(false)
    })

    test('a later request is delayed until after the earlier ones', async () => {
      const { come, arrivals } = setup(queue)
      come('a', 'b', 'c')
      await pass(50)
      come('d')
      await pass(250)
      expect(arrivals).toEqual(['a 0', 'b 100', 'c 200', 'd 300'])
    })

    test('a request of cost 0 also continues after the request before it', async () => {
      const { limiter, arrivals } = setup(queue)
      for (const [name, cost] of [
        ['a', 1],
        ['b', 1],
        ['c', 0],
        ['d', 0],
      ] as const) {
        void limiter.acquire('key', { cost }).then(() => arrivals.push(name))
      }
      await pass(100)
      expect(arrivals).toEqual(['a', 'b'])
      await pass(100)
      expect(arrivals).toEqual(['a', 'b', 'c', 'd'])
    })

    test('a request that is aborted during its delay is refunded, and delays no later request', async () => {
      const { limiter, come, arrivals } = setup(queue)
      come('a', 'b')
      const controller = new AbortController()
      const leaving = limiter.acquire('key', { signal: controller.signal })
      await pass(50)
      controller.abort('changed my mind')
      await expect(leaving).rejects.toBe('changed my mind')
      come('c')
      await pass(150)
      expect(arrivals).toEqual(['a 0', 'b 100', 'c 200'])
    })

    test('of requests that are aborted together, those before the last one still delay later requests', async () => {
      const { limiter, come, arrivals } = setup(queue)
      come('a')
      const controller = new AbortController()
      const leaving = [1, 2, 3].map(async () =>
        limiter.acquire('key', { signal: controller.signal }),
      )
      await pass(50)
      controller.abort('changed my mind')
      const ends = await Promise.allSettled(leaving)
      expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
      come('b', 'c')
      await pass(250)
      // They leave the queue in their order, and only the last request of a queue leaves its time to later ones.
      expect(arrivals).toEqual(['a 0', 'c denied 50', 'b 300'])
    })

    test('minimum spacing without a queue denies a request that would have to wait', async () => {
      const { come, arrivals } = setup(leakyQueue({ leak: 1, every: 100, maxDelay: 0 }))
      come('a', 'b')
      await pass(0)
      expect(arrivals).toEqual(['a 0', 'b denied 100'])
    })

    test('a queue among the policies of a call also delays', async () => {
      const { limiter, arrivals } = setup(fixedWindow({ limit: 9, window: '1h' }))
      for (const name of ['a', 'b', 'c', 'd', 'e']) {
        void limiter
          .acquire('key', { policies: queue })
          .then(({ allowed }) => arrivals.push(`${name} ${allowed}`))
      }
      await pass(0)
      expect(arrivals).toEqual(['a true', 'e false'])
      await pass(300)
      expect(arrivals.slice(2)).toEqual(['b true', 'c true', 'd true'])
    })
  })

  describe('beside other policies', () => {
    test('a request waits until the other policy allows it, and is then delayed by the queue', async () => {
      const { come, arrivals } = setup({ queue, window: fixedWindow({ limit: 2, window: 1000 }) })
      come('a', 'b', 'c', 'd')
      await pass(999)
      expect(arrivals).toEqual(['a 0', 'b 100'])
      await pass(101)
      expect(arrivals.slice(2)).toEqual(['c 1000', 'd 1100'])
    })

    test('a request is denied if the queue is still too long when the other policy allows', async () => {
      const { limiter, come, arrivals } = setup({ queue, pace: gcra({ limit: 1, window: 50 }) })
      limiter.penalize({ queue: 'key', pace: notLimited }, 6)
      come('a')
      await pass(0)
      expect(arrivals).toEqual(['a denied 300'])
    })

    test('a request waits for the end of a block, even if the queue is too long now', async () => {
      const { limiter, come, arrivals } = setup(queue)
      limiter.penalize('key', 6)
      limiter.block('key', 400)
      come('a')
      await pass(399)
      expect(arrivals).toEqual([])
      await pass(201)
      expect(arrivals).toEqual(['a 600'])
    })

    test('a queue as the second stage denies in the same way, but a request waits if the first stage allows it earlier', async () => {
      const free = fixedWindow({ limit: 1, window: 1000 })
      const { come, arrivals } = setup(staged({ free, then: queue }))
      come('a', 'b', 'c', 'd', 'e')
      await pass(0)
      expect(arrivals).toEqual(['a 0', 'e denied 100'])
      await pass(950)
      expect(arrivals.slice(2)).toEqual(['b 100', 'c 200', 'd 300'])
    })
  })

  describe('the decision of a delayed request', () => {
    test('has the numbers of the moment at which it was made, and no delay', async () => {
      const { limiter } = setup(leakyQueue({ leak: 1, every: 100, maxDelay: 1000 }))
      const seen: unknown[] = []
      for (let i = 0; i < 3; i++) void limiter.acquire('key').then((one) => seen.push(numbers(one)))
      await pass(100)
      limiter.consume('key', { cost: 2 })
      await pass(100)
      // resetMs, remaining, used, nextMs
      expect(seen).toEqual([
        [100, 10, 1, 100],
        [200, 9, 2, 100],
        [300, 8, 3, 100],
      ])
    })

    test('has them for every policy, and can be refunded', async () => {
      const { limiter } = setup({ queue, hour: fixedWindow({ limit: 5, window: 3600 }) })
      limiter.consume('key')
      const held = limiter.acquire('key', { cost: 2 })
      await pass(50)
      limiter.consume('key')
      await pass(50)
      const decision = await held
      expect(decision).toMatchObject({ allowed: true, remaining: 1, resetMs: 3600, delayMs: 0 })
      const { hour, queue: line } = decision.policies
      expect([hour.used, hour.resetMs, hour.delayMs]).toEqual([3, 3600, 0])
      expect([line.used, line.resetMs, line.delayMs]).toEqual([3, 300, 0])
      expect([limiter.refund(decision), limiter.refund(decision)]).toEqual([true, false])
      expect(limiter.peek('key').policies['hour'].used).toBe(2)
    })

    test('has those of its decision also if it had to wait longer for the calls before it', async () => {
      const { limiter } = setup(leakyQueue({ leak: 1, every: 100, maxDelay: 1000 }))
      limiter.consume('key', { cost: 5 })
      const ended: unknown[] = []
      const call = async (cost: number): Promise<void> => {
        ended.push([cost, numbers(await limiter.acquire('key', { cost }))])
      }
      void call(1)
      await pass(100)
      // The queue is empty again, but the call that it delays keeps its place.
      limiter.reset('key')
      void call(3)
      await pass(100)
      limiter.consume('key')
      await pass(299)
      expect(ended).toEqual([])
      await pass(1)
      // resetMs, remaining, used, nextMs
      expect(ended).toEqual([
        [1, [600, 5, 6, 100]],
        [3, [300, 8, 3, 100]],
      ])
    })

    function numbers({ resetMs, remaining, delayMs, policies: { default: own } }: Decision) {
      expect([delayMs, own.delayMs]).toEqual([0, 0])
      expect([own.resetMs, own.remaining]).toEqual([resetMs, remaining])
      return [resetMs, remaining, own.used, own.nextMs]
    }
  })

  /** A limiter whose clock advances with the timers. It records the time of each allowed request, and the wait of each denial. */
  function setup(policies: Policies) {
    const arrivals: string[] = []
    const begins = performance.now()
    const clock = () => Math.floor(today + performance.now())
    const limiter = createLimiter({ name: 'queue', policies, store: memoryStore(), clock })
    function come(...names: string[]): void {
      for (const name of names) {
        void limiter.acquire('key').then((decision) => arrivals.push(`${name} ${said(decision)}`))
      }
    }
    function said({ allowed, retryAfterMs }: Decision): string {
      return allowed ? `${Math.round(performance.now() - begins)}` : `denied ${retryAfterMs}`
    }
    return { limiter, arrivals, come }
  }

  async function pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms)
    await turn()
  }
})

// They wait at the same time.
describe.concurrent.each(bothStores(server))('in real time, on $where', ({ makeStore }) => {
  test('a burst continues in its order and no faster than the queue leaks, and the requests beyond maxDelay are denied first', async () => {
    // All requests are decided before the queue has leaked once.
    const policies = leakyQueue({ leak: 1, every: 250, maxDelay: 1250 })
    const limiter = limiterAtOneMoment(policies, makeStore())
    const order: string[] = []
    const begins = performance.now()
    await Promise.all(
      Array.from({ length: 9 }, async (_, i) => {
        const { allowed } = await limiter.acquire('key', { maxWait: '10s' })
        order.push(`${i} ${allowed ? 'allowed' : 'denied'}`)
      }),
    )
    const tookMs = performance.now() - begins
    const allowed = order.filter((one) => one.endsWith('allowed'))
    expect(allowed).toEqual([0, 1, 2, 3, 4, 5].map((i) => `${i} allowed`))
    expect(order.filter((one) => one.endsWith('denied'))).toEqual([
      '6 denied',
      '7 denied',
      '8 denied',
    ])
    expect(order.at(-1)).toBe('5 allowed')
    // A timer may fire up to a millisecond before its time.
    expect(tookMs).toBeGreaterThan(5 * 250 - 2)
  })

  test('the order of the requests does not slow down a fast queue', async () => {
    const policies = leakyQueue({ leak: 2000, every: '1s', maxDelay: '10s' })
    const limiter = createLimiter({ name: randomUUID(), policies, store: makeStore() })
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        if ((await limiter.acquire('key')).allowed) order.push(i)
      }),
    )
    expect(order).toEqual([...Array(200).keys()])
  })

  test('the decision of a delayed request has the numbers of the moment at which it was made, and no delay', async () => {
    const policies = leakyQueue({ leak: 1, every: 200, maxDelay: '10s' })
    const limiter = limiterAtOneMoment(policies, makeStore())
    await limiter.consume('key')
    const held = limiter.acquire('key')
    const behind = limiter.acquire('key', { cost: 10 })
    const decision = await held
    expect([decision.delayMs, decision.policies['default'].delayMs]).toEqual([0, 0])
    expect(decision.policies['default'].used).toBe(2)
    expect((await behind).policies['default'].used).toBe(12)
  })
})

/** 2025-11-21T00:00:00Z */
const today = 1_763_683_200_000

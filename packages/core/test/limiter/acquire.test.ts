import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import {
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  redisStore,
  tokenBucket,
  type AcquireOptions,
  type AsyncStore,
  type Policies,
  type Policy,
  type Store,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { bothStores } from '../both-stores.js'

const server = useRedis()

const hourly = fixedWindow({ limit: 1, window: '1h' })

describe('over memory, to the millisecond', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('resolves at once if a unit is free, and takes it', async () => {
    const { limiter } = setup(hourly)
    expect(await limiter.acquire('key')).toMatchObject({ allowed: true, remaining: 0 })
    expect(limiter.consume('key').allowed).toBe(false)
  })

  test('resolves in the millisecond in which a unit becomes free, and not before', async () => {
    const { limiter, come } = setup(hourly)
    limiter.consume('key')
    const arrivals = come('first')
    await pass(3_599_999)
    expect(arrivals).toEqual([])
    await pass(1)
    expect(arrivals).toEqual(['first'])
    expect(limiter.consume('key').allowed).toBe(false)
  })

  test('decides the calls for a key in the order in which they were made', async () => {
    const { come } = setup(gcra({ limit: 1, window: 100 }))
    const arrivals = come('a', 'b', 'c', 'd')
    const seen = []
    for (let i = 0; i < 4; i++) {
      await pass(i === 0 ? 0 : 100)
      seen.push([...arrivals])
    }
    expect(seen).toEqual([['a'], ['a', 'b'], ['a', 'b', 'c'], ['a', 'b', 'c', 'd']])
  })

  test('decides no request of a low cost before an earlier one of a high cost', async () => {
    const { limiter, arrivals } = setup(tokenBucket({ capacity: 3, refill: 1, every: 100 }))
    limiter.consume('key', { cost: 2 })
    const dear = limiter.acquire('key', { cost: 3 }).then(() => arrivals.push('dear'))
    const cheap = limiter.acquire('key').then(() => arrivals.push('cheap'))
    await pass(199)
    expect(arrivals).toEqual([])
    await pass(101)
    await Promise.all([dear, cheap])
    expect(arrivals).toEqual(['dear', 'cheap'])
  })

  test('does not delay requests of another key', async () => {
    const { limiter } = setup(hourly)
    limiter.consume('busy')
    const { signal, abort } = aborting()
    const waiting = limiter.acquire('busy', { signal })
    expect((await limiter.acquire('free')).allowed).toBe(true)
    expect((await limiter.acquire(['busy', 'free'])).allowed).toBe(true)
    abort('enough')
    await expect(waiting).rejects.toBe('enough')
  })

  test('waits longer than the longest timer', async () => {
    const { limiter, come } = setup(fixedWindow({ limit: 1, window: '60d' }))
    limiter.consume('key')
    const arrivals = come('patient')
    for (let day = 0; day < 60; day++) {
      expect(arrivals).toEqual([])
      await pass(86_400_000)
    }
    expect(arrivals).toEqual(['patient'])
  })

  describe('maxWait', () => {
    test('that is too short is denied at once, and takes nothing', async () => {
      const { limiter } = setup(hourly)
      limiter.consume('key')
      const before = limiter.status('key')
      expect(await limiter.acquire('key', { maxWait: 3_599_999 })).toMatchObject({
        allowed: false,
        retryAfterMs: 3_600_000,
        deniedBy: ['default'],
      })
      expect(limiter.status('key')).toEqual(before)
    })

    test('that is exactly long enough is waited for', async () => {
      const { limiter, arrivals } = setup(hourly)
      limiter.consume('key')
      const waiting = limiter
        .acquire('key', { maxWait: '1h' })
        .then(({ allowed }) => arrivals.push(`${allowed}`))
      await pass(3_600_000)
      await waiting
      expect(arrivals).toEqual(['true'])
    })

    test('of 0 decides once', async () => {
      const { limiter } = setup(hourly)
      expect((await limiter.acquire('key', { maxWait: 0 })).allowed).toBe(true)
      expect((await limiter.acquire('key', { maxWait: 0 })).allowed).toBe(false)
    })

    test('does not apply to a cost above the limit, which is denied at once', async () => {
      const { limiter } = setup(hourly)
      expect(await limiter.acquire('key', { cost: 2 })).toMatchObject({
        allowed: false,
        retryAfterMs: null,
      })
    })

    test('that is shorter than the wait of the call before is denied at once', async () => {
      const { limiter } = setup(hourly)
      limiter.consume('key')
      const { signal, abort } = aborting()
      const before = limiter.acquire('key', { signal })
      await pass(0)
      const answer = limiter.acquire('key', { maxWait: '59m' })
      const soon = turn('still waiting')
      expect(await Promise.race([answer, soon])).toMatchObject({ allowed: false })
      abort('enough')
      await expect(before).rejects.toBe('enough')
    })

    test('of a waiting call ends in a denial for its own cost at its own time', async () => {
      const { limiter } = setup(tokenBucket({ capacity: 5, refill: 1, every: 100 }))
      limiter.consume('key', { cost: 4 })
      const before = limiter.acquire('key', { cost: 4 })
      const short = limiter.acquire('key', { cost: 3, maxWait: 150 }).then((denial) => {
        const { policies } = limiter.peek('key', { cost: 3 })
        return { said: denial.policies, policies }
      })
      await pass(150)
      const { said, policies } = await short
      expect(said).toEqual(policies)
      await pass(150)
      expect((await before).allowed).toBe(true)
    })

    test('of a call that those before it make too late ends in a denial at once, and the others keep their order', async () => {
      const { limiter, come, arrivals } = setup(gcra({ limit: 1, window: 100 }))
      come('a', 'b')
      const short = limiter
        .acquire('key', { maxWait: 150 })
        .then(({ allowed }) => arrivals.push(`short ${allowed}`))
      come('c')
      await pass(150)
      expect(arrivals).toEqual(['a', 'short false', 'b'])
      await pass(50)
      await short
      expect(arrivals).toEqual(['a', 'short false', 'b', 'c'])
    })
  })

  describe('abort', () => {
    test('before the call takes nothing', async () => {
      const { limiter } = setup(hourly)
      const { signal, abort } = aborting()
      abort('too late')
      await expect(limiter.acquire('key', { signal })).rejects.toBe('too late')
      expect(limiter.peek('key').remaining).toBe(1)
    })

    test('rejects at once with its reason, takes nothing, and the next call is decided', async () => {
      const { limiter, come } = setup(gcra({ limit: 1, window: 100 }))
      limiter.consume('key')
      const { signal, abort } = aborting()
      const given = limiter.acquire('key', { signal })
      const arrivals = come('next')
      await pass(50)
      abort('changed my mind')
      await expect(given).rejects.toBe('changed my mind')
      await pass(49)
      expect(arrivals).toEqual([])
      await pass(1)
      expect(arrivals).toEqual(['next'])
    })

    test('of a call between others lets the later calls move up by one', async () => {
      const { limiter, come, arrivals } = setup(gcra({ limit: 1, window: 100 }))
      come('a', 'b')
      const { signal, abort } = aborting()
      const given = limiter.acquire('key', { signal })
      come('c')
      abort('changed my mind')
      await expect(given).rejects.toBe('changed my mind')
      await pass(200)
      expect(arrivals).toEqual(['a', 'b', 'c'])
    })

    test('during the call of the store rejects if the store denies', async () => {
      const { limiter, answer } = slowBench(hourly)
      await answer(limiter.consume('key'))
      const { signal, abort } = aborting()
      const given = limiter.acquire('key', { signal })
      const outcome = Promise.race([given, pass(3_600_000).then(() => 'still waiting')])
      abort('changed my mind')
      await answer(outcome.catch((reason: unknown) => reason))
      await expect(outcome).rejects.toBe('changed my mind')
    })

    test('during the call of the store rejects if the store allows, and refunds', async () => {
      const { limiter, answer } = slowBench(hourly)
      const { signal, abort } = aborting()
      const given = limiter.acquire('key', { signal })
      abort('changed my mind')
      await answer(given.catch((reason: unknown) => reason))
      await expect(given).rejects.toBe('changed my mind')
      expect((await answer(limiter.peek('key'))).remaining).toBe(1)
    })

    test('after the request was allowed changes nothing', async () => {
      const { limiter } = setup(hourly)
      const { signal, abort } = aborting()
      const { allowed } = await limiter.acquire('key', { signal })
      abort('too late')
      expect([allowed, limiter.peek('key').remaining]).toEqual([true, 0])
    })
  })

  describe('a leaky queue', () => {
    const queue = leakyQueue({ leak: 1, every: 100, maxDelay: '1h' })

    test('delays each request by its delayMs', async () => {
      const { come } = setup(queue)
      const arrivals = come('a', 'b', 'c')
      const seen = []
      for (const ms of [0, 99, 1, 99, 1]) {
        await pass(ms)
        seen.push(arrivals.length)
      }
      expect(seen).toEqual([1, 1, 2, 2, 3])
    })

    test('gets back the units of a request that would have to wait too long', async () => {
      const { limiter } = setup(queue)
      for (let i = 0; i < 3; i++) limiter.consume('key')
      const before = limiter.status('key')
      expect(await limiter.acquire('key', { maxWait: 299 })).toMatchObject({
        allowed: false,
        retryAfterMs: 300,
        delayMs: 0,
        deniedBy: ['default'],
      })
      expect(limiter.status('key')).toEqual(before)
    })

    test('gets back the units of a request that is aborted during its delay', async () => {
      const { limiter } = setup(queue)
      limiter.consume('key')
      const { signal, abort } = aborting()
      const held = limiter.acquire('key', { signal })
      await pass(50)
      abort('changed my mind')
      await expect(held).rejects.toBe('changed my mind')
      expect(limiter.consume('key').delayMs).toBe(50)
    })
  })

  test('rejects mistakes with coded errors, and no call waits for them', async () => {
    const { limiter } = setup(hourly)
    const mistakes: [AcquireOptions, string][] = [
      [{ cost: 0.5 }, 'SLUICE_COST_INVALID'],
      [{ cost: -1 }, 'SLUICE_COST_INVALID'],
      [{ maxWait: -1 }, 'SLUICE_OPTION_INVALID'],
      [{ maxWait: '1 month' }, 'SLUICE_OPTION_INVALID'],
      [{ timeout: 5 } as never, 'SLUICE_OPTION_UNKNOWN'],
    ]
    for (const [options, code] of mistakes) {
      await expect(limiter.acquire('key', options)).rejects.toMatchObject({ code })
    }
    await expect(limiter.acquire('')).rejects.toMatchObject({ code: 'SLUICE_KEY_INVALID' })
    expect((await limiter.acquire('key')).allowed).toBe(true)
  })

  /** A limiter whose clock advances with the timers. */
  function setup(policies: Policies) {
    const arrivals: string[] = []
    const clock = () => Math.floor(today + performance.now())
    const limiter = createLimiter({ name: 'waiting', policies, store: memoryStore(), clock })
    function come(...names: string[]): string[] {
      for (const name of names) void limiter.acquire('key').then(() => arrivals.push(name))
      return arrivals
    }
    return { limiter, arrivals, come }
  }

  /** A limiter whose store answers only when the test calls `answer`. */
  function slowBench(policies: Policies) {
    const memory = memoryStore()
    let open: () => void = () => {}
    const store: AsyncStore = {
      async: true,
      async run(requests) {
        await new Promise<void>((resolve) => (open = resolve))
        return requests.map(memory.run)
      },
      ping: async () => true,
      async close() {},
    }
    const clock = () => Math.floor(today + performance.now())
    const limiter = createLimiter({ name: 'waiting', policies, store, clock })
    /** Makes the store answer until this promise settles. */
    async function answer<T>(reply: Promise<T>): Promise<T> {
      const settled = reply.then(() => 'settled')
      while ((await Promise.race([settled, turn('waiting')])) === 'waiting') open()
      return reply
    }
    return { limiter, answer }
  }

  /** Advances the time, and waits until the requests that are allowed by then have continued. */
  async function pass(ms: number): Promise<void> {
    await vi.advanceTimersByTimeAsync(ms)
    await turn()
  }
})

describe.each(bothStores(server))('in real time, on $where', ({ makeStore }) => {
  test('decides the calls for a key in the order in which they were made', async () => {
    const limiter = limiterOf(gcra({ limit: 1, window: 15 }), makeStore())
    const order: number[] = []
    const waiters = Array.from({ length: 8 }, async (_, i) => {
      const { allowed } = await limiter.acquire('key')
      if (allowed) order.push(i)
    })
    await Promise.all(waiters)
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  test('never exceeds the limit', async () => {
    const limiter = limiterOf(gcra({ limit: 1, window: 20 }), makeStore())
    const begins = performance.now()
    for (let i = 0; i < 6; i++) expect((await limiter.acquire('key')).allowed).toBe(true)
    // The clocks of this process and of the store may each cut off a millisecond.
    expect(performance.now() - begins).toBeGreaterThan(5 * 20 - 2)
  })

  test('takes nothing for an aborted call, and the next one is decided', async () => {
    let now = today
    const options = { name: randomUUID(), policies: fixedWindow({ limit: 2, window: 30 }) }
    const limiter = createLimiter({ ...options, store: makeStore(), clock: () => now })
    await limiter.consume('key', { cost: 2 })
    const { signal, abort } = aborting()
    const given = limiter.acquire('key', { signal })
    const next = limiter.acquire('key')
    // The answer to this one comes after the denial of the first.
    await limiter.peek('key')
    await turn()
    abort('enough')
    await expect(given).rejects.toBe('enough')
    now += 30
    expect(await next).toMatchObject({ allowed: true, remaining: 1 })
  })

  test('refunds a leaky queue if the delay would be too long', async () => {
    const queue = leakyQueue({ leak: 1, every: '1h', maxDelay: '1d' })
    const limiter = limiterOf(queue, makeStore())
    await limiter.acquire('key')
    const before = await limiter.status('key')
    expect(await limiter.acquire('key', { maxWait: '59m' })).toMatchObject({ allowed: false })
    const { used } = (await limiter.status('key')).policies['default']
    expect(used).toBe(before.policies['default'].used)
  })
})

describe('two limiters on one Redis', () => {
  test('allow all waiting requests, each limiter in its own order, without exceeding the limit', async () => {
    const name = randomUUID()
    const policy = gcra({ limit: 1, window: 15 })
    const limiters = [0, 1].map(() =>
      limiterOf(policy, redisStore(server.client(), { timeout: '20s' }), name),
    )
    const orders: number[][] = [[], []]
    const begins = performance.now()
    await Promise.all(
      limiters.flatMap((limiter, l) =>
        Array.from({ length: 6 }, async (_, i) => {
          if ((await limiter.acquire('key')).allowed) orders[l].push(i)
        }),
      ),
    )
    const tookMs = performance.now() - begins
    expect(orders).toEqual([
      [0, 1, 2, 3, 4, 5],
      [0, 1, 2, 3, 4, 5],
    ])
    expect(tookMs).toBeGreaterThan(11 * 15 - 2)
  })

  test('share the remaining units exactly', async () => {
    const name = randomUUID()
    const policy = fixedWindow({ limit: 7, window: '1h' })
    const limiters = [0, 1].map(() =>
      limiterOf(policy, redisStore(server.client(), { timeout: '20s' }), name),
    )
    const decisions = await Promise.all(
      limiters.flatMap((limiter) =>
        Array.from({ length: 10 }, () => limiter.acquire('key', { maxWait: '1m' })),
      ),
    )
    expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(7)
    expect((await limiters[0].status('key')).policies['default'].used).toBe(7)
  })
})

/** 2025-11-21T00:00:00Z */
const today = 1_763_683_200_000

function limiterOf(policies: Policy, store: Store, name: string = randomUUID()) {
  return createLimiter({ name, policies, store })
}

function aborting() {
  const controller = new AbortController()
  return { signal: controller.signal, abort: (reason: string) => controller.abort(reason) }
}

import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  slidingWindow,
  spendAhead,
  tokenBucket,
  type AsyncStore,
  type Decision,
  type Policy,
  type SpendAheadOptions,
} from '@sluice/core'
import { patienceMs, runs, seed } from '@sluice/test-kit/random'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

const startMs = Date.UTC(2026, 0, 1)

beforeEach(() => {
  vi.useFakeTimers({ now: startMs })
})

afterEach(() => {
  vi.useRealTimers()
})

/** A store that several processes share. It takes this time to a request, and as long back. */
function sharedStore(latencyMs: () => number = () => 0) {
  const memory = memoryStore()
  const asked: string[] = []
  /** The moments at which the store has decided, by its decisions. */
  const decidedAt = new Map<unknown, number>()
  async function run(...[requests]: Parameters<AsyncStore['run']>) {
    await pause(latencyMs())
    const answers = requests.map((request) => {
      asked.push(request.verb)
      const answer = memory.run(request)
      if ('states' in answer) decidedAt.set(answer.states[0], Date.now())
      return answer
    })
    await pause(latencyMs())
    return answers
  }
  const store: AsyncStore = { async: true, run, ping: async () => true, close: async () => {} }
  return { store, asked, memory }
}

function pause(ms: number): Promise<void> | undefined {
  return ms === 0 ? undefined : new Promise((resolve) => setTimeout(resolve, ms))
}

/** A process with a limiter. */
function processOn(
  store: AsyncStore,
  policies: Policy | Record<string, Policy>,
  options?: SpendAheadOptions,
) {
  const ahead = spendAhead(store, options)
  return { ahead, limiter: createLimiter({ name: 'api', policies, store: ahead }) }
}

type Limiter = ReturnType<typeof processOn>['limiter']

/** So many requests in each of so many milliseconds. */
async function traffic(limiter: Limiter, ms: number, each: number, cost = 1) {
  const decisions: Decision[] = []
  for (let i = 0; i < ms; i++) {
    for (let j = 0; j < each; j++) decisions.push(await limiter.consume('hot', { cost }))
    await vi.advanceTimersByTimeAsync(1)
  }
  return decisions
}

const large = fixedWindow({ limit: 100_000, window: '1m', align: 'clock' })

describe('a hot key', () => {
  test('needs few calls, and each decision has the numbers that it has without the calls', async () => {
    const { store, asked } = sharedStore()
    const { limiter, ahead } = processOn(store, large)
    const decisions = await traffic(limiter, 500, 4)
    expect(decisions.map(({ remaining }) => remaining)).toEqual(
      decisions.map((_, i) => 100_000 - 1 - i),
    )
    expect(decisions.every(({ allowed, resetMs }) => allowed && resetMs > 59_000)).toBe(true)
    const sources = decisions.map(({ source }) => source)
    expect(sources.filter((source) => source === 'ahead').length).toBeGreaterThan(1900)
    expect(asked.length).toBeLessThan(100)
    const { taken, spent, held, returned, lapsed, keys } = ahead.ahead()
    expect([taken, keys, lapsed]).toEqual([spent + held + returned, 1, 0])
  })

  test.each([
    ['a sliding window', slidingWindow({ limit: 100_000, window: '1m' })],
    [
      'a bucket that begins partly full',
      tokenBucket({ capacity: 9000, refill: 1, every: '1s', initial: 8000 }),
    ],
    ['a queue', leakyQueue({ leak: 100_000, every: '1s', maxDelay: '10s' })],
    ['leases', concurrency({ limit: 100_000, lease: '10s' })],
    [
      'a block',
      fixedWindow({ limit: 100_000, window: '1m', block: { for: '1m', on: 'exceeded' } }),
    ],
  ])('%s: every request asks the store', async (_, policies) => {
    const { store, asked } = sharedStore()
    const decisions = await traffic(processOn(store, policies).limiter, 100, 3)
    expect(asked).toEqual(decisions.map(() => 'consume'))
    expect(decisions.every(({ source }) => source === 'store')).toBe(true)
  })

  test.each([
    [
      'a window of the calendar',
      calendarWindow({ limit: 100_000, period: 'day', timeZone: 'UTC' }),
    ],
    ['sub-windows', slidingWindow({ limit: 100_000, window: '1m', buckets: 60 })],
    ['gcra', gcra({ limit: 100_000, window: '1m' })],
    ['a bucket', tokenBucket({ capacity: 100_000, refill: 1000, every: '1s' })],
    ['two policies', { minute: large, day: fixedWindow({ limit: 1e6, window: '1d' }) }],
  ])('%s: few requests ask the store', async (_, policies) => {
    const { store, asked } = sharedStore()
    const decisions = await traffic(processOn(store, policies).limiter, 200, 4)
    expect(decisions.every(({ allowed }) => allowed)).toBe(true)
    expect(asked.length).toBeLessThan(100)
  })

  test('a key with few requests asks the store each time', async () => {
    const { store, asked } = sharedStore()
    const { limiter } = processOn(store, large)
    for (let i = 0; i < 20; i++) {
      await limiter.consume('cold')
      await vi.advanceTimersByTimeAsync(200)
    }
    expect(asked.length).toBe(20)
  })

  test('all units of a window are allowed, and none more, by two processes', async () => {
    const { store } = sharedStore()
    const policies = fixedWindow({ limit: 1000, window: '10s', align: 'clock' })
    const both = [processOn(store, policies), processOn(store, policies)]
    let allowed = 0
    for (let i = 0; i < 3000; i++) {
      const { limiter } = both[i % 3 === 0 ? 1 : 0]
      allowed += Number((await limiter.consume('hot')).allowed)
      if (i % 4 === 0) await vi.advanceTimersByTimeAsync(1)
    }
    const held = both.reduce((sum, { ahead }) => sum + ahead.ahead().held, 0)
    expect(allowed + held).toBe(1000)
    // The units that one process holds, and does not spend, come back.
    await vi.advanceTimersByTimeAsync(1500)
    for (let i = 0; i < 300; i++) allowed += Number((await both[0].limiter.consume('hot')).allowed)
    expect(allowed).toBe(1000)
  })
})

describe('units that are held', () => {
  async function holding(policies: Policy = large, options?: SpendAheadOptions) {
    const shared = sharedStore()
    const one = processOn(shared.store, policies, options)
    await traffic(one.limiter, 100, 4)
    const other = createLimiter({ name: 'api', policies, store: shared.store })
    const usedIn = async (limiter: Limiter) =>
      (await limiter.status('hot')).policies['default'].used
    return { ...shared, ...one, other, usedIn }
  }

  test('are given back when they are a second old, and are free for the process that holds them until then', async () => {
    const { ahead, limiter, other, usedIn } = await holding()
    expect(ahead.ahead().held).toBeGreaterThan(50)
    expect(await usedIn(limiter)).toBe(400)
    expect(await usedIn(other)).toBe(400 + ahead.ahead().held)
    await vi.advanceTimersByTimeAsync(1300)
    expect([await usedIn(other), ahead.ahead().held, ahead.ahead().keys]).toEqual([400, 0, 0])
    expect(vi.getTimerCount()).toBe(0)
  })

  test('are spent up to the last millisecond of their window, and not after it', async () => {
    const { limiter } = await holding(fixedWindow({ limit: 100_000, window: 1000, align: 'clock' }))
    await vi.advanceTimersByTimeAsync(700)
    await traffic(limiter, 100, 4)
    await vi.advanceTimersByTimeAsync(startMs + 999 - Date.now())
    expect((await limiter.consume('hot')).source).toBe('ahead')
    await vi.advanceTimersByTimeAsync(1)
    expect(await limiter.consume('hot')).toMatchObject({ remaining: 99_999 })
  })

  test('are given back by close', async () => {
    const { ahead, other, usedIn } = await holding()
    await ahead.close()
    await vi.advanceTimersByTimeAsync(0)
    expect(await usedIn(other)).toBe(400)
  })

  test.each([
    ['reset', (limiter: Limiter) => limiter.reset('hot'), 0],
    ['penalize', (limiter: Limiter) => limiter.penalize('hot', 100), 500],
    ['refund of units', (limiter: Limiter) => limiter.refund('hot', 100), 300],
    ['block', (limiter: Limiter) => limiter.block('hot', '1m'), 400],
    ['grant', (limiter: Limiter) => limiter.grant('hot', 5, { for: '1m' }), 400],
  ])('are given back before a %s', async (_, act, used) => {
    const { ahead, limiter, other, usedIn } = await holding()
    await act(limiter)
    expect([await usedIn(other), ahead.ahead().held]).toEqual([used, 0])
  })

  test('that are on their way are given back if a block was sent after them', async () => {
    const { store } = sharedStore(() => 5)
    const { limiter, ahead } = processOn(store, large)
    for (let i = 0; i < 40; i++) {
      void limiter.consume('hot')
      await vi.advanceTimersByTimeAsync(1)
    }
    const blocked = limiter.block('hot', '1h')
    await vi.advanceTimersByTimeAsync(30)
    await blocked
    const decision = limiter.consume('hot')
    await vi.advanceTimersByTimeAsync(30)
    expect([(await decision).allowed, ahead.ahead().held]).toEqual([false, 0])
    expect(ahead.ahead().returned).toBeGreaterThan(0)
  })

  test('a block of another process is seen within a second', async () => {
    const { limiter, other } = await holding()
    await other.block('hot', '1h')
    await vi.advanceTimersByTimeAsync(1000)
    expect((await limiter.consume('hot')).allowed).toBe(false)
  })

  test('a key with a grant asks the store each time', async () => {
    const { limiter, asked } = await holding()
    await limiter.grant('hot', 5, { for: '1h' })
    await traffic(limiter, 100, 4)
    asked.length = 0
    await traffic(limiter, 50, 4)
    expect(asked).toEqual(Array.from({ length: 200 }, () => 'consume'))
  })

  test.each([
    ['a window', large, 399],
    ['a rate', gcra({ limit: 100_000, window: '1d' }), 399],
  ])('the refund of a decision returns its unit once: %s', async (_, policies, used) => {
    const { limiter, usedIn } = await holding(policies)
    const before = await usedIn(limiter)
    const decision = await limiter.consume('hot')
    expect(decision.source).toBe('ahead')
    expect([await limiter.refund(decision), await limiter.refund(decision)]).toEqual([true, false])
    expect(await usedIn(limiter)).toBe(before)
    expect(before).toBe(used + 1)
  })

  test('the cost of a decision can be adjusted', async () => {
    const { limiter, usedIn } = await holding()
    await limiter.adjust(await limiter.consume('hot'), 50)
    expect(await usedIn(limiter)).toBe(450)
  })

  test('a store that fails answers with its error, and units are spent until they lapse', async () => {
    const { memory, asked } = sharedStore()
    let fails = false
    const store: AsyncStore = {
      async: true,
      async run(requests) {
        asked.push(...requests.map(({ verb }) => verb))
        if (fails) throw new Error('gone')
        return requests.map((request) => memory.run(request))
      },
      ping: async () => true,
      close: async () => {},
    }
    const { limiter, ahead } = processOn(store, large)
    await traffic(limiter, 100, 4)
    fails = true
    const { held } = ahead.ahead()
    const spent = await traffic(limiter, 1, held)
    expect(spent.every(({ source }) => source === 'ahead')).toBe(true)
    expect((await limiter.consume('hot')).source).toBe('fallback')
  })

  test('at most maxKeys keys have units', async () => {
    const { store } = sharedStore()
    const { limiter, ahead } = processOn(store, large, { maxKeys: 3 })
    for (let i = 0; i < 400; i++) {
      await Promise.all(['a', 'b', 'c', 'd', 'e'].map((key) => limiter.consume(key)))
      if (i % 4 === 0) await vi.advanceTimersByTimeAsync(1)
    }
    expect(ahead.ahead().keys).toBeLessThanOrEqual(3)
  })
})

describe('what several processes allow', () => {
  const history = fc.record({
    policies: fc.constantFrom<readonly Policy[]>(
      [fixedWindow({ limit: 120, window: 1000, align: 'clock' })],
      [gcra({ limit: 60, window: 1000 })],
      [gcra({ limit: 997, window: 1009 })],
      [tokenBucket({ capacity: 200, refill: 90, every: 1000 })],
      [slidingWindow({ limit: 300, window: 1000, buckets: 10 })],
      [slidingWindow({ limit: 300, window: 600, buckets: 3, tail: 'truncated' })],
      [
        gcra({ limit: 300, window: 2000 }),
        fixedWindow({ limit: 250, window: 1500, align: 'clock' }),
      ],
    ),
    processes: fc.integer({ min: 1, max: 8 }),
    latencyMs: fc.constantFrom(0, 1, 5),
    steps: fc.array(
      fc.record({
        ms: fc.constantFrom(0, 1, 1, 3, 20, 300),
        process: fc.nat(7),
        requests: fc.constantFrom(1, 5, 30),
        cost: fc.constantFrom(1, 1, 1, 2, 7),
        refunds: fc.constantFrom(0, 0, 0, 1),
      }),
      { minLength: 50, maxLength: 120 },
    ),
  })

  test(
    'one by one through the exact algorithm, is never refused',
    async () => {
      let spentAhead = 0
      await fc.assert(
        fc.asyncProperty(history, async ({ policies: list, processes, latencyMs, steps }) => {
          vi.setSystemTime(startMs)
          const policies = Object.fromEntries(list.map((policy, i) => [`p${i}`, policy]))
          const { store } = sharedStore(() => latencyMs)
          const all = Array.from({ length: processes }, () => processOn(store, policies))
          const admitted: { at: number; cost: number }[] = []
          async function consume(limiter: Limiter, cost: number): Promise<void> {
            const { allowed, source } = await limiter.consume('hot', { cost })
            if (!allowed) return
            spentAhead += Number(source === 'ahead')
            // A decision of the store was made on the way there.
            admitted.push({ at: Date.now() - (source === 'ahead' ? 0 : latencyMs), cost })
          }
          for (const { ms, process, requests, cost } of steps) {
            await vi.advanceTimersByTimeAsync(ms)
            const { limiter } = all[process % processes]
            for (let i = 0; i < requests; i++) {
              void consume(limiter, cost)
            }
          }
          await vi.advanceTimersByTimeAsync(20)
          admitted.sort((a, b) => a.at - b.at)
          let now = 0
          const exact = createLimiter({ name: 'exact', policies, clock: () => now })
          for (const { at, cost } of admitted) {
            now = at
            expect(exact.consume('hot', { cost }).allowed).toBe(true)
          }
          for (const { ahead } of all) await ahead.close()
          await vi.advanceTimersByTimeAsync(20)
        }),
        { numRuns: runs(300), seed },
      )
      expect(spentAhead).toBeGreaterThan(1000)
    },
    patienceMs,
  )
})

test.each([
  ['a memory store', () => spendAhead(memoryStore() as unknown as AsyncStore), '"store"'],
  ['a share of 0', () => spendAhead(sharedStore().store, { share: 0 }), '"share"'],
  ['an unknown option', () => spendAhead(sharedStore().store, { maxage: 5 } as object), 'maxAge'],
])('%s is an error', (_, make, message) => {
  expect(make).toThrow(message)
})

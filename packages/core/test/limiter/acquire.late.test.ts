import { setImmediate as turn } from 'node:timers/promises'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  type AcquireOptions,
  type Keys,
  type Policies,
} from '@sluice/core'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

// A call that the calls before it make too late is denied at once.

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const rows: [string, Policies, number, number[]][] = [
  ['gcra with a burst of 1', gcra({ limit: 10, window: 1000, burst: 1 }), 350, [0, 100, 200, 300]],
  ['gcra with a burst', gcra({ limit: 10, window: 1000, burst: 3 }), 250, [0, 0, 0, 100, 200]],
  ['tokenBucket', tokenBucket({ capacity: 2, refill: 1, every: 100 }), 300, [0, 0, 100, 200, 300]],
  ['leakyBucket', leakyBucket({ capacity: 2, leak: 1, every: 100 }), 199, [0, 0, 100]],
  ['fixedWindow', fixedWindow({ limit: 2, window: 300 }), 650, [0, 0, 300, 300, 600, 600]],
  ['slidingWindow', slidingWindow({ limit: 2, window: 300 }), 650, [0, 0, 300, 300, 600, 600]],
  ['slidingLog', slidingLog({ limit: 2, window: 300 }), 650, [0, 0, 300, 300, 600, 600]],
  [
    'calendarWindow',
    calendarWindow({ limit: 2, period: 'hour', timeZone: 'UTC' }),
    3_600_001,
    [0, 0, 3_600_000, 3_600_000],
  ],
  [
    'staged',
    staged({
      free: fixedWindow({ limit: 2, window: '1h' }),
      then: gcra({ limit: 1, window: 100 }),
    }),
    250,
    [0, 0, 100, 200],
  ],
  [
    'two policies of one key',
    {
      second: fixedWindow({ limit: 2, window: 1000 }),
      hour: fixedWindow({ limit: 5, window: '1h' }),
    },
    4000,
    [0, 0, 1000, 1000, 2000],
  ],
  [
    'a limit beside leases',
    { open: concurrency({ limit: 100, lease: '1m' }), pace: gcra({ limit: 1, window: 100 }) },
    150,
    [0, 100],
  ],
]

describe('behind calls that wait', () => {
  test.each(rows)(
    '%s: the calls of a burst wait that can be in time',
    async (_, policies, maxWait, times) => {
      const { come, log, denials } = setup(policies)
      come(12, { maxWait })
      await pass(0)
      expect(denials()).toEqual([12 - times.length, 0])
      await pass(maxWait)
      expect(log.filter(({ allowed }) => allowed).map(({ at }) => at)).toEqual(times)
      expect(log).toHaveLength(12)
    },
  )

  test('a call that comes later is judged behind those that wait', async () => {
    const { limiter, come, log, denials } = setup(gcra({ limit: 1, window: 100 }))
    come(3, { maxWait: 200 })
    await pass(50)
    expect(await limiter.acquire('key', { maxWait: 249 })).toMatchObject({
      allowed: false,
      retryAfterMs: 250,
      deniedBy: ['default'],
    })
    come(1, { maxWait: 250 })
    await pass(250)
    expect([log.map(({ at }) => at), denials()[0]]).toEqual([[0, 100, 200, 300], 0])
  })

  test('the wait for a call counts its cost and the costs before it', async () => {
    const { limiter, come, denials } = setup(tokenBucket({ capacity: 3, refill: 1, every: 100 }))
    limiter.consume('key', { cost: 3 })
    come(1, { cost: 3, maxWait: 300 })
    come(1, { cost: 2, maxWait: 499 })
    come(1, { cost: 1, maxWait: 400 })
    await pass(0)
    expect(denials()).toEqual([1, 0])
    await pass(400)
    expect(limiter.peek('key').remaining).toBe(0)
  })

  test('a call that can never be allowed is denied at once', async () => {
    const { limiter, come } = setup(gcra({ limit: 2, window: 200 }))
    come(3, {})
    await pass(0)
    const decision = await limiter.acquire('key', { cost: 3 })
    expect(decision).toMatchObject({ allowed: false, retryAfterMs: null })
    await pass(200)
  })

  test('after a call has left, a later one waits for less', async () => {
    const { limiter, come, denials } = setup(gcra({ limit: 1, window: 100 }))
    const leaving = new AbortController()
    come(1, {})
    await pass(0)
    const left = [0, 1].map(() => limiter.acquire('key', { signal: leaving.signal }))
    const late = limiter.acquire('key', { maxWait: 200 })
    expect(await late).toMatchObject({ allowed: false, retryAfterMs: 300 })
    leaving.abort('left')
    expect((await Promise.allSettled(left)).map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
    ])
    come(2, { maxWait: 200 })
    await pass(200)
    expect(denials()).toEqual([0, NaN])
  })

  test.each<[string, (limiter: ReturnType<typeof setup>['limiter']) => unknown]>([
    ['a penalty', (limiter) => limiter.penalize('key', 5)],
    ['a block', (limiter) => limiter.block('key', '1h')],
  ])('calls are denied as soon as %s makes them too late', async (_, happen) => {
    const { limiter, come, denials } = setup(gcra({ limit: 1, window: 100 }))
    come(3, { maxWait: 200 })
    await pass(100)
    expect(denials()[0]).toBe(0)
    happen(limiter)
    await pass(0)
    expect(denials()).toEqual([1, 100])
  })

  test('leases may be released at any time, so a call waits for them until its end', async () => {
    const { limiter, come, denials } = setup(concurrency({ limit: 1, lease: '1h' }))
    limiter.consume('key')
    come(2, { maxWait: 300 })
    await pass(299)
    expect(denials()[0]).toBe(0)
    await pass(1)
    expect(denials()).toEqual([2, 300])
  })

  test('calls that come together are all allowed if their units are there, however short their waits', async () => {
    const { come, log } = setup(fixedWindow({ limit: 5, window: '1h' }))
    come(6, { maxWait: 0 })
    await pass(0)
    expect(log.map(({ allowed }) => allowed)).toEqual([true, true, true, true, true, false])
  })
})

/** A limiter whose clock advances with the timers, and the time of each decision. */
function setup(policies: Policies) {
  const log: { allowed: boolean; at: number }[] = []
  const begins = performance.now()
  const limiter = createLimiter({
    name: 'late',
    policies,
    clock: () => Math.floor(midnight + performance.now() - begins),
  })
  function come(calls: number, options: AcquireOptions, key: Keys = 'key'): void {
    for (let i = 0; i < calls; i++) {
      void limiter.acquire(key, options).then(({ allowed }) => {
        return log.push({ allowed, at: Math.round(performance.now() - begins) })
      })
    }
  }
  /** The number of denials, and the time of the last one. */
  function denials(): [number, number] {
    const denied = log.filter(({ allowed }) => !allowed)
    return [denied.length, denied.at(-1)?.at ?? NaN]
  }
  return { limiter, come, log, denials }
}

async function pass(ms: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(ms)
  await turn()
}

const midnight = Date.UTC(2026, 0, 1)

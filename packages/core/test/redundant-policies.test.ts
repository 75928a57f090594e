import process from 'node:process'
import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { runs } from '../../conformance/src/random.js'
import type * as Http from '../src/http/index.js'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  unlimited,
  type Policy,
} from '../src/index.js'
import type * as Core from '../src/index.js'
import { isRedundant } from '../src/limiter/checks/redundant-policies.js'
import { noHeaders, response, viewOf } from './http/visit.js'

const second = '1s'
const minute = '1m'
const onClock = { align: 'clock' } as const
const perDay = { period: 'day', timeZone: 'Europe/Berlin' } as const
const block = { for: '1h' } as const

/** A policy, another policy, and the smallest limit with which the first policy is redundant. */
const thresholds: readonly (readonly [string, (limit: number) => Policy, Policy, from: number])[] =
  [
    [
      'a log beside a longer log',
      (limit) => slidingLog({ limit, window: second }),
      slidingLog({ limit: 10, window: minute }),
      10,
    ],
    [
      'a log beside a shorter log',
      (limit) => slidingLog({ limit, window: minute }),
      slidingLog({ limit: 10, window: second }),
      600,
    ],
    [
      'fixed windows of the same length',
      (limit) => fixedWindow({ limit, window: minute }),
      fixedWindow({ limit: 10, window: minute }),
      10,
    ],
    [
      'a fixed window beside a longer one: it can overlap the end of the longer one',
      (limit) => fixedWindow({ limit, window: second }),
      fixedWindow({ limit: 10, window: minute }),
      19,
    ],
    [
      'a fixed window beside a shorter one',
      (limit) => fixedWindow({ limit, window: minute }),
      fixedWindow({ limit: 10, window: second }),
      609,
    ],
    [
      'windows on the clock that nest',
      (limit) => fixedWindow({ ...onClock, limit, window: second }),
      fixedWindow({ ...onClock, limit: 10, window: minute, offset: '30s' }),
      10,
    ],
    [
      'windows on the clock that do not nest',
      (limit) => fixedWindow({ ...onClock, limit, window: '7s' }),
      fixedWindow({ ...onClock, limit: 10, window: minute }),
      20,
    ],
    [
      'a log beside a window on the clock',
      (limit) => slidingLog({ limit, window: second }),
      fixedWindow({ ...onClock, limit: 10, window: minute }),
      20,
    ],
    [
      'a log beside gcra: its burst, and the units that are available again within a second',
      (limit) => slidingLog({ limit, window: second }),
      gcra({ limit: 120, window: minute, burst: 5 }),
      6,
    ],
    [
      'a log beside a token bucket',
      (limit) => slidingLog({ limit, window: minute }),
      tokenBucket({ capacity: 5, refill: 1, every: second }),
      64,
    ],
    [
      'a log beside a sliding window of buckets',
      (limit) => slidingLog({ limit, window: minute }),
      slidingWindow({ limit: 10, window: minute, buckets: 6 }),
      20,
    ],
    [
      'a sliding window beside a longer one',
      (limit) => slidingWindow({ limit, window: second }),
      slidingWindow({ limit: 10, window: minute }),
      10,
    ],
    [
      'a sliding window beside a longer one with a high limit, which spreads its units',
      (limit) => slidingWindow({ limit, window: second }),
      slidingWindow({ limit: 100, window: minute }),
      103,
    ],
    [
      'a log beside a sliding window of the same length: twice its limit less 2',
      (limit) => slidingLog({ limit, window: minute }),
      slidingWindow({ limit: 10, window: minute }),
      18,
    ],
    [
      'sliding windows of the same form',
      (limit) => slidingWindow({ limit, window: minute, buckets: 6 }),
      slidingWindow({ limit: 10, window: minute, buckets: 6 }),
      10,
    ],
    [
      'a bucket beside gcra with the same rate',
      (limit) => tokenBucket({ capacity: limit, refill: 2, every: second }),
      gcra({ limit: 120, window: minute, burst: 5 }),
      5,
    ],
    [
      'a bucket beside a log with the same rate',
      (limit) => leakyBucket({ capacity: limit, leak: 1, every: second }),
      slidingLog({ limit: 60, window: minute }),
      60,
    ],
    [
      'a local day beside a local month',
      (limit) => calendarWindow({ ...perDay, limit }),
      calendarWindow({ ...perDay, period: 'month', limit: 100 }),
      100,
    ],
    [
      'a local month beside a local day',
      (limit) => calendarWindow({ ...perDay, period: 'month', limit }),
      calendarWindow({ ...perDay, limit: 100 }),
      3100,
    ],
    [
      'weeks that start on different days',
      (limit) => calendarWindow({ ...perDay, period: 'week', limit }),
      calendarWindow({ ...perDay, period: 'week', weekStartsOn: 'sunday', limit: 100 }),
      200,
    ],
    [
      'a local week beside a local month',
      (limit) => calendarWindow({ ...perDay, period: 'week', limit }),
      calendarWindow({ ...perDay, period: 'month', limit: 100 }),
      200,
    ],
    [
      'leases of the same length',
      (limit) => concurrency({ limit, lease: minute }),
      concurrency({ limit: 10, lease: minute }),
      10,
    ],
  ]

test.each(thresholds)(
  'a policy is redundant from a known limit on: %s',
  (_, policyOf, other, from) => {
    expect([from - 1, from, from + 1].map((limit) => isRedundant(policyOf(limit), other))).toEqual([
      false,
      true,
      true,
    ])
  },
)

const ten = slidingLog({ limit: 10, window: minute })

test.each<[string, Policy, Policy]>([
  ['a policy with a block', slidingLog({ limit: 10, window: second, block }), ten],
  ['a limit of 0', slidingLog({ limit: 0, window: second }), ten],
  ['another limit of 0', ten, slidingLog({ limit: 0, window: minute })],
  [
    'a bucket that does not start full',
    tokenBucket({ capacity: 10, refill: 9, every: second, initial: 9 }),
    ten,
  ],
  [
    'a faster rate',
    gcra({ limit: 59, window: minute, burst: 99 }),
    slidingLog({ limit: 60, window: minute }),
  ],
  ['a queue, which delays', leakyQueue({ leak: 9, every: second, maxDelay: '1h' }), ten],
  ['beside a queue', ten, leakyQueue({ leak: 1, every: minute, maxDelay: 0 })],
  ['stages', staged({ free: unlimited(), then: unlimited() }), ten],
  [
    'beside stages',
    ten,
    staged({
      free: ten.limit > 0 ? gcra({ limit: 1, window: minute }) : unlimited(),
      then: unlimited(),
    }),
  ],
  ['no limit', unlimited(), ten],
  ['beside no limit', ten, unlimited()],
  ['leases', concurrency({ limit: 10, lease: minute }), ten],
  ['beside leases', ten, concurrency({ limit: 1, lease: minute })],
  [
    'leases of another length',
    concurrency({ limit: 10, lease: second }),
    concurrency({ limit: 1, lease: minute }),
  ],
  [
    'another time zone',
    calendarWindow({ ...perDay, limit: 10 }),
    calendarWindow({ ...perDay, timeZone: 'UTC', limit: 1 }),
  ],
])('is not redundant: %s', (_, policy, other) => {
  expect(isRedundant(policy, other)).toBe(false)
})

test('a quota per day is redundant beside a limit per second that can never reach it', () => {
  const perSecond = slidingLog({ limit: 1, window: second })
  const day = (limit: number) => calendarWindow({ ...perDay, limit })
  expect([isRedundant(day(86_400), perSecond), isRedundant(day(200_000), perSecond)]).toEqual([
    false,
    true,
  ])
})

/** A moment that is not a boundary of a day, an hour or a minute. */
const start = Date.UTC(2026, 4, 5, 6, 7, 8, 9)

describe('a policy that is not redundant can be the only one that denies', () => {
  test.each<[string, Policy, Policy, readonly (readonly [at: number, cost: number])[]]>([
    [
      'a fixed window that overlaps the end of a longer one',
      fixedWindow({ limit: 18, window: second }),
      fixedWindow({ limit: 10, window: minute }),
      [
        [0, 1],
        [59_500, 9],
        [60_000, 9],
        [60_001, 1],
      ],
    ],
    [
      'a sliding window beside a longer one with a high limit',
      slidingWindow({ limit: 100, window: second }),
      slidingWindow({ limit: 100, window: minute }),
      [
        [0, 1],
        [59_900, 99],
        [60_000, 1],
        [60_700, 1],
      ],
    ],
    [
      'a log beside a window on the clock',
      slidingLog({ limit: 19, window: second }),
      fixedWindow({ limit: 10, window: minute, align: 'clock', offset: start % 60_000 }),
      [
        [59_999, 10],
        [60_000, 9],
        [60_001, 1],
      ],
    ],
  ])('%s', (_, policy, other, requests) => {
    const ask = limiterOf(policy, other)
    const deniedBy = requests.map(([at, cost]) => ask(at, cost))
    expect(deniedBy).toEqual([...requests.slice(1).map(() => []), ['policy']])
  })
})

describe('a redundant policy is never the only one that denies', () => {
  const limit = fc.integer({ min: 1, max: 5 })
  const length = fc.integer({ min: 1, max: 9 })
  const ms = (window: number) => `${window}ms`
  const anyPolicy: fc.Arbitrary<Policy> = fc.oneof(
    fc.record({ limit, window: length.map(ms) }).map((each) => slidingLog(each)),
    fc.record({ limit, window: length.map(ms) }).map((each) => slidingWindow(each)),
    fc.record({ limit, window: length.map(ms) }).map((each) => fixedWindow(each)),
    fc
      .record({ limit, window: length.map(ms), offset: length.map(ms) })
      .map((each) => fixedWindow({ ...each, ...onClock })),
    fc
      .record({
        limit,
        size: length,
        buckets: fc.integer({ min: 1, max: 4 }),
        tail: fc.constantFrom('weighted', 'truncated'),
      })
      .map(({ size, buckets, ...each }) =>
        slidingWindow({ ...each, buckets, window: ms(size * buckets) }),
      ),
    fc.record({ limit, window: length.map(ms), burst: limit }).map((each) => gcra(each)),
    fc
      .record({ capacity: limit, leak: limit, every: length.map(ms) })
      .map((each) => leakyBucket(each)),
  )
  /** A policy with the smallest limit with which it is redundant, and the other policy. */
  const pairs = fc.tuple(anyPolicy, anyPolicy).chain(([other, policy]) => {
    const least = limits.find((limit) => isRedundant(withLimit(policy, limit), other))
    return fc.constant(least === undefined ? undefined : [withLimit(policy, least), other])
  })
  const steps = fc.array(
    fc.record({
      after: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 }), length),
      cost: fc.oneof(fc.constant(1), fc.integer({ min: 0, max: 5 })),
    }),
    { minLength: 10, maxLength: 60 },
  )

  test('in random traffic', () => {
    let tried = 0
    fc.assert(
      fc.property(pairs, steps, (pair, steps) => {
        if (pair === undefined) return
        tried++
        const ask = limiterOf(pair[0], pair[1])
        let at = 0
        for (const { after, cost } of steps) {
          at += after
          expect(ask(at, cost)).not.toEqual(['policy'])
        }
      }),
      { numRuns: runs(2000) },
    )
    expect(tried > runs(1000)).toBe(true)
  })
})

const limits = Array.from({ length: 100 }, (_, i) => i + 1)

function withLimit(policy: Policy, limit: number): Policy {
  const quota = ['capacity', 'burst'].find((option) => option in policy) ?? 'limit'
  return { ...policy, [quota]: limit }
}

/** Consumes units in both policies, all or nothing, and returns the names of those that denied. */
function limiterOf(policy: Policy, other: Policy): (at: number, cost: number) => readonly string[] {
  let now = start
  const limiter = createLimiter({ name: 'both', policies: { policy, other }, clock: () => now })
  const key = { policy: 'key', other: 'key' }
  return (at, cost) => {
    now = start + at
    return limiter.consume(key, { cost }).deniedBy
  }
}

describe('the warning', () => {
  const message =
    'limiter "api": the policy "burst" never denies a request that "sustained" allows, if both count by the same key, as in this call. ' +
    'Give "burst" a lower limit or a longer window, or leave it out.'

  /** The warnings of new modules: each code is reported once for each time that they are loaded. */
  async function warningsOf(
    act: (core: typeof Core, http: typeof Http) => unknown,
  ): Promise<string[]> {
    vi.resetModules()
    const messages: string[] = []
    const warned = (warning: Error & { code?: string }) =>
      void messages.push(`${warning.code}: ${warning.message}`)
    process.on('warning', warned)
    onTestFinished(() => void process.off('warning', warned))
    await act(await import('../src/index.js'), await import('../src/http/index.js'))
    await setImmediate()
    return messages
  }

  const policies = {
    burst: slidingLog({ limit: 10, window: second }),
    sustained: slidingLog({ limit: 10, window: minute }),
  }

  test('is emitted once, with the first request that has one key', async () => {
    const warnings = await warningsOf((core) => {
      const limiter = core.createLimiter({ name: 'api', policies })
      limiter.consume({ burst: 'one', sustained: 'another' })
      limiter.status('key')
      for (let i = 0; i < 3; i++) limiter.consume('key')
    })
    expect(warnings).toEqual([`SLUICE_POLICY_REDUNDANT: ${message}`])
  })

  test('is emitted by rateLimit, which counts by the address', async () => {
    const warnings = await warningsOf(async (_core, http) => {
      const guard = http.createGuard({ name: 'api', policies }, 'GET /')
      await guard.check(
        viewOf({}, { address: '192.0.2.1', peer: '192.0.2.1' }),
        response,
        noHeaders,
      )
    })
    expect(warnings).toEqual([`SLUICE_POLICY_REDUNDANT: ${message}`])
  })

  test('is not emitted for different keys, nor for policies of a call', async () => {
    const warnings = await warningsOf(async (core, http) => {
      const limiter = core.createLimiter({ name: 'api', policies })
      limiter.consume({ burst: 'one', sustained: 'another' })
      limiter.consume('key', { policies: { ...policies } })
      const guard = http.createGuard(
        { name: 'api', policies, key: { burst: 'one', sustained: 'another' } },
        'GET /',
      )
      await guard.check(viewOf({}), response, noHeaders)
    })
    expect(warnings).toEqual([])
  })

  test('names the later one of two equal policies', async () => {
    const warnings = await warningsOf((core) => {
      const alike = { first: policies.burst, second: policies.burst }
      core.createLimiter({ name: 'api', policies: alike }).consume('key')
    })
    expect(
      warnings.map((text) => /the policy (\S+) .* that (\S+) allows/.exec(text)?.slice(1)),
    ).toEqual([['"second"', '"first"']])
  })
})

import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { promisify } from 'node:util'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  redisStore,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  type Policies,
  type Policy,
  type Store,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bothStores } from '../both-stores.js'

// Mistakes of other limiters, each as a test that fails on the mistake.

const server = useRedis()

/** 2025-11-21T00:00:00Z */
const today = 1_763_683_200_000
const dayMs = 86_400_000

/** This many units per second, by every algorithm that can express it. */
const builders = [
  { name: 'fixedWindow', build: (limit: number) => fixedWindow({ limit, window: 1000 }) },
  {
    name: 'fixedWindow on the clock',
    build: (limit: number) => fixedWindow({ limit, window: 1000, align: 'clock' }),
  },
  {
    name: 'calendarWindow',
    build: (limit: number) => calendarWindow({ limit, period: 'hour', timeZone: 'UTC' }),
  },
  { name: 'slidingWindow', build: (limit: number) => slidingWindow({ limit, window: 1000 }) },
  {
    name: 'slidingWindow, weighted',
    build: (limit: number) => slidingWindow({ limit, window: 1000, tail: 'weighted' }),
  },
  {
    name: 'slidingWindow in buckets',
    build: (limit: number) => slidingWindow({ limit, window: 1000, buckets: 10 }),
  },
  {
    name: 'slidingWindow in whole buckets',
    build: (limit: number) =>
      slidingWindow({ limit, window: 1000, buckets: 10, tail: 'truncated' }),
  },
  { name: 'slidingLog', build: (limit: number) => slidingLog({ limit, window: 1000 }) },
  { name: 'gcra', build: (limit: number) => gcra({ limit, window: 1000 }) },
  {
    name: 'tokenBucket',
    build: (limit: number) => tokenBucket({ capacity: limit, refill: 1, every: 1000 }),
  },
  {
    name: 'leakyBucket',
    build: (limit: number) => leakyBucket({ capacity: limit, leak: 1, every: 1000 }),
  },
  {
    name: 'staged',
    build: (limit: number) =>
      staged({
        free: fixedWindow({ limit, window: 1000 }),
        then: fixedWindow({ limit: 0, window: 1000 }),
      }),
  },
  { name: 'concurrency', build: (limit: number) => concurrency({ limit, lease: 1000 }) },
]

describe.each(bothStores(server))('on $where', ({ makeStore }) => {
  let store: Store
  let now: number
  beforeAll(() => {
    store = makeStore()
  })
  beforeEach(() => {
    now = today
  })

  function limiterOf(policies: Policies, name: string = randomUUID()) {
    return createLimiter({ name, policies, store, clock: () => now })
  }

  /** The number of `requests` that are allowed now. */
  async function admitted(limiter: ReturnType<typeof limiterOf>, requests: number) {
    const decisions = []
    for (let i = 0; i < requests; i++) decisions.push(await limiter.consume('key'))
    return decisions.filter(({ allowed }) => allowed).length
  }

  describe('check, then increment', () => {
    test.each(builders)(
      'no other request comes between a check and its count: $name',
      async ({ build }) => {
        const name = randomUUID()
        const limiters = [limiterOf(build(50), name), limiterOf(build(50), name)]
        const replies = Array.from({ length: 100 }, () =>
          limiters.map(async (limiter) => limiter.consume('key')),
        )
        const decisions = await Promise.all(replies.flat())
        expect(decisions.filter(({ allowed }) => allowed)).toHaveLength(50)
      },
    )
  })

  describe('denied requests that count', () => {
    test.each(builders)('denied requests do not extend the wait: $name', async ({ build }) => {
      const limiter = limiterOf(build(3))
      await limiter.consume('key', { cost: 3 })
      const wait = (await limiter.peek('key')).retryAfterMs ?? 0
      for (const share of [0, 0.25, 0.5, 0.75, 0.999]) {
        now = today + Math.floor(wait * share)
        expect(await limiter.consume('key')).toMatchObject({
          allowed: false,
          retryAfterMs: today + wait - now,
        })
      }
      now = today + wait
      expect((await limiter.consume('key')).allowed).toBe(true)
    })

    test.each(builders)(
      'a cost that does not fit now leaves the remaining units to others: $name',
      async ({ build }) => {
        const limiter = limiterOf(build(3))
        await limiter.consume('key', { cost: 2 })
        for (let i = 0; i < 5; i++) {
          expect(await limiter.consume('key', { cost: 2 })).toMatchObject({
            allowed: false,
            remaining: 1,
          })
        }
        expect(await admitted(limiter, 2)).toBe(1)
      },
    )
  })

  describe('members that collide within one millisecond', () => {
    test.each(builders)('each of them counts: $name', async ({ build }) => {
      expect(await admitted(limiterOf(build(25)), 60)).toBe(25)
    })
  })

  describe('deletion by value', () => {
    test.each(builders)('a refund refunds one of several equal units: $name', async ({ build }) => {
      const limiter = limiterOf(build(3))
      const [one] = [await limiter.consume('key'), await limiter.consume('key')]
      await limiter.consume('key')
      await limiter.refund(one)
      await limiter.refund(one)
      expect((await limiter.status('key')).policies['default'].used).toBe(2)
      expect(await admitted(limiter, 3)).toBe(1)
    })
  })

  describe('a fraction of a second in EXPIRE', () => {
    test.each<{ policy: Policy; window: number }>([
      { policy: fixedWindow({ limit: 1, window: 1 }), window: 1 },
      { policy: fixedWindow({ limit: 1, window: '0.25s' }), window: 250 },
      { policy: slidingLog({ limit: 1, window: '1.5s' }), window: 1500 },
      { policy: gcra({ limit: 7, window: 1000, burst: 1 }), window: 143 },
      { policy: tokenBucket({ capacity: 1, refill: 3, every: 1000 }), window: 334 },
    ])('windows end to the millisecond: $window ms', async ({ policy, window }) => {
      const limiter = limiterOf(policy)
      expect(await admitted(limiter, 2)).toBe(1)
      now += window - 1
      expect(await admitted(limiter, 2)).toBe(0)
      now += 1
      expect(await admitted(limiter, 2)).toBe(1)
    })
  })

  describe('tokens compared with == 0', () => {
    test('a fraction of a token allows no request, and one token and a half allows one', async () => {
      const limiter = limiterOf(tokenBucket({ capacity: 2, refill: 1, every: 1000 }))
      expect(await admitted(limiter, 3)).toBe(2)
      now += 500
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, remaining: 0 })
      now += 1200
      expect(await limiter.consume('key', { cost: 2 })).toMatchObject({
        allowed: false,
        remaining: 1,
      })
      expect(await limiter.consume('key')).toMatchObject({ allowed: true, remaining: 0 })
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, remaining: 0 })
    })

    test('a negative level allows no request', async () => {
      const limiter = limiterOf(tokenBucket({ capacity: 2, refill: 1, every: 1000 }))
      await limiter.penalize('key', 3)
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 2000 })
    })
  })

  describe('whole-second clocks', () => {
    test('a window that begins in the middle of a second ends in the middle of a second', async () => {
      const limiter = limiterOf(fixedWindow({ limit: 1, window: '1s' }))
      now = today + 999
      expect(await admitted(limiter, 2)).toBe(1)
      now = today + 1998
      expect(await admitted(limiter, 2)).toBe(0)
      now = today + 1999
      expect(await admitted(limiter, 2)).toBe(1)
    })

    test.each([
      { name: 'gcra', policy: gcra({ limit: 10, window: '1s' }) },
      { name: 'tokenBucket', policy: tokenBucket({ capacity: 10, refill: 10, every: '1s' }) },
    ])('units are available again within the second: $name', async ({ policy }) => {
      const limiter = limiterOf(policy)
      expect(await admitted(limiter, 11)).toBe(10)
      for (let i = 0; i < 20; i++) {
        now += 99
        expect(await admitted(limiter, 1)).toBe(0)
        now += 1
        expect(await admitted(limiter, 2)).toBe(1)
      }
    })
  })

  describe('only one expired bucket dropped per call', () => {
    test.each(builders.filter(({ name }) => name.startsWith('sliding')))(
      'the first request after a pause has the whole quota: $name',
      async ({ build }) => {
        const limiter = limiterOf(build(10))
        for (let i = 0; i < 10; i++) {
          now = today + i * 100
          expect((await limiter.consume('key')).allowed).toBe(true)
        }
        now = today + 3000
        expect(await limiter.consume('key', { cost: 10 })).toMatchObject({ allowed: true })
      },
    )

    test('units expire one by one', async () => {
      const limiter = limiterOf(slidingLog({ limit: 10, window: 1000 }))
      for (let i = 0; i < 10; i++) {
        now = today + i * 100
        await limiter.consume('key')
      }
      now = today + 1000 + 450
      expect((await limiter.peek('key')).remaining).toBe(5)
    })
  })

  describe('a natural day in the wrong zone', () => {
    test.each([
      { timeZone: 'Asia/Shanghai', midnight: '2025-11-22T00:00:00+08:00' },
      { timeZone: 'UTC', midnight: '2025-11-22T00:00:00Z' },
      { timeZone: 'America/New_York', midnight: '2025-11-22T00:00:00-05:00' },
      { timeZone: 'Asia/Kathmandu', midnight: '2025-11-22T00:00:00+05:45' },
      { timeZone: 'Africa/Cairo', midnight: '2025-04-25T01:00:00+03:00' },
    ])('a day begins at midnight in its own zone: $timeZone', async ({ timeZone, midnight }) => {
      const limiter = limiterOf(calendarWindow({ limit: 1, period: 'day', timeZone }))
      now = Date.parse(midnight) - dayMs / 2
      expect(await admitted(limiter, 2)).toBe(1)
      now = Date.parse(midnight) - 1
      expect(await admitted(limiter, 2)).toBe(0)
      now = Date.parse(midnight)
      expect(await admitted(limiter, 2)).toBe(1)
    })
  })

  describe('a policy object that its first limiter changes', () => {
    test.each(builders)('is the same for the next limiter: $name', async ({ build }) => {
      const policy = build(2)
      const before = structuredClone(policy)
      expect(await admitted(limiterOf(policy), 4)).toBe(2)
      expect(await admitted(limiterOf({ policy, same: policy }), 4)).toBe(2)
      expect(policy).toEqual(before)
      expect(Object.isFrozen(policy)).toBe(true)
    })

    test('the options of its builder can be used again', async () => {
      const options = { limit: 2, window: '1h', block: { for: '5m' } } as const
      const before = structuredClone(options)
      const [one, two] = [fixedWindow(options), slidingWindow(options)]
      expect(await admitted(limiterOf({ one, two }), 4)).toBe(2)
      expect(options).toEqual(before)
      const changing = { limit: 2, window: 1000 }
      const policy = fixedWindow(changing)
      changing.limit = 100
      expect(await admitted(limiterOf(policy), 4)).toBe(2)
    })
  })

  describe('key parts that collide', () => {
    test.each(['_', ':', '|', '-', '/', ' ', '%', ',', '"', '\0', '::'])(
      'parts joined by %j are a different key from the same text split elsewhere',
      async (joint) => {
        const limiter = limiterOf(fixedWindow({ limit: 1, window: '1h' }))
        const keys = [
          [`a${joint}b`, 'c'],
          ['a', `b${joint}c`],
          ['a', 'b', 'c'],
          [`a${joint}b${joint}c`],
          ['a', `${joint}b`, 'c'],
          [`a${joint}`, 'b', 'c'],
        ]
        const answers = []
        for (const key of [...keys, ...keys]) answers.push((await limiter.consume(key)).allowed)
        expect(answers).toEqual([...keys.map(() => true), ...keys.map(() => false)])
      },
    )
  })

  describe('a } in a user’s key', () => {
    test('is an ordinary character, and does not change another key', async () => {
      const limiter = limiterOf(fixedWindow({ limit: 1, window: '1h' }))
      const keys = ['a', 'a}', '}', '}a', '{a}', '{}', '}{', '}}', '{a}{b}', '%7D', 'a%7D', '{', '']
      const answers = []
      for (const key of [...keys, ...keys]) {
        answers.push((await limiter.consume(`x${key}`)).allowed)
      }
      expect(answers).toEqual([...keys.map(() => true), ...keys.map(() => false)])
    })
  })

  describe('limits of 0, 1 and 2', () => {
    test.each(
      builders.flatMap(({ name, build }) => [0, 1, 2].map((limit) => ({ name, build, limit }))),
    )('$name allows $limit of 5', async ({ build, limit }) => {
      const limiter = limiterOf(build(limit))
      expect(await admitted(limiter, 5)).toBe(limit)
      const { retryAfterMs } = await limiter.consume('key')
      expect(retryAfterMs === null).toBe(limit === 0)
      now += retryAfterMs ?? 10 * 365 * dayMs
      expect((await limiter.consume('key')).allowed).toBe(limit > 0)
    })

    test.each([1, 2])('a queue of %i allows %i', async (room) => {
      const limiter = limiterOf(leakyQueue({ leak: 1, every: 1000, maxDelay: (room - 1) * 1000 }))
      expect(await admitted(limiter, 5)).toBe(room)
    })
  })

  describe('a window of 30 days, whose milliseconds exceed 32 bits', () => {
    const month = 30 * dayMs
    test.each([
      { name: 'fixedWindow', policy: fixedWindow({ limit: 2, window: '30d' }) },
      {
        name: 'fixedWindow on the clock',
        policy: fixedWindow({ limit: 2, window: '30d', align: 'clock', offset: today % month }),
      },
      {
        name: 'slidingWindow in whole buckets',
        policy: slidingWindow({ limit: 2, window: '30d', buckets: 30, tail: 'truncated' }),
      },
      { name: 'slidingLog', policy: slidingLog({ limit: 2, window: '30d' }) },
      { name: 'gcra', policy: gcra({ limit: 1, window: '30d', burst: 2 }) },
      { name: 'tokenBucket', policy: tokenBucket({ capacity: 2, refill: 1, every: '30d' }) },
      { name: 'leakyBucket', policy: leakyBucket({ capacity: 2, leak: 1, every: '30d' }) },
      { name: 'concurrency', policy: concurrency({ limit: 2, lease: '30d' }) },
    ])('ends after 30 days and not before: $name', async ({ policy }) => {
      now = today - (today % dayMs)
      const start = now
      const limiter = limiterOf(policy)
      expect(await admitted(limiter, 3)).toBe(2)
      expect((await limiter.peek('key')).retryAfterMs).toBe(month)
      now = start + month - 1
      expect(await limiter.consume('key')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      now = start + month
      expect((await limiter.consume('key')).allowed).toBe(true)
    })
  })
})

describe('in Redis', () => {
  function limiterOf(policies: Policies, clock?: () => number) {
    const store = redisStore(server.client(), { timeout: '10s' })
    const name = randomUUID()
    const limiter = createLimiter(
      clock === undefined ? { name, policies, store } : { name, policies, store, clock },
    )
    return { limiter, key: `sluice:${name}:1{key}` }
  }

  describe('a counter without a time to live', () => {
    test('does not result from a counter that expires during a request', async () => {
      const { limiter, key } = limiterOf(fixedWindow({ limit: 1_000_000, window: '1h' }))
      const lives: Promise<number>[] = []
      const decisions = Array.from({ length: 500 }, async (_, i) => {
        if (i % 2 === 0) void server.connection.pexpire(key, i % 3)
        const decision = limiter.consume('key')
        lives.push(server.connection.pttl(key))
        return decision
      })
      await Promise.all(decisions)
      const left = await Promise.all(lives)
      // -2: the key has just expired. -1: the key never expires.
      expect(left.filter((livesMs) => livesMs === -1)).toEqual([])
      await limiter.consume('key')
      expect(await server.connection.pttl(key)).toBeGreaterThan(3_590_000)
    })

    test.each(builders)('gets one with its next request: $name', async ({ build }) => {
      const { limiter, key } = limiterOf(build(3), () => today)
      await limiter.consume('key')
      const { connection } = server
      for (const found of await connection.keys(`${key}*`)) await connection.persist(found)
      await limiter.consume('key')
      const lives = (await connection.keys(`${key}*`)).map(async (found) => connection.pttl(found))
      expect((await Promise.all(lives)).filter((livesMs) => livesMs < 0)).toEqual([])
    })

    test.each(builders)('ends in time: $name', async ({ build }) => {
      let now = today
      const { limiter, key } = limiterOf(build(1), () => now)
      await limiter.consume('key')
      const { connection } = server
      for (const found of await connection.keys(`${key}*`)) await connection.persist(found)
      now += (await limiter.consume('key')).retryAfterMs ?? 0
      expect((await limiter.consume('key')).allowed).toBe(true)
    })
  })

  test('a fraction of a second in EXPIRE: every time to live is whole milliseconds', async () => {
    for (const policy of [
      gcra({ limit: 7, window: 1000 }),
      tokenBucket({ capacity: 3, refill: 7, every: 1009 }),
      leakyBucket({ capacity: 3, leak: 7, every: 1009 }),
      slidingWindow({ limit: 7, window: 999, buckets: 9 }),
      slidingLog({ limit: 7, window: 333 }),
    ]) {
      const { limiter, key } = limiterOf({ default: policy })
      for (let i = 0; i < 3; i++) expect((await limiter.consume('key')).allowed).toBe(true)
      expect(await server.connection.pttl(key)).toBeGreaterThan(0)
    }
  })

  test('a } in a key neither opens nor closes a hash tag', async () => {
    const name = randomUUID()
    const store = redisStore(server.client(), { timeout: '10s' })
    const policies = { window: fixedWindow({ limit: 1, window: '1h' }), log: log() }
    const limiter = createLimiter({ name, policies, store })
    for (const key of ['a}b', '}', '{}', '{a}', 'a{b}c']) await limiter.consume(key)
    const keys = await server.connection.keys(`sluice:${name}:1{*`)
    expect(keys.filter((key) => !/^[^{}]*\{[^{}]+\}[^{}]*$/.test(key))).toEqual([])
    expect(new Set(keys.map((key) => key.slice(0, key.indexOf('}')))).size).toBe(5)
  })

  test('servers with skewed clocks count in one window, by each algorithm', async () => {
    const program = `
      const [port, name, skewMs] = process.argv.slice(1)
      const real = Date.now
      Date.now = () => real() + Number(skewMs)
      const { Redis } = await import('ioredis')
      const core = await import('@sluice/core')
      const client = new Redis(Number(port), '127.0.0.1')
      const store = core.redisStore(client, { timeout: '10s' })
      const allowed = {}
      for (const policies of [
        core.fixedWindow({ limit: 5, window: '1h' }),
        core.slidingLog({ limit: 5, window: '1h' }),
        core.gcra({ limit: 5, window: '30d' }),
        core.tokenBucket({ capacity: 5, refill: 1, every: '30d' }),
      ]) {
        const limiter = core.createLimiter({ name: name + policies.kind, policies, store })
        const decisions = [await limiter.consume('key'), await limiter.consume('key')]
        allowed[policies.kind] = decisions.map(({ allowed }) => allowed)
      }
      process.stdout.write(JSON.stringify(allowed))
      client.disconnect()
    `
    const name = randomUUID()
    const answers: unknown[] = []
    for (const skewMs of [0, -3 * 3_600_000, 60 * dayMs]) {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        ['--input-type=module', '--eval', program, `${server.port}`, name, `${skewMs}`],
        { cwd: import.meta.dirname },
      )
      answers.push(JSON.parse(stdout))
    }
    const expected = [
      [true, true],
      [true, true],
      [true, false],
    ].map((of) => ({ fixedWindow: of, slidingLog: of, gcra: of, tokenBucket: of }))
    expect(answers).toEqual(expected)
  })

  test('a window of 30 days lasts 30 days', async () => {
    const { limiter, key } = limiterOf(fixedWindow({ limit: 1, window: '30d' }))
    await limiter.consume('key')
    expect(await server.connection.pttl(key)).toBeGreaterThan(30 * dayMs - 60_000)
  })
})

function log() {
  return slidingLog({ limit: 1, window: '1h' })
}

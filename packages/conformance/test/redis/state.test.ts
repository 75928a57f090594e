import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  notLimited,
  redisStore,
  slidingLog,
  slidingWindow,
  type Policies,
  type Policy,
} from '@sluice/core'
import { costs, sizedAlgorithms } from '@sluice/conformance'
import { runs } from '@sluice/test-kit/random'
import { useRedis } from '@sluice/test-kit/redis'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'

const server = useRedis()
beforeEach(() => server.connection.flushall())

function storeOf() {
  return redisStore(server.connection, { timeout: '10s' })
}

describe('time to live', () => {
  test('every key has one after any traffic, which is not much longer than its quota needs', async () => {
    const policies = Object.fromEntries(
      sizedAlgorithms.map(({ sample }, i) => [`${i}`, sample(20, 60_000).policy]),
    )
    const limiters = ['one', 'two'].map((name) =>
      createLimiter({ name, policies, store: storeOf() }),
    )
    const key = fc.constantFrom('ann', 'bob', 'eve', notLimited)
    const keys = fc.record(Object.fromEntries(sizedAlgorithms.map((_, i) => [`${i}`, key])))
    const call = fc.tuple(fc.constantFrom(...limiters), keys, costs, fc.nat(9))
    await fc.assert(
      fc.asyncProperty(call, async ([limiter, keys, cost, dice]) => {
        if (dice === 0) await limiter.reset(keys)
        else await limiter.consume(keys, { cost: typeof cost === 'number' ? cost : 1 })
      }),
      { numRuns: runs(300) },
    )
    const found = await server.connection.keys('*')
    // All rows of a key are fields of one hash. The records of a log or of leases have a key of their own.
    const hashes = found.filter((key) => key.endsWith('}'))
    expect(hashes.sort()).toEqual(
      ['one', 'two'].flatMap((name) =>
        ['ann', 'bob', 'eve'].map((key) => `sluice:${name}:1{${key}}`),
      ),
    )
    for (const key of found) {
      const livesMs = await server.connection.pttl(key)
      expect(livesMs).toBeGreaterThan(0)
      // The longest of them, a weighted sliding window, counts for two windows. The rest is a margin, and the time to a whole second.
      expect(livesMs).toBeLessThanOrEqual(2 * 60_000 + 2000)
    }
  })

  test.each([0, 1_763_683_200_000, 4_102_444_800_000])(
    'a block by a clock of the limiter, here %i, is kept as long as it lasts by that clock, and a day longer',
    async (now) => {
      const limiter = createLimiter({
        name: 'api',
        policies: fixedWindow({ limit: 1, window: '1m', block: { for: '1h' } }),
        store: storeOf(),
        clock: () => now,
      })
      const hourMs = 3_600_000
      await limiter.block('by hand', hourMs)
      // The next block may be longer if it starts within another hour.
      await limiter.consume('at the limit')
      const lives = ['by hand', 'at the limit'].map(async (key) => {
        const livesMs = await server.connection.pttl(`sluice:api:1{${key}}`)
        return Math.round((livesMs - 24 * hourMs) / 60_000)
      })
      expect(await Promise.all(lives)).toEqual([60, 120])
    },
  )

  test('a peek, a denial, and a reset of an unused key create no key', async () => {
    const limiter = createLimiter({
      name: 'untouched',
      policies: fixedWindow({ limit: 2, window: '1h' }),
      store: storeOf(),
    })
    await limiter.peek('looked at')
    await limiter.consume('denied', { cost: 3 })
    await limiter.consume('nothing taken', { cost: 0 })
    await limiter.reset('reset')
    expect(await server.connection.keys('*')).toEqual([])
  })

  test('is given again to a key that has lost it, when a request changes its end', async () => {
    const policies = gcra({ limit: 5, window: '1h' })
    const limiter = createLimiter({ name: 'lost', policies, store: storeOf() })
    await limiter.consume('key')
    await server.connection.persist('sluice:lost:1{key}')
    await limiter.consume('key')
    expect(Math.round((await server.connection.pttl('sluice:lost:1{key}')) / 60_000)).toBe(24)
  })

  test.each([fixedWindow, slidingWindow, slidingLog])(
    'grows with the window of a policy: $name',
    async (build) => {
      const name = build.name
      const limiter = createLimiter({
        name,
        limit: 5,
        window: '1s',
        algorithm: build,
        store: storeOf(),
      })
      await limiter.consume('key', { cost: 3 })
      await limiter.consume('key', { policies: build({ limit: 5, window: '1h' }) })
      for (const key of await server.connection.keys('*')) {
        expect(await server.connection.pttl(key)).toBeGreaterThan(3_500_000)
      }
    },
  )

  test('is set once for requests that do not change the end of their key', async () => {
    const policies = fixedWindow({ limit: 50, window: '1h' })
    const limiter = createLimiter({ name: 'once', policies, store: storeOf() })
    await server.connection.config('RESETSTAT')
    for (let i = 0; i < 20; i++) await limiter.consume('key')
    const stats = await server.connection.info('commandstats')
    const calls = ['hset', 'pexpire'].map((command) => {
      return Number(new RegExp(`cmdstat_${command}:calls=(\\d+)`).exec(stats)?.[1])
    })
    expect(calls).toEqual([20, 1])
  })

  test('a reset leaves no key', async () => {
    const policies = {
      window: fixedWindow({ limit: 2, window: '1h' }),
      log: slidingLog({ limit: 2, window: '1h' }),
      pace: gcra({ limit: 2, window: '1h' }),
    }
    const limiter = createLimiter({ name: 'reset', policies, store: storeOf() })
    await limiter.consume('key')
    await limiter.reset('key')
    expect(await server.connection.keys('*')).toEqual([])
  })
})

describe('one key', () => {
  const policies = {
    window: fixedWindow({ limit: 5, window: '1h' }),
    sliding: slidingWindow({ limit: 5, window: '1h' }),
    pace: gcra({ limit: 5, window: '10d' }),
  }

  test('is one hash, with a field for each policy', async () => {
    await createLimiter({ name: 'api', policies, store: storeOf() }).consume('user')
    expect(await server.connection.keys('*')).toEqual(['sluice:api:1{user}'])
    const fields = await server.connection.hkeys('sluice:api:1{user}')
    expect(fields.sort()).toEqual(['pace:3', 'sliding:9', 'window:1'])
  })

  test('keeps the counts of policies that a call excludes, and their expiry', async () => {
    const limiter = createLimiter({ name: 'api', policies, store: storeOf() })
    await limiter.consume('user', { cost: 3 })
    const livesMs = await server.connection.pttl('sluice:api:1{user}')
    await limiter.consume({ window: 'user', sliding: notLimited, pace: notLimited })
    await limiter.reset({ window: notLimited, sliding: 'user', pace: notLimited })
    const { policies: verdicts } = await limiter.peek('user')
    expect(Object.values(verdicts).map(({ remaining }) => remaining)).toEqual([1, 5, 2])
    expect(await server.connection.pttl('sluice:api:1{user}')).toBeLessThanOrEqual(livesMs)
    expect(await server.connection.pttl('sluice:api:1{user}')).toBeGreaterThan(livesMs - 5000)
  })

  test('keeps the counts of policies of another release of the limiter', async () => {
    const { window, ...rest } = policies
    const before = createLimiter({ name: 'api', policies: rest, store: storeOf() })
    const after = createLimiter({ name: 'api', policies: { window }, store: storeOf() })
    await before.consume('user', { cost: 2 })
    await after.consume('user', { cost: 4 })
    const { policies: verdicts } = await before.peek('user')
    expect(Object.values(verdicts).map(({ remaining }) => remaining)).toEqual([3, 3])
    expect((await after.peek('user')).remaining).toBe(1)
  })

  test('is not read from an earlier layout, which is left as it is', async () => {
    await server.connection.set('sluice:api:{user}', 'an earlier layout')
    const limiter = createLimiter({ name: 'api', policies, store: storeOf() })
    expect(await limiter.consume('user')).toMatchObject({ source: 'store', remaining: 4 })
    await limiter.reset('user')
    expect(await server.connection.get('sluice:api:{user}')).toBe('an earlier layout')
  })

  test('is found under the prefix and the name, with the key as the hash tag', async () => {
    const store = redisStore(server.connection, { prefix: 'app:{x}', timeout: '10s' })
    const policy = fixedWindow({ limit: 1, window: '1h' })
    await createLimiter({ name: 'a:b', policies: policy, store }).consume(['user', '{4}2'])
    expect(await server.connection.keys('*')).toEqual(['app%3A%7Bx%7D:a%3Ab:1{|user|%7B4%7D2}'])
  })
})

describe('a rolling deploy to another form of state', () => {
  const hour = { limit: 5, window: '1h' } as const
  const forms: readonly (readonly [string, Policy, Policy])[] = [
    ['slidingWindow, then gcra', slidingWindow(hour), gcra(hour)],
    [
      '6 buckets, then 10',
      slidingWindow({ ...hour, buckets: 6 }),
      slidingWindow({ ...hour, buckets: 10 }),
    ],
    ['slidingLog, then concurrency', slidingLog(hour), concurrency({ limit: 5, lease: '1h' })],
  ]

  /** A limiter of each version of the application, each with a store of its own. */
  function versions(before: Policies, after: Policies, name: string = randomUUID()) {
    return [before, after].map((policies) => createLimiter({ name, policies, store: storeOf() }))
  }

  test.each(forms)('%s: at most the sum of both limits is allowed', async (_, before, after) => {
    const limiters = versions(before, after)
    let allowed = 0
    for (let i = 0; i < 30; i++) {
      for (const limiter of limiters) if ((await limiter.consume('user')).allowed) allowed++
    }
    expect(allowed).toBe(10)
  })

  test('a reset by one version deletes the log and the leases of the other', async () => {
    const [, log, leases] = forms[2]
    for (const [counted, resetting] of [
      [log, leases],
      [leases, log],
      [log, gcra(hour)],
      [leases, gcra(hour)],
    ]) {
      const [before, after] = versions(counted, resetting, 'api')
      await before.consume('user', { cost: 5, owner: 'ann' })
      expect((await server.connection.keys('*:default:*')).length).toBeGreaterThan(0)
      await after.reset('user')
      expect(await server.connection.keys('*:default:*')).toEqual([])
      expect((await before.status('user')).policies['default'].used).toBe(0)
      await server.connection.flushall()
    }
  })

  test('the count of one version is kept as long as it counts, however often the other is written', async () => {
    const [before, after] = versions(gcra(hour), fixedWindow({ limit: 5, window: '20ms' }), 'api')
    await before.consume('user', { cost: 5 })
    for (let i = 0; i < 5; i++) {
      await after.consume('user')
      await delay(21)
    }
    expect((await before.peek('user')).remaining).toBe(0)
    expect(await server.connection.pttl('sluice:api:1{user}')).toBeGreaterThan(3_590_000)
  })

  test('each version has a field of its own', async () => {
    const [before, after] = versions(forms[1][1], forms[1][2], 'api')
    await before.consume('user')
    await after.consume('user')
    const fields = await server.connection.hkeys('sluice:api:1{user}')
    expect(fields.sort()).toEqual([':128.13', ':128.9'])
  })
})

describe('the fields of a key', () => {
  const now = 1_763_683_200_000
  const hour = { limit: 5, window: '1h' } as const

  function limiterOf(policies: Policies) {
    return createLimiter({ name: 'api', policies, store: storeOf(), clock: () => now })
  }

  /** The fields of the state of the key 'user', and their bytes. */
  async function fields(): Promise<Record<string, string>> {
    const found = await server.connection.hgetallBuffer('sluice:api:1{user}')
    return Object.fromEntries(
      Object.entries(found).map(([field, bytes]) => [field, bytes.toString('hex')]),
    )
  }

  /** A whole number of these bytes, the lowest first. */
  function number(value: number, bytes: number): string {
    const buffer = Buffer.alloc(8)
    buffer.writeBigUInt64LE(BigInt(value))
    return buffer.toString('hex', 0, bytes)
  }

  const start = number(now, 6)

  test.each<[string, Policies, Record<string, string>]>([
    ['an unnamed policy', fixedWindow(hour), { ':1': start + number(1, 4) }],
    ['a named one', { 'a:b': fixedWindow(hour) }, { 'a%3Ab:1': start + number(1, 4) }],
    [
      'a policy with a width of its own',
      slidingWindow({ ...hour, buckets: 2 }),
      { ':128.5': start + start + [1, 0, 0].map((count) => number(count, 4)).join('') },
    ],
    [
      'a log',
      slidingLog(hour),
      { ':7': start + [1, 0, 0, 1].map((count) => number(count, 4)).join('') },
    ],
  ])('%s: its times in six bytes, then its counts in four', async (_, policies, expected) => {
    await limiterOf(policies).consume('user')
    expect(await fields()).toEqual(expected)
  })

  test('counts that add up to 2^32 take seven bytes each, and four again after a refund', async () => {
    const limiter = limiterOf(fixedWindow(hour))
    const half = 2 ** 31
    await limiter.penalize('user', half)
    await limiter.penalize('user', half - 1)
    expect(await fields()).toEqual({ ':1': start + number(2 * half - 1, 4) })
    await limiter.penalize('user', 1)
    expect(await fields()).toEqual({ ':1': start + number(2 * half, 7) })
    await limiter.refund('user', 1)
    expect(await fields()).toEqual({ ':1': start + number(2 * half - 1, 4) })
  })

  test('what stands beside the count of a policy name is a field: the end and the length of its block, the end of its exemption, and that of its grant, with its units', async () => {
    const block = { for: '1m', on: 'exceeded' } as const
    const limiter = limiterOf(fixedWindow({ limit: 1, window: '1h', block }))
    await limiter.consume('user')
    const row = { ':1': start + number(1, 4) }
    await limiter.consume('user')
    const override = (blockedUntil: number, blockMs: number, exemptUntil: number, grant = [0, 0]) =>
      [blockedUntil, blockMs, exemptUntil, grant[0]].map((cell) => number(cell, 6)).join('') +
      [grant[1], 0, 0].map((cell) => number(cell, 7)).join('')
    expect(await fields()).toEqual({ ...row, ':o': override(now + 60_000, 60_000, 0) })
    await limiter.block('user', '1h')
    expect(await fields()).toEqual({ ...row, ':o': override(now + 3_600_000, 0, 0) })
    await limiter.exempt('user', '2h')
    expect(await fields()).toEqual({ ...row, ':o': override(0, 0, now + 7_200_000) })
    await limiter.grant('user', 500, { for: '1h' })
    const grant = [now + 3_600_000, 500]
    expect(await fields()).toEqual({ ...row, ':o': override(0, 0, now + 7_200_000, grant) })
    await limiter.unexempt('user')
    expect(await fields()).toEqual({ ...row, ':o': override(0, 0, 0, grant) })
    await limiter.ungrant('user')
    expect(await fields()).toEqual(row)
  })
})

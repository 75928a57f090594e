import { randomUUID } from 'node:crypto'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  type Policies,
  type Store,
} from '@sluice/core'
import { useRedis } from '@sluice/test-kit/redis'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { bothStores } from '../both-stores.js'

// Typical uses of a limiter, each on memory and on a real Redis. The tests set the clock: they assign `now` and never wait.
// In an application there is no `clock` option, and everything else stays as it is here.

const server = useRedis()

describe.each(bothStores(server))('on $where', ({ makeStore }) => {
  let store: Store
  let now: number
  beforeAll(() => {
    store = makeStore()
  })
  beforeEach(() => {
    now = Date.parse('2025-11-21T09:00:00+08:00')
  })

  function limiterOf(policies: Policies) {
    return createLimiter({ name: randomUUID(), policies, store, clock: () => now })
  }

  test('five SMS a day for each phone number, in Shanghai time', async () => {
    const sms = limiterOf(calendarWindow({ limit: 5, period: 'day', timeZone: 'Asia/Shanghai' }))
    const phone = '+86 138 0013 8000'

    for (const remaining of [4, 3, 2, 1, 0]) {
      expect(await sms.consume(phone)).toMatchObject({ allowed: true, remaining })
    }
    now = Date.parse('2025-11-21T23:59:59.999+08:00')
    expect(await sms.consume(phone)).toMatchObject({ allowed: false, retryAfterMs: 1 })
    expect((await sms.consume('+86 139 0013 9000')).allowed).toBe(true)
    now = Date.parse('2025-11-22T00:00:00+08:00')
    expect(await sms.consume(phone)).toMatchObject({ allowed: true, remaining: 4 })
  })

  describe('three wrong passwords in a row within ten minutes block the user for five', () => {
    const wrongPasswords = fixedWindow({ limit: 3, window: '10m' })
    const user = 'ann'
    const fiveMinutes = 300_000
    let logins: ReturnType<typeof limiterOf>
    beforeEach(() => {
      logins = limiterOf(wrongPasswords)
    })

    /** The result of a login: "welcome", "wrong", or the wait in milliseconds. */
    async function logIn(isRight: boolean): Promise<'welcome' | 'wrong' | number | null> {
      const { allowed, retryAfterMs } = await logins.peek(user)
      if (!allowed) return retryAfterMs
      if (isRight) {
        await logins.reset(user)
        return 'welcome'
      }
      const { remaining } = await logins.consume(user)
      if (remaining === 0) {
        // The block replaces these three attempts: without the reset they would count until the end of their ten minutes.
        await logins.reset(user)
        await logins.block(user, '5m')
      }
      return 'wrong'
    }

    test('the third attempt blocks for five minutes, and further attempts do not extend the block', async () => {
      const answers = [await logIn(false), await logIn(false), await logIn(false)]
      expect([...answers, await logIn(true)]).toEqual(['wrong', 'wrong', 'wrong', fiveMinutes])
      now += fiveMinutes - 1
      expect(await logIn(true)).toBe(1)
      now++
      expect(await logIn(true)).toBe('welcome')
    })

    test('after the block there are three attempts again', async () => {
      for (let i = 0; i < 3; i++) await logIn(false)
      now += fiveMinutes
      const answers = [await logIn(false), await logIn(false), await logIn(false)]
      expect([...answers, await logIn(false)]).toEqual(['wrong', 'wrong', 'wrong', fiveMinutes])
    })

    test('a right password in between resets the count', async () => {
      for (const isRight of [false, false, true, false, false]) await logIn(isRight)
      expect(await logIn(true)).toBe('welcome')
    })

    test('wrong passwords of more than ten minutes ago do not count', async () => {
      await logIn(false)
      await logIn(false)
      now += 600_000
      await logIn(false)
      await logIn(false)
      expect(await logIn(true)).toBe('welcome')
    })

    test('a block of the policy does the same in one step, if the window is not longer than the block', async () => {
      logins = limiterOf(fixedWindow({ limit: 3, window: '5m', block: { for: '5m' } }))
      for (const later of [0, 60_000, 60_000]) {
        now += later
        expect((await logins.consume(user)).allowed).toBe(true)
      }
      const { policies } = await logins.status(user)
      expect(policies['default']).toMatchObject({ used: 3, blockedMs: fiveMinutes })
      for (let left = fiveMinutes; left > 0; left -= 30_000) {
        expect(await logins.consume(user)).toMatchObject({ allowed: false, retryAfterMs: left })
        now += 30_000
      }
      expect(await logins.consume(user)).toMatchObject({ allowed: true, remaining: 2 })
    })
  })

  test('one vote for each user and post, which can be taken back', async () => {
    const votes = limiterOf(fixedWindow({ limit: 1, window: '3650d' }))

    const vote = await votes.consume(['ann', 'post:1'])
    expect(vote.allowed).toBe(true)
    expect((await votes.consume(['ann', 'post:1'])).allowed).toBe(false)
    expect((await votes.consume(['ann', 'post:2'])).allowed).toBe(true)
    expect((await votes.consume(['bob', 'post:1'])).allowed).toBe(true)

    expect([await votes.refund(vote), await votes.refund(vote)]).toEqual([true, false])
    expect((await votes.consume(['ann', 'post:1'])).allowed).toBe(true)
    expect((await votes.consume(['ann', 'post:1'])).allowed).toBe(false)
  })

  test.each([
    fixedWindow({ limit: 300, window: '1d' }),
    slidingWindow({ limit: 300, window: '1d' }),
    slidingLog({ limit: 300, window: '1d' }),
    gcra({ limit: 300, window: '1d' }),
    tokenBucket({ capacity: 300, refill: 300, every: '1d' }),
  ])('after 290 of 300 points, 20 more are denied and 10 are allowed ($kind)', async (policy) => {
    const points = limiterOf(policy)
    expect(await points.consume('ann', { cost: 290 })).toMatchObject({
      allowed: true,
      remaining: 10,
    })
    expect(await points.consume('ann', { cost: 20 })).toMatchObject({
      allowed: false,
      remaining: 10,
    })
    expect(await points.consume('ann', { cost: 10 })).toMatchObject({
      allowed: true,
      remaining: 0,
    })
    expect((await points.consume('ann')).allowed).toBe(false)
  })

  test('30 answers a day are free, and after that there is one every 2 s', async () => {
    const answers = limiterOf(
      staged({
        free: calendarWindow({ limit: 30, period: 'day', timeZone: 'Asia/Shanghai' }),
        then: gcra({ limit: 1, window: '2s' }),
      }),
    )
    for (let i = 0; i < 30; i++) expect((await answers.consume('ann')).allowed).toBe(true)
    for (let i = 0; i < 3; i++) {
      expect(await answers.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 2000 })
      now += 1999
      expect(await answers.consume('ann')).toMatchObject({ allowed: false, retryAfterMs: 1 })
      now += 1
      expect((await answers.consume('ann')).allowed).toBe(true)
    }
    now = Date.parse('2025-11-22T00:00:00+08:00')
    for (let i = 0; i < 30; i++) expect((await answers.consume('ann')).allowed).toBe(true)
    expect((await answers.consume('ann')).retryAfterMs).toBe(2000)
  })

  test('30 in 2 s, 50 in 10 s and 1000 a day hold at once, and a denial names those that deny', async () => {
    const api = limiterOf({
      burst: fixedWindow({ limit: 30, window: '2s' }),
      sustained: fixedWindow({ limit: 50, window: '10s' }),
      day: calendarWindow({ limit: 1000, period: 'day', timeZone: 'UTC' }),
    })
    expect(await api.consume('ann', { cost: 30 })).toMatchObject({ allowed: true, deniedBy: [] })
    expect(await api.consume('ann')).toMatchObject({ deniedBy: ['burst'], retryAfterMs: 2000 })
    expect(await api.consume('ann', { cost: 30 })).toMatchObject({
      deniedBy: ['burst', 'sustained'],
      retryAfterMs: 10_000,
    })
    now += 2000
    expect(await api.consume('ann', { cost: 20 })).toMatchObject({ allowed: true, limit: 50 })
    expect(await api.consume('ann')).toMatchObject({ deniedBy: ['sustained'], retryAfterMs: 8000 })
    for (let spent = 50; spent < 1000; spent += 50) {
      now += 10_000
      await api.consume('ann', { cost: 30 })
      now += 2000
      expect((await api.consume('ann', { cost: 20 })).allowed).toBe(true)
    }
    expect(await api.consume('ann', { cost: 11 })).toMatchObject({
      deniedBy: ['burst', 'sustained', 'day'],
    })
    now += 10_000
    const denied = await api.consume('ann')
    expect(denied).toMatchObject({ deniedBy: ['day'], remaining: 0 })
    now += denied.retryAfterMs ?? 0
    expect(new Date(now).toISOString()).toBe('2025-11-22T00:00:00.000Z')
    expect((await api.consume('ann')).allowed).toBe(true)
  })

  test('4 in 90 s by day and 1 an hour at night, by the clocks of Shanghai', async () => {
    const byDay = { day: fixedWindow({ limit: 4, window: '90s' }) }
    const byNight = { night: fixedWindow({ limit: 1, window: '1h' }) }
    const clocks = new Intl.DateTimeFormat('en', {
      timeZone: 'Asia/Shanghai',
      hour: 'numeric',
      hourCycle: 'h23',
    })
    const calls = limiterOf(byDay)
    async function call() {
      const hour = Number(clocks.format(now))
      return calls.consume('ann', { policies: hour >= 8 && hour < 22 ? byDay : byNight })
    }

    now = Date.parse('2025-11-21T21:59:00+08:00')
    for (const remaining of [3, 2, 1, 0]) expect((await call()).remaining).toBe(remaining)
    expect(await call()).toMatchObject({ allowed: false, retryAfterMs: 90_000 })
    now = Date.parse('2025-11-21T22:00:00+08:00')
    expect(await call()).toMatchObject({ allowed: true, limit: 1 })
    expect(await call()).toMatchObject({ deniedBy: ['night'], retryAfterMs: 3_600_000 })
    now = Date.parse('2025-11-22T07:59:59.999+08:00')
    expect(await call()).toMatchObject({ allowed: true, limit: 1 })
    now = Date.parse('2025-11-22T08:00:00+08:00')
    for (const remaining of [3, 2, 1, 0]) expect((await call()).remaining).toBe(remaining)
    expect(await call()).toMatchObject({ deniedBy: ['day'], retryAfterMs: 90_000 })
  })

  test('a queue releases one message every 100 ms exactly, however the messages arrive', async () => {
    const outbox = limiterOf(leakyQueue({ leak: 1, every: '100ms', maxDelay: '1s' }))
    const start = now
    const arrivals = [0, 0, 0, 1, 99, 99, 250, 333, 333, 333, 333, 333, 333, 333]
    const releases: number[] = []
    for (const arrival of arrivals) {
      now = start + arrival
      const { allowed, delayMs } = await outbox.consume('queue')
      expect(allowed).toBe(true)
      releases.push(now + delayMs - start)
    }
    expect(releases).toEqual(arrivals.map((_, i) => i * 100))

    // The next free time is in 1067 ms, which is longer than the maximum delay.
    expect(await outbox.consume('queue')).toMatchObject({
      allowed: false,
      delayMs: 0,
      retryAfterMs: 67,
    })
    now = start + 5000
    expect(await outbox.consume('queue')).toMatchObject({ allowed: true, delayMs: 0 })
  })

  test('a lock that a late release cannot take from its new owner', async () => {
    const locks = limiterOf(concurrency({ limit: 1, lease: '30s' }))

    const late = await locks.consume('report')
    expect(late.allowed).toBe(true)
    now += 29_999
    expect(await locks.consume('report')).toMatchObject({ allowed: false, retryAfterMs: 1 })
    now += 1
    const next = await locks.consume('report')
    expect(next.allowed).toBe(true)

    // The first owner runs again, and believes that it still has the lock.
    expect(await late.lease?.release()).toBe(false)
    expect(await late.lease?.renew()).toBe(false)
    expect((await locks.consume('report')).allowed).toBe(false)
    // The storage can reject a write with the old token, because the new owner's token is greater.
    expect(Number(next.lease?.token)).toBeGreaterThan(Number(late.lease?.token))

    expect(await next.lease?.release()).toBe(true)
    expect(await next.lease?.release()).toBe(false)
    expect((await locks.consume('report')).allowed).toBe(true)
  })

  test.each([
    { window: 'of the first request', policy: fixedWindow({ limit: 100, window: '1h' }) },
    { window: 'of the clock', policy: fixedWindow({ limit: 100, window: '1h', align: 'clock' }) },
    {
      window: 'of the calendar',
      policy: calendarWindow({ limit: 100, period: 'hour', timeZone: 'Asia/Kathmandu' }),
    },
  ])(
    'a batch job sleeps until resetMs, and continues in the first millisecond of the next window ($window)',
    async ({ policy }) => {
      const quota = limiterOf(policy)
      const starts: number[] = []
      now += 12_345
      for (let sent = 0; sent < 300;) {
        const { allowed, resetMs } = await quota.consume('job')
        if (!allowed) {
          now += resetMs - 1
          expect((await quota.consume('job')).allowed).toBe(false)
          now += 1
        } else {
          if (sent % 100 === 0) starts.push(now)
          sent++
        }
      }
      const hours = starts.map((start, i) => start - starts[Math.max(0, i - 1)])
      expect([hours.length, hours[0], hours[2]]).toEqual([3, 0, 3_600_000])
      expect((await quota.status('job')).policies['default']).toMatchObject({ used: 100 })
    },
  )
})

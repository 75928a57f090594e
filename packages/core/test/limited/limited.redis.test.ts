import { setTimeout as sleep } from 'node:timers/promises'
import {
  concurrency,
  createLimiter,
  DeniedError,
  fixedWindow,
  limited,
  redisStore,
  type AsyncStore,
  type Limiter,
  type Policies,
  type StoreCallEvent,
} from '@sluice/core'
import { startRedis, useRedis } from '@sluice/test-kit/redis'
import { toldOn } from '@sluice/test-kit/told-on'
import { expect, test, vi } from 'vitest'

const server = useRedis()

test('functions of several processes are limited together', async () => {
  const policies = fixedWindow({ limit: 3, window: '1h' })
  const [here, there] = [limiterOf('shared', policies), limiterOf('shared', policies)].map(
    (limiter) => limited(limiter, forAll, { onDenied: () => 'denied' })(() => 'done'),
  )
  const answers = await Promise.all([here(), there(), here(), there(), here()])
  expect(answers.toSorted()).toEqual(['denied', 'denied', 'done', 'done', 'done'])
})

test('a denial rejects with the decision', async () => {
  const limiter = limiterOf('denied', fixedWindow({ limit: 0, window: '1h' }))
  const work = limited(limiter, forAll)(() => 'done')
  await expect(work()).rejects.toBeInstanceOf(DeniedError)
  await expect(work()).rejects.toMatchObject({ decision: { allowed: false, retryAfterMs: null } })
})

test('the number of running calls in all processes never exceeds the limit', async () => {
  const policies = concurrency({ limit: 2, lease: '10s' })
  let running = 0
  let most = 0
  const [here, there] = [limiterOf('slots', policies), limiterOf('slots', policies)].map(
    (limiter) =>
      limited(limiter, forAll, { wait: { max: '20s' } })(async () => {
        most = Math.max(most, ++running)
        await sleep(5)
        running--
      }),
  )
  await Promise.all(Array.from({ length: 10 }, () => [here(), there()]).flat())
  expect([most, running]).toEqual([2, 0])
  expect(await limiterOf('slots', policies).peek('all')).toMatchObject({ remaining: 2 })
})

test('a lease is renewed while the function runs longer than the lease', async () => {
  const lease = 900
  let now = Date.now()
  const limiter = createLimiter({
    name: 'kept',
    policies: concurrency({ limit: 1, lease }),
    store: redisStore(server.client(), { timeout: '20s' }),
    clock: () => now,
  })
  const calls = toldOn<StoreCallEvent>('sluice:store:call')
  const work = limited(
    limiter,
    forAll,
  )(async () => {
    for (let renewals = 1; renewals <= 2; renewals++) {
      const before = calls.length
      await vi.waitFor(() => expect(calls.length).toBeGreaterThan(before))
      now += lease - 1
    }
    return (await limiter.peek('all')).allowed
  })
  expect(await work()).toBe(false)
  expect(await limiter.peek('all')).toMatchObject({ allowed: true })
})

test('a Redis that becomes unavailable during a call does not change the result of the function', async () => {
  const other = await startRedis()
  try {
    const limiter = createLimiter({
      name: 'gone',
      policies: concurrency({ limit: 1, lease: '10s' }),
      store: redisStore(other.client({ retryStrategy: () => null })),
    })
    const work = limited(
      limiter,
      forAll,
    )(async () => {
      process.kill(other.pid, 'SIGKILL')
      return 'done'
    })
    expect(await work()).toBe('done')
  } finally {
    await other.stop()
  }
})

/** Describes each call as one for the same key. */
function forAll(): { key: string } {
  return { key: 'all' }
}

/** The limiter of another process, with a separate connection. */
function limiterOf(name: string, policies: Policies): Limiter<AsyncStore> {
  return createLimiter({ name, policies, store: redisStore(server.client(), { timeout: '10s' }) })
}

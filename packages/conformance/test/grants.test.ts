import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  redisStore,
  slidingLog,
  slidingWindow,
  type AsyncStore,
  type Decision,
  type Policy,
  type Store,
} from '@sluice/core'
import { databaseStore } from '@sluice/core/database'
import { useRedis } from '@sluice/conformance/redis'
import { beforeAll, describe, expect, test } from 'vitest'
import { MapDatabase } from '../src/databases/index.js'
import { randomFrom } from '../src/random.js'

const server = useRedis()
let redis: AsyncStore
beforeAll(() => {
  redis = redisStore(server.client(), { timeout: '10s' })
})

const stores: Record<string, () => Store> = {
  memory: () => memoryStore(),
  Redis: () => redis,
  database: () => databaseStore(new MapDatabase()),
}

let names = 0

describe.each(Object.keys(stores))('grants over %s', (store) => {
  function limiterOf(policies: Policy | Record<string, Policy>) {
    return createLimiter({
      name: `grant${names++}`,
      policies,
      store: stores[store](),
      clock: () => 1e12,
    })
  }

  test('are spent when the policy would deny, and come back with a refund', async () => {
    const limiter = limiterOf(fixedWindow({ limit: 2, window: '1m' }))
    await limiter.grant('k', 2, '1h')
    expect((await limiter.status('k')).policies['default']).toMatchObject({
      remaining: 4,
      granted: 2,
    })
    const seen: Decision[] = []
    for (let i = 0; i < 5; i++) seen.push(await limiter.consume('k'))
    expect(seen.map(({ allowed }) => allowed)).toEqual([true, true, true, true, false])
    expect(seen.map(({ remaining }) => remaining)).toEqual([3, 2, 1, 0, 0])
    expect(seen.map(({ policies }) => policies['default'].granted)).toEqual([2, 2, 1, 0, 0])
    expect(seen[4].retryAfterMs).toBe(60_000)
    expect(await limiter.refund(seen[3])).toBe(true)
    expect((await limiter.status('k')).policies['default']).toMatchObject({ used: 2, granted: 1 })
    expect(await limiter.refund(seen[0])).toBe(true)
    expect((await limiter.status('k')).policies['default']).toMatchObject({ used: 1, granted: 1 })
  })

  test('pay nothing if another policy denies, and start no block', async () => {
    const limiter = limiterOf({
      one: fixedWindow({ limit: 1, window: '1m', block: { for: '1h', on: 'exceeded' } }),
      two: fixedWindow({ limit: 2, window: '1m' }),
    })
    await limiter.grant({ one: 'k', two: 'k' }, 5, '1h', undefined)
    await limiter.grant('k', 0, '1h', {
      policies: { two: fixedWindow({ limit: 2, window: '1m' }) },
    })
    const seen: Decision[] = []
    for (let i = 0; i < 3; i++) seen.push(await limiter.consume('k'))
    expect(seen.map(({ allowed }) => allowed)).toEqual([true, true, false])
    expect((await limiter.status('k')).policies['one']).toMatchObject({ granted: 4, blockedMs: 0 })
  })

  test('stay after a reset and an unblock, and give way to a block', async () => {
    const limiter = limiterOf(slidingWindow({ limit: 1, window: '1m' }))
    await limiter.grant('k', 3, '1h')
    await limiter.reset('k')
    await limiter.unblock('k')
    expect((await limiter.status('k')).policies['default'].granted).toBe(3)
    await limiter.block('k', '1m')
    expect((await limiter.consume('k')).allowed).toBe(false)
    expect((await limiter.status('k')).policies['default'].granted).toBeUndefined()
  })
})

test('while the store is unavailable, its replacement grants, and the grant is part of the events', async () => {
  const failing: AsyncStore = {
    async: true,
    run: () => Promise.reject(new Error('gone')),
    ping: async () => false,
    close: async () => {},
  }
  const events: unknown[] = []
  const note = (event: unknown) => void events.push(event)
  subscribe('sluice:decision', note)
  const policies = fixedWindow({ limit: 2, window: '1m' })
  const limiter = createLimiter({
    name: `grant${names++}`,
    policies,
    store: failing,
    localShare: 1,
  })
  await limiter.grant('k', 1, '1h')
  for (let i = 0; i < 4; i++) await limiter.consume('k')
  unsubscribe('sluice:decision', note)
  expect(events).toMatchObject([
    {
      decision: {
        allowed: true,
        source: 'fallback',
        remaining: 2,
        policies: { default: { granted: 1 } },
      },
    },
    { decision: { allowed: true, remaining: 1 } },
    { decision: { allowed: true, remaining: 0, policies: { default: { granted: 0, used: 2 } } } },
    { decision: { allowed: false } },
  ])
})

const kinds: Record<string, () => Policy | Record<string, Policy>> = {
  fixedWindow: () => fixedWindow({ limit: 3, window: '10s' }),
  blocking: () => slidingWindow({ limit: 2, window: '10s', block: { for: '5s', on: 'reached' } }),
  exceeding: () =>
    gcra({ limit: 2, window: '4s', block: { for: '5s', on: 'exceeded', escalate: 2 } }),
  leakyQueue: () => leakyQueue({ leak: 1, every: '1s', maxDelay: '2s' }),
  slidingLog: () => slidingLog({ limit: 3, window: '5s' }),
  concurrency: () => concurrency({ limit: 2, lease: '5s' }),
  two: () => ({
    a: slidingWindow({ limit: 3, window: '10s' }),
    b: gcra({ limit: 2, window: '3s' }),
  }),
}

test.each(Object.entries(kinds))(
  '%s: random traffic gives the same answers over all stores',
  async (_, make) => {
    for (let seed = 0; seed < 25; seed++) {
      const random = randomFrom(`${seed}`)
      let now = 1e12
      const name = `random${names++}`
      const limiters = Object.values(stores).map((store) =>
        createLimiter({
          name,
          policies: make(),
          store: store(),
          clock: () => now,
          denyCache: false,
        }),
      )
      const taken: Decision[][] = limiters.map(() => [])
      const log: string[] = []
      for (let step = 0; step < 40; step++) {
        now += Math.floor(random() * 1500)
        const [verb, cost, pick] = [Math.floor(random() * 14), Math.floor(random() * 3), random()]
        const key = random() < 0.8 ? 'k' : 'l'
        const answers = await Promise.all(
          limiters.map(async (limiter, i) => {
            const known = taken[i][Math.floor(pick * taken[i].length)]
            if (verb < 6) {
              const decision = await limiter.consume(key, { cost })
              if (decision.allowed) taken[i].push(decision)
              const { lease: _lease, ...numbers } = decision
              return [numbers, decision.lease !== undefined]
            }
            if (verb === 6) return limiter.peek(key, { cost })
            if (verb === 7) return limiter.grant(key, cost + 1, `${1 + cost * 4}s`)
            if (verb === 8) return known && limiter.refund(known)
            if (verb === 9) return limiter.penalize(key, cost)
            if (verb === 10) return limiter.block(key, '1s')
            if (verb === 11) return limiter.unblock(key)
            if (verb === 12) return pick < 0.5 ? limiter.exempt(key, '2s') : limiter.unexempt(key)
            return limiter.reset(key)
          }),
        )
        log.push(`${step} ${verb} ${cost} ${key}`)
        const statuses = await Promise.all(limiters.map((limiter) => limiter.status(key)))
        for (let i = 1; i < 3; i++) {
          expect({ log: seed + log.at(-1)!, answer: answers[i], status: statuses[i] }).toEqual({
            log: seed + log.at(-1)!,
            answer: answers[0],
            status: statuses[0],
          })
        }
      }
    }
  },
)

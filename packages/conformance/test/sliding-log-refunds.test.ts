import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  memoryStore,
  redisStore,
  slidingLog,
  type Decision,
  type Limiter,
  type Store,
} from '@sluice/core'
import { patienceMs, runs } from '@sluice/conformance'
import { useRedis } from '@sluice/conformance/redis'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'

const server = useRedis()

function redis(): Store {
  return redisStore(server.connection, { timeout: '1m' })
}

const start = 1_763_683_200_000
const limit = 1000
const window = 2000

type Step =
  | { readonly does: 'take'; readonly count: number; readonly cost: number; readonly apart: number }
  | {
      readonly does: 'refund'
      readonly from: number
      readonly count: number
      readonly stride: number
    }
  | { readonly does: 'refundUnits'; readonly units: number }
  | { readonly does: 'wait'; readonly ms: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      does: fc.constant('take'),
      count: fc.integer({ min: 1, max: 150 }),
      cost: fc.constantFrom(1, 1, 2, 5),
      apart: fc.constantFrom(0, 1, 1, 3),
    }),
    weight: 4,
  },
  {
    arbitrary: fc.record({
      does: fc.constant('refund'),
      from: fc.nat(600),
      count: fc.integer({ min: 1, max: 100 }),
      stride: fc.constantFrom(-7, -1, 1, 5, 61),
    }),
    weight: 4,
  },
  { arbitrary: fc.record({ does: fc.constant('refundUnits'), units: fc.nat(200) }), weight: 1 },
  { arbitrary: fc.record({ does: fc.constant('wait'), ms: fc.nat(1500) }), weight: 2 },
)
const traffic = fc.array(step, { minLength: 2, maxLength: 12, size: 'max' })

/** Units taken at a moment, of which some may have been refunded. */
interface Held {
  readonly at: number
  units: number
}

describe.each<[string, () => Store, number]>([
  ['memory', () => memoryStore(), 300],
  ['redis', redis, 40],
])('refunds of slidingLog over %s', (_, open, times) => {
  test(
    'after any refunds in any order, every decision equals that of a list of the units that still count',
    async () => {
      await fc.assert(
        fc.asyncProperty(traffic, async (steps) => {
          let now = start
          let held: Held[] = []
          const policies = slidingLog({ limit, window })
          const store = open()
          const limiter = createLimiter({ name: randomUUID(), policies, store, clock: () => now })
          const taken: { readonly decision: Decision; readonly unit: Held; cost: number }[] = []
          for (const one of steps) {
            if (one.does === 'wait') now += one.ms
            else if (one.does === 'take') await take(one.count, one.cost, one.apart)
            else if (one.does === 'refund') await refund(one.from, one.count, one.stride)
            else await forgive(one.units)
            held = held.filter(({ at, units }) => units > 0 && at + window > now)
            for (const cost of [0, 1, 2, 100, limit]) {
              const { allowed, remaining, resetMs, retryAfterMs } = await limiter.peek('key', {
                cost,
              })
              expect({ allowed, remaining, resetMs, retryAfterMs }).toEqual(expected(cost))
            }
          }

          async function take(count: number, cost: number, apart: number): Promise<void> {
            for (let i = 0; i < count; i++) {
              now += apart
              const decision = await limiter.consume('key', { cost })
              if (!decision.allowed) continue
              // All units of one millisecond are one record, even if earlier ones of them were refunded in between.
              let unit = taken.at(-1)?.unit
              if (unit?.at !== now) unit = { at: now, units: 0 }
              if (held.at(-1) !== unit) held.push(unit)
              unit.units += cost
              taken.push({ decision, unit, cost })
            }
          }

          async function refund(from: number, count: number, stride: number): Promise<void> {
            for (let i = 0; i < count && taken.length > 0; i++) {
              const at = Math.abs(from + i * stride) % taken.length
              const { decision, unit, cost } = taken[at]
              await limiter.refund(decision)
              unit.units -= Math.min(cost, unit.units)
              taken[at].cost = 0
            }
          }

          async function forgive(units: number): Promise<void> {
            await limiter.refund('key', units)
            let left = units
            for (const unit of held.filter(({ at }) => at + window > now).toReversed()) {
              const given = Math.min(left, unit.units)
              unit.units -= given
              left -= given
            }
            // Units that are refunded by count and taken again in one millisecond could only be distinguished by the position of their record.
            now += 1
          }

          function expected(cost: number) {
            const used = held.reduce((sum, { units }) => sum + units, 0)
            let over = used + cost - limit
            const last = over > 0 ? held.find(({ units }) => (over -= units) <= 0) : undefined
            return {
              allowed: last === undefined,
              remaining: limit - used,
              resetMs: held.length === 0 ? 0 : held[held.length - 1].at + window - now,
              retryAfterMs: last === undefined ? 0 : last.at + window - now,
            }
          }
        }),
        { numRuns: runs(times) },
      )
    },
    patienceMs,
  )
})

describe('a refund in a log of 100,000 records', () => {
  const count = 100_000
  const policies = slidingLog({ limit: count, window: '1h' })

  let inRedis: Awaited<ReturnType<typeof filled>>
  let inMemory: typeof inRedis
  beforeAll(async () => {
    inRedis = await filled(redis())
    inMemory = await filled(memoryStore())
  }, patienceMs)

  async function filled(store: Store) {
    let now = start
    const limiter = createLimiter({ name: randomUUID(), policies, store, clock: () => now })
    const decisions: Decision[] = []
    for (let i = 0; i < count; i += 500) {
      const some = Array.from({ length: 500 }, () => (now++, limiter.consume('key')))
      decisions.push(...(await Promise.all(some)))
    }
    return { limiter, decisions }
  }

  test('writes as many fields in Redis for the oldest record as for any other, and reads about as many', async () => {
    const written: number[] = []
    const read: number[] = []
    const micros: number[] = []
    for (const at of [0, 1, 62, 40_000, 70_001, count - 200, count - 2]) {
      await server.connection.config('RESETSTAT')
      await inRedis.limiter.refund(inRedis.decisions[at])
      const stats = await server.connection.info('commandstats')
      written.push(Number(/cmdstat_hset:calls=(\d+)/.exec(stats)?.[1]))
      read.push(Number(/cmdstat_hget:calls=(\d+)/.exec(stats)?.[1]))
      micros.push(Number(/cmdstat_evalsha:calls=\d+,usec=(\d+)/.exec(stats)?.[1]))
      expect(inMemory.limiter.refund(inMemory.decisions[at])).toBe(true)
      await expectSame(inRedis.limiter, inMemory.limiter)
    }
    // A chunk and a field of each level of the corrections; of the newest chunk only the chunk.
    expect(written).toEqual([5, 5, 5, 5, 5, 5, 1])
    expect(read.filter((calls) => calls > 12)).toEqual([])
    // Writing all later records would take over 200 ms.
    expect(micros.filter((usec) => usec > 20_000)).toEqual([])
  })

  test('takes about as long for the oldest as for the newest in memory', async () => {
    const { limiter, decisions } = await filled(memoryStore())
    async function timeOf(some: readonly Decision[]): Promise<number> {
      const begun = performance.now()
      for (const decision of some) await limiter.refund(decision)
      return performance.now() - begun
    }
    const oldest = await timeOf(decisions.slice(0, 1000))
    const newest = await timeOf(decisions.slice(-1001, -1))
    expect(oldest < 10 * newest).toBe(true)
  })

  test('thousands of refunds in memory leave correct decisions', async () => {
    for (let from = 0; from < count; from += 10_000) {
      const chosen = Array.from({ length: 300 }, (_, i) => from + 33 * i + 2)
      for (const { limiter, decisions } of [inRedis, inMemory]) {
        await Promise.all(chosen.map((at) => limiter.refund(decisions[at])))
      }
      await expectSame(inRedis.limiter, inMemory.limiter)
    }
    expect((await inRedis.limiter.peek('key')).remaining).toBe(3007)
  })

  async function expectSame(one: Limiter, other: Limiter): Promise<void> {
    for (const cost of [1, 100, 30_000, 99_000, count]) {
      expect(await one.peek('key', { cost })).toEqual(await other.peek('key', { cost }))
    }
  }
})

test('the corrections that a refund writes in Redis are deleted with the last record that they apply to', async () => {
  let now = start
  const name = randomUUID()
  const policies = slidingLog({ limit: 10_000, window: 10_000 })
  const limiter = createLimiter({ name, policies, store: redis(), clock: () => now })
  const decisions: Decision[] = []
  for (let i = 0; i < 21; i++) {
    const some = Array.from({ length: 100 }, () => (now++, limiter.consume('key')))
    decisions.push(...(await Promise.all(some)))
  }
  // The last of these records is in chunk 32 of 33: the first chunk in the second field of the lowest level.
  for (let at = 0; at <= 2000; at += 20) await limiter.refund(decisions[at])
  const [body] = await server.connection.keys(`sluice:${name}:{key}:*`)
  now = start + 10_000 + 32 * 62 + 5
  await limiter.consume('key')
  expect((await server.connection.hkeys(body)).toSorted()).toEqual(
    ['32', '33', '0:1', '1:0', '2:0', '3:0'].toSorted(),
  )
  now += 62
  await limiter.consume('key')
  expect(await server.connection.hkeys(body)).toEqual(['33'])
})

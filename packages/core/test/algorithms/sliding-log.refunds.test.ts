import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  memoryStore,
  redisStore,
  slidingLog,
  type Decision,
  type Store,
} from '@sluice/core'
import { patienceMs, runs } from '@sluice/test-kit/random'
import { useRedis } from '@sluice/test-kit/redis'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

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

/** Units taken in one millisecond, of which some may have been refunded. */
interface Held {
  readonly at: number
  units: number
}

describe.each<[string, () => Store, number]>([
  ['memory', () => memoryStore(), 300],
  ['redis', redis, 40],
])('refunds of slidingLog over %s', (_, open, times) => {
  test(
    'after any refunds in any order, every decision equals that of a list whose newest units are refunded first',
    async () => {
      await fc.assert(
        fc.asyncProperty(traffic, async (steps) => {
          let now = start
          let held: Held[] = []
          const policies = slidingLog({ limit, window })
          const store = open()
          const limiter = createLimiter({ name: randomUUID(), policies, store, clock: () => now })
          const taken: { readonly decision: Decision; readonly at: number; cost: number }[] = []
          for (const one of steps) {
            if (one.does === 'wait') now += one.ms
            else if (one.does === 'take') await take(one.count, one.cost, one.apart)
            else if (one.does === 'refund') await refund(one.from, one.count, one.stride)
            else await forgive(one.units)
            expire()
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
              expire()
              const decision = await limiter.consume('key', { cost })
              if (!decision.allowed) continue
              if (held.at(-1)?.at === now) held[held.length - 1].units += cost
              else held.push({ at: now, units: cost })
              taken.push({ decision, at: now, cost })
            }
          }

          async function refund(from: number, count: number, stride: number): Promise<void> {
            for (let i = 0; i < count && taken.length > 0; i++) {
              const one = taken[Math.abs(from + i * stride) % taken.length]
              await limiter.refund(one.decision)
              const isHeld = held.length > 0 && held[0].at <= one.at && one.at + window > now
              if (isHeld) removeNewest(one.cost)
              one.cost = 0
            }
          }

          async function forgive(units: number): Promise<void> {
            await limiter.refund('key', units)
            removeNewest(units)
          }

          function removeNewest(units: number): void {
            for (let left = units; left > 0 && held.length > 0;) {
              const newest = held[held.length - 1]
              const given = Math.min(left, newest.units)
              newest.units -= given
              left -= given
              if (newest.units === 0) held.pop()
            }
          }

          function expire(): void {
            held = held.filter(({ at }) => at + window > now)
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

import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  gcra,
  memoryStore,
  redisStore,
  type Decision,
  type Store,
} from '@sluice/core'
import { families } from '@sluice/conformance'
import { patienceMs, runs } from '@sluice/test-kit/random'
import { useRedis } from '@sluice/test-kit/redis'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const names = new Set([
  'gcra',
  'token bucket',
  'leaky bucket',
  'token bucket that starts partly full',
  'leaky queue',
])
const samples = families
  .filter(({ name }) => names.has(name))
  .flatMap((family) => family.samples)
  .filter(({ quota }) => quota > 0)

type Step =
  | { readonly does: 'take'; readonly share: number }
  | { readonly does: 'refund'; readonly nth: number }
  | { readonly does: 'wait'; readonly share: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    arbitrary: fc.record({
      does: fc.constant('take'),
      share: fc.constantFrom(0, 0, 0.1, 0.3, 0.5, 0.9, 1),
    }),
    weight: 5,
  },
  { arbitrary: fc.record({ does: fc.constant('refund'), nth: fc.nat(20) }), weight: 4 },
  {
    arbitrary: fc.record({
      does: fc.constant('wait'),
      share: fc.constantFrom(0.05, 0.1, 0.3, 0.5, 0.9, 1),
    }),
    weight: 3,
  },
)
const traffic = fc.array(step, { minLength: 3, maxLength: 40, size: 'max' })
const start = 1_763_683_200_000

const server = useRedis()

const stores: readonly (readonly [string, () => Store, number])[] = [
  ['memory', () => memoryStore(), 4000],
  ['redis', () => redisStore(server.client(), { timeout: '10s' }), 200],
]

describe.each(stores)('refunds over %s', (_, open, times) => {
  test(
    'after any refunds, the units that are kept fit the burst and the refill in any window',
    async () => {
      const store = open()
      const cases = fc.tuple(fc.constantFrom(...samples), traffic)
      await fc.assert(
        fc.asyncProperty(cases, async ([sample, steps]) => {
          let now = start
          const options = { name: randomUUID(), policies: sample.policy, store, clock: () => now }
          const limiter = createLimiter(options)
          let kept: { at: number; cost: number; decision: Decision }[] = []
          for (const one of steps) {
            if (one.does === 'wait') {
              now += Math.ceil(one.share * sample.windowMs)
            } else if (one.does === 'refund') {
              const refunded = kept[one.nth % Math.max(1, kept.length)]
              kept = kept.filter((other) => other !== refunded)
              if (refunded !== undefined) await limiter.refund(refunded.decision)
            } else {
              const cost = Math.max(1, Math.floor(one.share * sample.quota))
              const decision = await limiter.consume('key', { cost })
              if (decision.allowed) kept.push({ at: now, cost, decision })
            }
            expect(sample.excess(kept)).toBe(0)
          }
        }),
        { numRuns: runs(times) },
      )
    },
    patienceMs,
  )

  test('units that have drained are not refunded when an earlier decision was refunded first', async () => {
    let now = start
    const policies = gcra({ limit: 10, window: '10s' })
    const limiter = createLimiter({ name: randomUUID(), policies, store: open(), clock: () => now })
    const large = await limiter.consume('key')
    const small = []
    for (let i = 0; i < 9; i++) small.push(await limiter.consume('key'))
    await limiter.refund(large)
    now += 9000
    for (let i = 0; i < 10; i++) expect((await limiter.consume('key')).allowed).toBe(true)
    for (const decision of small) await limiter.refund(decision)
    expect((await limiter.consume('key')).allowed).toBe(false)
  })

  test('all units taken at one moment are refunded at that moment, in any order', async () => {
    const policies = gcra({ limit: 10, window: '10s' })
    for (const order of [
      [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
      [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
      [4, 7, 1, 9, 0, 2, 8, 3, 6, 5],
    ]) {
      const options = { name: randomUUID(), policies, store: open(), clock: () => start }
      const limiter = createLimiter(options)
      const decisions = []
      for (let i = 0; i < 10; i++) decisions.push(await limiter.consume('key'))
      for (const i of order) await limiter.refund(decisions[i])
      expect(await limiter.peek('key')).toMatchObject({ remaining: 10, resetMs: 0 })
    }
  })

  test('a client whose requests are all refunded is never denied, with several of them in flight', async () => {
    let now = start
    const policies = gcra({ limit: 10, window: '10m' })
    const limiter = createLimiter({ name: randomUUID(), policies, store: open(), clock: () => now })
    const inFlight: Decision[] = []
    for (let i = 0; i < 500; i++) {
      now += 500
      if (inFlight.length === 3) await limiter.refund(inFlight.splice((i * 7) % 3, 1)[0])
      const decision = await limiter.consume('key')
      expect(decision.allowed).toBe(true)
      inFlight.push(decision)
    }
  })
})

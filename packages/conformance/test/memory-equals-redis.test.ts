import { randomUUID } from 'node:crypto'
import {
  createLimiter,
  memoryStore,
  redisStore,
  type AsyncStore,
  type Limiter,
  type Policy,
} from '@sluice/core'
import {
  costOf,
  costs,
  forward,
  moved,
  nothingSaid,
  patienceMs,
  runs,
  starts,
  startRedis,
  subjects,
  type Cost,
  type Move,
  type RedisServer,
  type Said,
} from '@sluice/conformance'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Stores keep what has ended for a second more, so that a clock which steps back by so much still finds it. */
const longestStepMs = 1000

let server: RedisServer
let redis: AsyncStore
beforeAll(async () => {
  server = await startRedis()
  redis = redisStore(server.client(), { timeout: '10s' })
})
afterAll(() => server.stop())

const limits = fc.constantFrom(1, 3, 7, 70_000, 10_000_000)
/**
 * A policy, and what it becomes in the calls that change its limit. Its window stays: a count that has ended by the shorter of two windows
 * may be gone from one store and not yet from the other.
 */
const changing = fc
  .tuple(fc.constantFrom(...subjects), fc.constantFrom(7, 1000, 1009, 60_000), limits, limits)
  .map(([{ sample }, windowMs, limit, other]) => [
    sample(limit, windowMs).policy,
    sample(other, windowMs).policy,
  ])
const steady = fc
  .constantFrom(...subjects.flatMap(({ further }) => further))
  .map(({ policy }) => [policy, policy])
const pair = fc.oneof(changing, steady)
const names = ['default', 'b', 'c'] as const
type Name = (typeof names)[number]
const keyNames = ['ann', 'bob'] as const

interface Command {
  readonly verb: 'consume' | 'peek' | 'reset'
  /** Milliseconds back, or a move forward. */
  readonly time: number | Move
  readonly cost: Cost
  /** A key for each policy; null leaves it out. */
  readonly keys: Readonly<Record<Name, (typeof keyNames)[number] | null>>
  /** Whether this call brings the other policies, in the place of the limiter's own. */
  readonly isChanged: boolean
}

const pairs = fc.record({ default: pair, b: pair, c: pair })
const key = fc.constantFrom(...keyNames, 'ann' as const, null)
const command: fc.Arbitrary<Command> = fc.record({
  verb: fc.constantFrom('consume', 'consume', 'consume', 'consume', 'peek', 'reset'),
  time: fc.oneof(
    { arbitrary: forward, weight: 4 },
    { arbitrary: fc.integer({ min: 1, max: longestStepMs }), weight: 1 },
  ),
  cost: costs,
  keys: fc.record({ default: key, b: key, c: key }),
  isChanged: fc.constantFrom(true, ...Array<false>(7).fill(false)),
})
const commands = fc.array(command, { minLength: 1, maxLength: 40, size: 'max' })

test(
  'the same traffic gives the same decisions over memory and over Redis, in every field',
  async () => {
    await fc.assert(
      fc.asyncProperty(pairs, starts, commands, async ({ default: a, b, c }, start, traffic) => {
        let now = start
        const policies = { default: a[0], b: b[0], c: c[0] }
        const changed = { default: a[1], b: b[1], c: c[1] }
        const options = { name: randomUUID(), policies, clock: () => now }
        const inMemory = createLimiter({ ...options, store: memoryStore() })
        const inRedis = createLimiter({ ...options, store: redis })
        let latest = start
        let last = nothingSaid
        for (const one of traffic) {
          now = timeAfter(now, latest, one.time, last)
          latest = Math.max(latest, now)
          const expected = await run(inMemory, one, changed, last)
          expect(await run(inRedis, one, changed, last)).toEqual(expected)
          if (typeof expected === 'object') {
            const [verdict = last] = Object.values(expected.policies)
            // A decision that asked no policy says that Infinity remains, which is no cost.
            if (verdict !== last) last = { ...verdict, remaining: expected.remaining }
          }
        }
      }),
      { numRuns: runs(150) },
    )
  },
  patienceMs,
)

function timeAfter(now: number, latest: number, time: number | Move, last: Said): number {
  if (typeof time === 'number') return Math.max(0, latest - longestStepMs, now - time)
  return moved(now, time, 1000, last)
}

function run(
  limiter: Limiter,
  { verb, cost: share, keys, isChanged }: Command,
  changed: Readonly<Record<Name, Policy>>,
  last: Said,
) {
  if (verb === 'reset') return limiter.reset(keys)
  const cost = costOf(share, 3, last)
  if (verb === 'peek') return limiter.peek(keys, { cost })
  return limiter.consume(keys, isChanged ? { cost, policies: changed } : { cost })
}

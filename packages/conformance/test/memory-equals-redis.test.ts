import { randomUUID } from 'node:crypto'
import {
  concurrency,
  createLimiter,
  gcra,
  memoryStore,
  notLimited,
  redisStore,
  slidingLog,
  slidingWindow,
  SluiceError,
  tokenBucket,
  type NotLimited,
  unlimited,
  type AsyncStore,
  type Block,
  type Decision,
  type Limiter,
  type Policy,
} from '@sluice/core'
import {
  costOf,
  costs,
  families,
  forward,
  moved,
  nothingSaid,
  patienceMs,
  runs,
  startsOf,
  sizedAlgorithms,
  type Cost,
  type Move,
  type Said,
} from '@sluice/conformance'
import { useRedis } from '@sluice/conformance/redis'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'

/** Stores keep expired state for another second, so that it is still found if the clock steps back by a second. */
const longestStepMs = 1000

const server = useRedis()
let redis: AsyncStore
beforeAll(() => {
  redis = redisStore(server.client(), { timeout: '10s' })
})

const twoForms: readonly (readonly ((limit: number, windowMs: number) => Policy)[])[] = [
  [
    (limit, window) => slidingWindow({ limit, window, buckets: 5 }),
    (limit, window) => slidingWindow({ limit, window, buckets: 10 }),
  ],
  [(limit, window) => slidingWindow({ limit, window }), (limit, window) => gcra({ limit, window })],
  [
    (limit, window) => slidingLog({ limit, window }),
    (limit, lease) => concurrency({ limit, lease }),
  ],
  [
    (limit, window) => concurrency({ limit, lease: window }),
    (limit, every) => tokenBucket({ capacity: limit, refill: 1, every, initial: 1 }),
  ],
]
const limits = fc.constantFrom(1, 3, 7, 70_000, 10_000_000)
const block: fc.Arbitrary<Block | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({
    on: fc.constantFrom('reached', 'exceeded'),
    for: fc.constantFrom(1, 500, 3000),
    escalate: fc.constantFrom(1, 1.5, 3),
    max: fc.constantFrom(3000, 10_000),
  }),
)
/**
 * A policy, and the policy of the calls that change its limit. The window is the same: a count that has expired by the shorter of two windows
 * may be gone from one store and not yet from the other.
 */
const changing = fc
  .record({
    sized: fc.constantFrom(...sizedAlgorithms),
    windowMs: fc.constantFrom(7, 1000, 1009, 60_000),
    limit: limits,
    other: limits,
    block,
  })
  .map(({ sized: { sample }, windowMs, limit, other, block }) => {
    const pair = [sample(limit, windowMs), sample(other, windowMs)]
    return pair.map((one) => (block === undefined ? one : one.blocked(block)).policy)
  })
const steady = fc
  .constantFrom(...families.flatMap(({ samples }) => samples), undefined)
  .map((sample) => sample?.policy ?? unlimited())
  .map((policy) => [policy, policy])
/** Two policies of different forms: each of them counts for itself under one name. */
const alternating = fc
  .tuple(
    fc.constantFrom(...twoForms),
    fc.constantFrom(1000, 60_000),
    fc.constantFrom(1, 3, 7),
    block,
  )
  .map(([forms, windowMs, limit, block]) => {
    const given = block === undefined ? {} : { block }
    return forms.map((form) => ({ ...form(limit, windowMs), ...given }))
  })
const pair = fc.oneof(changing, steady, alternating)
const names = ['default', 'b', 'c'] as const
type Name = (typeof names)[number]
const keyNames = ['ann', 'bob'] as const

interface Command {
  readonly verb: Verb
  /** Milliseconds back, or a move forward. */
  readonly time: number | Move
  readonly cost: Cost
  /** A key for each policy. */
  readonly keys: Readonly<Record<Name, (typeof keyNames)[number] | NotLimited>>
  /** Whether this call passes the other policies instead of the limiter's own, if its verb takes policies. */
  readonly isChanged: boolean
  /** The owner of the lease, for policies with leases. */
  readonly owner: string | undefined
  /** Chooses the decision to refund, counted back from the last one, or the duration of a block, or whether a reset unblocks. */
  readonly dice: number
}

const verbs = [
  ...Array<'consume'>(8).fill('consume'),
  ...([
    'peek',
    'consumeMany',
    'peekMany',
    'refund',
    'refund',
    'refundSome',
    'refundUnits',
  ] as const),
  ...(['release', 'renew', 'penalize', 'block', 'unblock', 'reset', 'status'] as const),
] as const
type Verb = (typeof verbs)[number]

const pairs = fc.record({ default: pair, b: pair, c: pair })
const starts = fc.oneof(
  ...families.map(({ samples }) => fc.constantFrom(...samples).chain((one) => startsOf(one))),
)
const key = fc.constantFrom(...keyNames, 'ann' as const, notLimited)
const command: fc.Arbitrary<Command> = fc.record({
  verb: fc.constantFrom(...verbs),
  time: fc.oneof(
    { arbitrary: forward, weight: 4 },
    { arbitrary: fc.integer({ min: 1, max: longestStepMs }), weight: 1 },
  ),
  cost: costs,
  keys: fc.record({ default: key, b: key, c: key }),
  isChanged: fc.constantFrom(true, false, false, false),
  owner: fc.constantFrom('x', 'y', undefined, undefined),
  dice: fc.nat(5),
})
const commands = fc.array(command, { minLength: 1, maxLength: 40, size: 'max' })

test(
  'the same traffic of all verbs gives the same answers over memory and over Redis, in every field',
  async () => {
    await fc.assert(
      fc.asyncProperty(pairs, starts, commands, async ({ default: a, b, c }, start, traffic) => {
        let now = Math.max(0, start)
        const policies = { default: a[0], b: b[0], c: c[0] }
        const changed = { default: a[1], b: b[1], c: c[1] }
        const options = { name: randomUUID(), policies, clock: () => now }
        const inMemory = { decisions: [], ...createLimiter({ ...options, store: memoryStore() }) }
        const inRedis = { decisions: [], ...createLimiter({ ...options, store: redis }) }
        let latest = now
        let last = nothingSaid
        for (const one of traffic) {
          now = timeAfter(now, latest, one.time, last)
          latest = Math.max(latest, now)
          const expected = await answer(inMemory, one, changed, last)
          expect(await answer(inRedis, one, changed, last)).toEqual(expected)
          last = said(inMemory.decisions.at(-1)) ?? last
        }
      }),
      { numRuns: runs(300) },
    )
  },
  patienceMs,
)

test('after such traffic nothing in Redis is without a time to live', async () => {
  const client = server.client()
  const keys = await client.keys('*')
  const lives = await Promise.all(keys.map((key) => client.pttl(key)))
  expect(keys.length > 100).toBe(true)
  // A key that has expired since it was listed has -2.
  expect(lives.filter((ms) => ms === -1)).toEqual([])
})

/** A limiter, and its decisions that can be refunded. */
interface SizedAlgorithm extends Limiter {
  readonly decisions: Decision[]
}

function timeAfter(now: number, latest: number, time: number | Move, last: Said): number {
  if (typeof time === 'number') return Math.max(0, latest - longestStepMs, now - time)
  return moved(now, time, 1000, last)
}

/** The id of a lease is random. All other fields must be equal. */
function plain({ lease, ...decision }: Decision) {
  return { ...decision, token: lease?.token }
}

/** The numbers on which the next request may depend. Undefined for a decision without policies. */
function said(decision: Decision | undefined): Said | undefined {
  const verdict = Object.values(decision?.policies ?? {}).at(0)
  return verdict && { ...verdict, remaining: decision?.remaining ?? 0 }
}

/** The answer of a call, or the code of its error: a penalty may be too large for one of the policies. */
async function answer(...call: Parameters<typeof run>): Promise<unknown> {
  try {
    return await run(...call)
  } catch (error) {
    if (error instanceof SluiceError) return error.code
    throw error
  }
}

async function run(
  { decisions, ...limiter }: SizedAlgorithm,
  { verb, cost: share, keys, isChanged, owner, dice }: Command,
  changed: Readonly<Record<Name, Policy>>,
  last: Said,
): Promise<unknown> {
  const cost = costOf(share, 3, last)
  const choice = isChanged ? { policies: changed } : {}
  const asked = { key: keys, cost, ...choice }
  switch (verb) {
    case 'consume': {
      const options = owner === undefined ? { cost } : { cost, owner }
      decisions.push(await limiter.consume(keys, { ...options, ...choice }))
      return decisions.slice(-1).map(plain)
    }
    case 'consumeMany':
      decisions.push(...(await limiter.consumeMany([asked, { key: 'bob' }, asked])))
      return decisions.slice(-3).map(plain)
    case 'peek':
      return limiter.peek(keys, { cost, ...choice })
    case 'peekMany':
      return limiter.peekMany([asked, { key: 'bob' }])
    case 'refund': {
      const decision = decisions.at(-1 - dice)
      return decision && limiter.refund(decision)
    }
    case 'refundSome': {
      const decision = decisions.at(-1 - (dice % 3))
      const policies = Object.keys(decision?.policies ?? {}).filter((_, i) => (dice >> i) % 2 === 1)
      return decision && limiter.refund(decision, { policies })
    }
    case 'release':
      return decisions.at(-1 - dice)?.lease?.release()
    case 'renew':
      return decisions.at(-1 - dice)?.lease?.renew()
    case 'refundUnits':
      return limiter.refund(keys, cost, choice)
    case 'penalize':
      return limiter.penalize(keys, cost, choice)
    case 'block':
      return limiter.block(keys, 1 + 700 * dice, choice)
    case 'unblock':
      return limiter.unblock(keys, choice)
    case 'reset':
      return limiter.reset(keys, { unblock: dice > 2, ...choice })
    case 'status':
      return limiter.status(keys, choice)
  }
}

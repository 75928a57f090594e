import { randomUUID } from 'node:crypto'
import {
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyQueue,
  memoryStore,
  notLimited,
  redisStore,
  slidingWindow,
  staged,
  tokenBucket,
  type Block,
  type Decision,
  type Limiter,
  type NotLimited,
  type Policy,
  type RedisClient,
} from '@sluice/core'
import { sizedAlgorithms } from '@sluice/conformance'
import { patienceMs, runs } from '@sluice/test-kit/random'
import { useRedis } from '@sluice/test-kit/redis'
import fc from 'fast-check'
import { expect, test } from 'vitest'

// Redis decides by its own clock, and then a memory store decides by the time in the reply of Redis.
const server = useRedis()
/** The server's time in the last reply. `times` has those of all replies in one turn of the event loop. */
let serverMs = 0
let times: number[] = []

function timed(own: typeof server.connection): RedisClient {
  async function noted(answer: Promise<unknown>): Promise<unknown> {
    const reply = await answer
    if (Array.isArray(reply)) times.push((serverMs = Number(reply[0])))
    return reply
  }
  return {
    isCluster: false,
    evalSha: (digest, keys, args) => noted(own.evalsha(digest, keys.length, ...keys, ...args)),
    eval: (script, keys, args) => noted(own.eval(script, keys.length, ...keys, ...args)),
  }
}

const names = ['default', 'b', 'c'] as const
type Name = (typeof names)[number]
type Keys = string | Readonly<Record<Name, string | NotLimited>>
type Plan = Readonly<Record<Name, Policy>>

/** From less than a round trip to a year. */
const windows = fc.constantFrom(2, 30, 1000, 3_600_000, 86_400_000, 31_536_000_000)
const block: fc.Arbitrary<Block | undefined> = fc.option(
  fc.record({
    on: fc.constantFrom('reached', 'exceeded'),
    for: fc.constantFrom(3, 3_600_000, 86_400_000),
    escalate: fc.constantFrom(1, 2),
    max: fc.constant(864_000_000),
  }),
  { nil: undefined, freq: 1 },
)
const measured: fc.Arbitrary<Policy> = fc
  .record({
    subject: fc.constantFrom(...sizedAlgorithms),
    limit: fc.constantFrom(1, 2, 5),
    window: windows,
  })
  .map(({ subject: { sample }, limit, window }) => sample(limit, window).policy)
const others: fc.Arbitrary<Policy> = fc
  .record({ limit: fc.constantFrom(2, 4), window: windows })
  .chain(({ limit, window }) =>
    fc.constantFrom<Policy>(
      concurrency({ limit, lease: window }),
      leakyQueue({ leak: 1, every: window, maxDelay: 2 * window }),
      tokenBucket({ capacity: limit, refill: 1, every: window, initial: 1 }),
      staged({ free: fixedWindow({ limit, window: '1h' }), then: gcra({ limit: 2, window }) }),
      staged({
        free: slidingWindow({ limit: 2, window }),
        then: slidingWindow({ limit, window: '1d' }),
      }),
    ),
  )
const policy = fc
  .tuple(fc.oneof(measured, measured, others), block)
  .map(([one, own]): Policy => Object.assign({}, one, own && { block: own }))
const policies = fc.record({ default: policy, b: policy, c: policy })

const verbs = [
  ...Array<'consume'>(6).fill('consume'),
  ...(['refund', 'refund', 'refund', 'refundSome', 'refundUnits', 'penalize', 'penalize'] as const),
  ...(['release', 'renew', 'block', 'unblock', 'exempt', 'unexempt', 'reset'] as const),
  ...(['peek', 'status', 'consumeMany', 'peekMany'] as const),
] as const

interface Command {
  readonly verb: (typeof verbs)[number]
  readonly cost: number
  readonly keys: Keys
  readonly owner: string | undefined
  /** Whether this call passes the other plan, if there is one, instead of the limiter's own. */
  readonly isChanged: boolean
  /** Chooses a decision, counted back from the last one, or the duration of a block or an exemption, or whether a reset unblocks. */
  readonly dice: number
}

const key = fc.constantFrom('ann', 'ann', 'ann', 'bob', notLimited)
const command: fc.Arbitrary<Command> = fc.record({
  verb: fc.constantFrom(...verbs),
  cost: fc.constantFrom(0, 1, 1, 1, 2, 3),
  // With one key for all policies, Redis reads and writes one hash.
  keys: fc.oneof(fc.constantFrom('ann', 'bob'), fc.record({ default: key, b: key, c: key })),
  owner: fc.constantFrom('x', 'y', undefined),
  isChanged: fc.constantFrom(true, ...Array<false>(4).fill(false)),
  dice: fc.nat(4),
})
/** Commands that are sent at once. */
const turns = fc.array(fc.array(command, { minLength: 1, maxLength: 5 }), {
  maxLength: 25,
  size: 'max',
})

test(
  'simultaneous calls have the same results as successive calls of a memory store, and no key expires too early',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        policies,
        fc.option(policies, { freq: 1, nil: undefined }),
        turns,
        followBoth,
      ),
      { numRuns: runs(200) },
    )
  },
  patienceMs,
)

async function followBoth(
  policies: Plan,
  changed: Plan | undefined,
  traffic: readonly (readonly Command[])[],
): Promise<void> {
  const options = { name: randomUUID(), policies }
  // A store takes limiters of 256 different lists of policies at most.
  const redis = redisStore(timed(server.connection), { timeout: '10s' })
  const inRedis = subject(createLimiter({ ...options, store: redis, denyCache: false }), changed)
  const inMemory = subject(
    createLimiter({ ...options, store: memoryStore(), clock: () => serverMs }),
    changed,
  )
  for (const turn of traffic) {
    times = []
    const given = turn.map((one) => inRedis.ask(one))
    const answers = await Promise.all(given.map(({ answer }) => answer))
    // If the calls ran in different milliseconds, the time of each decision is unknown.
    if (new Set(times).size > 1) return
    const expected = turn.map((one) => inMemory.ask(one))
    expect(answers).toEqual(await Promise.all(expected.map(({ answer }) => answer)))
    await inRedis.keep(given)
    await inMemory.keep(expected)
    // A row that the other plan wrote is kept for as long as that plan requires.
    if (changed === undefined) await expectLives(inRedis.limiter, policies)
  }
}

/** A state is kept for a second after its policies need it, in case the clock steps back by less. */
async function expectLives(limiter: Limiter, given: Plan): Promise<void> {
  for (const name of ['ann', 'bob']) {
    const begins = performance.now()
    const { policies } = await limiter.status(name)
    const lives = await server.connection.pttl(`sluice:${limiter.name}:1{${name}}`)
    const elapsed = Math.ceil(performance.now() - begins) + 1
    // A bucket that does not start full has numbers without a state.
    const kept = names.filter((policy) => given[policy].kind !== 'tokenBucket')
    const longest = Math.max(...kept.map((policy) => policies[policy].resetMs))
    if (longest > 0) expect(lives + elapsed).toBeGreaterThanOrEqual(longest + 1000)
  }
}

interface Asked {
  readonly answer: Promise<unknown>
  readonly decisions: readonly Promise<Decision>[]
}

/** A limiter with the decisions that it has made in earlier turns. */
function subject(limiter: Limiter, changed: Plan | undefined) {
  const decided: Decision[] = []

  function ask(one: Command): Asked {
    const { verb, cost, keys, owner, isChanged, dice } = one
    const plan = isChanged && changed !== undefined ? { policies: changed } : {}
    const earlier = decided.at(-1 - dice)
    switch (verb) {
      case 'consume': {
        const decision = Promise.resolve(
          limiter.consume(keys, { cost, ...plan, ...(owner && { owner }) }),
        )
        return { answer: decision.then(plain), decisions: [decision] }
      }
      case 'consumeMany': {
        const many = Promise.resolve(
          limiter.consumeMany([{ key: keys, cost, ...plan }, { key: 'ann' }]),
        )
        const decisions = [0, 1].map(async (i) => (await many)[i])
        return { answer: many.then((all) => all.map(plain)), decisions }
      }
      case 'refund':
        return told(earlier && limiter.refund(earlier))
      case 'refundSome':
        return told(earlier && limiter.refund(earlier, { policies: policiesOf(earlier, dice) }))
      case 'release':
        return told(earlier?.lease?.release())
      case 'renew':
        return told(earlier?.lease?.renew())
      case 'refundUnits':
        return told(limiter.refund(keys, cost, plan))
      case 'penalize':
        return told(limiter.penalize(keys, cost, plan))
      case 'block':
        return told(limiter.block(keys, 1 + 700 * dice))
      case 'unblock':
        return told(limiter.unblock(keys))
      case 'exempt':
        return told(limiter.exempt(keys, 1 + 700 * dice))
      case 'unexempt':
        return told(limiter.unexempt(keys))
      case 'reset':
        return told(limiter.reset(keys, { unblock: dice > 1, ...plan }))
      case 'peek':
        return told(limiter.peek(keys, { cost, ...plan }))
      case 'peekMany':
        return told(limiter.peekMany([{ key: keys, cost, ...plan }, { key: 'ann' }]))
      case 'status':
        return told(limiter.status(keys, plan))
    }
  }

  async function keep(asked: readonly Asked[]): Promise<void> {
    for (const { decisions } of asked) decided.push(...(await Promise.all(decisions)))
  }

  return { limiter, ask, keep }
}

/** Some of the names of a decision's policies. */
function policiesOf({ policies }: Decision, dice: number): string[] {
  return Object.keys(policies).filter((_, i) => (dice >> i) % 2 === 1)
}

function told(answer: unknown): Asked {
  return { answer: Promise.resolve(answer), decisions: [] }
}

/** The id of a lease is random. All other fields must be equal. */
function plain({ lease, ...decision }: Decision) {
  return { ...decision, token: lease?.token, lengthMs: lease?.lengthMs }
}

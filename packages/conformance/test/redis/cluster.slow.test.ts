import { randomUUID } from 'node:crypto'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  memoryStore,
  notLimited,
  redisStore,
  slidingLog,
  SluiceError,
  slidingWindow,
  staged,
  tokenBucket,
  type NotLimited,
  type AsyncStore,
  type BlockOptions,
  type Decision,
  type Limiter,
  type Policies,
  type Policy,
  type RedisClient,
} from '@sluice/core'
import {
  costOf,
  costs,
  forward,
  moved,
  nothingSaid,
  starts,
  type Cost,
  type Move,
  type Said,
} from '@sluice/conformance'
import { patienceMs, runs } from '@sluice/test-kit/random'
import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { useCluster } from '@sluice/test-kit/redis'

const cluster = useCluster()
let store: AsyncStore
beforeAll(() => {
  store = redisStore(cluster.client(), { timeout: '20s' })
})

/** One key on each master. */
const elsewhere = ['ann', 'bob', 'fay'] as const
const [first, second, third] = elsewhere

test('the keys of these tests are on three masters', async () => {
  const owners = elsewhere.map(async (key) => {
    const slot = await cluster.admins[0].cluster('KEYSLOT', `{${key}}`)
    const counts = cluster.admins.map((admin) => admin.cluster('COUNTKEYSINSLOT', slot))
    await createLimiter({ name: 'where', policies: hourly(1), store }).consume(key)
    const after = cluster.admins.map((admin) => admin.cluster('COUNTKEYSINSLOT', slot))
    const grown = (await Promise.all(after)).map(async (n, i) => n - (await counts[i]))
    return (await Promise.all(grown)).join()
  })
  expect(await Promise.all(owners)).toEqual(['1,0,0', '0,1,0', '0,0,1'])
})

describe('policies on keys of different slots', () => {
  test('are all or nothing: a denial in one slot takes nothing in another', async () => {
    const policies = { address: hourly(3), user: hourly(2), tenant: hourly(1) }
    const keys = { address: first, user: second, tenant: third }
    for (const spent of Object.keys(keys)) {
      const limiter = limiterOf(policies, () => today)
      const others = Object.entries(keys).map(([name, key]) => [
        name,
        name === spent ? key : notLimited,
      ])
      const { remaining } = await limiter.peek(Object.fromEntries(others))
      await limiter.consume(Object.fromEntries(others), { cost: remaining })
      const before = await limiter.status(keys)
      expect(await limiter.consume(keys)).toMatchObject({ allowed: false, deniedBy: [spent] })
      expect(await limiter.status(keys)).toEqual(before)
    }
  })

  test('keep no state of a denied request except the bucket that it creates', async () => {
    const bucket = tokenBucket({ capacity: 3, refill: 1, every: '1h', initial: 1 })
    const answers = staged({ free: hourly(1), then: gcra({ limit: 1, window: '1d' }) })
    const limiter = limiterOf({ bucket, answers, never: hourly(0) }, () => today)
    await limiter.penalize({ bucket: notLimited, answers: first, never: notLimited }, 3)
    const before = await limiter.status({ bucket: notLimited, answers: first, never: second })
    const keys = { bucket: first, answers: first, never: second }
    expect((await limiter.consume(keys)).deniedBy).toEqual(['never'])
    const after = await limiter.status({ bucket: notLimited, answers: first, never: second })
    expect(after).toEqual(before)
  })

  test('start the blocks of the policies that deny, and no others', async () => {
    const block: BlockOptions = { for: '5m', on: 'exceeded' }
    const policies = { address: hourly(3, block), user: hourly(1, block) }
    const limiter = limiterOf(policies, () => today)
    const keys = { address: first, user: second }
    await limiter.consume(keys)
    await limiter.consume(keys)
    const { policies: status } = await limiter.status(keys)
    expect(status).toMatchObject({
      address: { used: 1, blockedMs: 0 },
      user: { used: 1, blockedMs: 300_000 },
    })
    expect((await limiter.consume({ address: first, user: third })).allowed).toBe(true)
  })

  test('that are exempt count nothing, and the others decide and are refunded', async () => {
    const bucket = tokenBucket({ capacity: 3, refill: 1, every: '1h', initial: 1 })
    const limiter = limiterOf({ address: hourly(1), user: hourly(2), bucket }, () => today)
    const keys = { address: first, user: second, bucket: third }
    await limiter.exempt({ ...keys, user: notLimited }, '5m')
    const before = await limiter.status(keys)
    expect(await usedIn(limiter, keys)).toEqual([0, 0, 2])
    const decisions = [await limiter.consume(keys), await limiter.consume(keys)]
    expect(decisions.map(({ allowed, exempt }) => [allowed, exempt])).toEqual(
      decisions.map(() => [true, undefined]),
    )
    expect((await limiter.consume(keys)).deniedBy).toEqual(['user'])
    expect(await usedIn(limiter, keys)).toEqual([0, 2, 2])
    expect([await limiter.refund(decisions[0]), await limiter.refund(decisions[1])]).toEqual([
      true,
      true,
    ])
    expect(await limiter.status(keys)).toEqual(before)
    await limiter.exempt(keys, '5m')
    expect(await limiter.consume(keys, { cost: 9 })).toMatchObject({ allowed: true, exempt: true })
    await limiter.unexempt(keys)
    expect(await usedIn(limiter, keys)).toEqual([0, 0, 2])
  })

  test('are paid by the grants of all their slots, and a refund returns each unit to where it was taken', async () => {
    const limiter = limiterOf({ address: hourly(3), user: hourly(1) }, () => today)
    const keys = { address: first, user: second }
    await limiter.grant(keys, 2, { for: '1h', policy: 'user' })
    const decisions = [await limiter.consume(keys), await limiter.consume(keys)]
    expect(decisions.map(({ allowed, remaining }) => [allowed, remaining])).toEqual([
      [true, 2],
      [true, 1],
    ])
    expect(await limiter.adjust(decisions[1], 2)).toBe(true)
    expect(await limiter.consume(keys)).toMatchObject({
      allowed: false,
      deniedBy: ['address', 'user'],
    })
    expect(await usedIn(limiter, keys)).toEqual([3, 1])
    expect(await limiter.refund(decisions[1])).toBe(true)
    const { address, user } = (await limiter.status(keys)).policies
    expect([address.used, user.used, address.granted, user.granted]).toEqual([1, 1, undefined, 2])
  })

  test('remove a block that a request started before a later slot denied it', async () => {
    const policies = { address: hourly(50, { for: '5m' }), user: hourly(20) }
    const name = randomUUID()
    const { sum, status } = await race(name, policies, { address: first, user: second })
    expect(sum).toBe(20)
    expect(status).toMatchObject({
      address: { used: 20, blockedMs: 0 },
      user: { used: 20, blockedMs: 0 },
    })
  })

  test('deny a request that one slot has denied, even if units are available again by then', async () => {
    const name = randomUUID()
    const policies = { address: hourly(3), user: hourly(1) }
    const keys = { address: first, user: second }
    const rival = createLimiter({ name, policies, store })
    let taken: Decision | undefined
    const calls: (() => Promise<unknown>)[] = [
      // After two peeks and the first take, another limiter takes the unit that the second peek has seen.
      ...Array<() => Promise<void>>(3).fill(async () => {}),
      async () => (taken = await rival.consume({ address: notLimited, user: second })),
      async () => taken !== undefined && rival.refund(taken),
    ]
    const client = cluster.client()
    const interrupted: RedisClient = {
      isCluster: true,
      async evalSha(digest, keys, args) {
        await calls.shift()?.()
        return client.evalsha(digest, keys.length, ...keys, ...args)
      },
      async eval(script, keys, args) {
        await calls.shift()?.()
        return client.eval(script, keys.length, ...keys, ...args)
      },
    }
    await rival.peek(keys)
    const unlucky = redisStore(interrupted, { timeout: '20s' })
    const decision = await createLimiter({ name, policies, store: unlucky }).consume(keys)
    expect(decision).toMatchObject({ allowed: false, deniedBy: ['user'] })
    expect(calls).toEqual([])
    expect(await usedIn(rival, keys)).toEqual([0, 0])
  })

  test('are refunded in every slot, once', async () => {
    const limiter = limiterOf({ address: hourly(3), user: log(2) })
    const keys = { address: first, user: second }
    const decision = await limiter.consume(keys, { cost: 2 })
    expect([await limiter.refund(decision), await limiter.refund(decision)]).toEqual([true, false])
    const { policies } = await limiter.status(keys)
    expect([policies['address'].used, policies['user'].used]).toEqual([0, 0])
  })

  test('hold one lease in all of their slots, and release it', async () => {
    const seats = concurrency({ limit: 2, lease: '30s' })
    const limiter = limiterOf({ address: seats, user: seats, tenant: hourly(9) })
    const keys = { address: first, user: second, tenant: third }
    const [{ lease }] = [await limiter.consume(keys), await limiter.consume(keys)]
    expect(await limiter.consume(keys)).toMatchObject({ deniedBy: ['address', 'user'] })
    expect(await usedIn(limiter, keys)).toEqual([2, 2, 2])
    expect([await lease?.renew(), await lease?.release()]).toEqual([true, true])
    expect([await lease?.renew(), await lease?.release()]).toEqual([false, false])
    expect(await usedIn(limiter, keys)).toEqual([1, 1, 2])
    const { lease: next } = await limiter.consume(keys)
    expect(await limiter.release({ ...keys, tenant: notLimited }, next?.id ?? '')).toBe(true)
    expect(await usedIn(limiter, keys)).toEqual([1, 1, 3])
  })

  test('are not reset while one of them is blocked', async () => {
    const limiter = limiterOf({ address: hourly(3), user: hourly(2) })
    const keys = { address: first, user: second }
    await limiter.consume(keys)
    await limiter.block({ address: notLimited, user: second }, '5m')
    const before = await limiter.peek({ address: first, user: notLimited })
    expect(await limiter.reset(keys)).toBe(false)
    expect((await limiter.peek({ address: first, user: notLimited })).remaining).toBe(
      before.remaining,
    )
    expect(await limiter.reset(keys, { unblock: true })).toBe(true)
    expect((await limiter.peek(keys)).remaining).toBe(2)
  })
})

describe('a race of two limiters for keys in three slots', () => {
  const quotas = [50, 20, 35]
  const orders = [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
  ]

  test.each<{
    name: string
    build: (limit: number) => Policy
    isStrict?: boolean
    tried?: readonly number[][]
  }>([
    { name: 'fixed windows', build: (limit) => hourly(limit), tried: orders },
    { name: 'sliding windows', build: (limit) => slidingWindow({ limit, window: '365d' }) },
    { name: 'sliding logs', build: (limit) => log(limit) },
    {
      name: 'gcra',
      build: (limit) => gcra({ limit, window: '3650d' }),
      isStrict: true,
    },
    {
      name: 'token buckets',
      build: (limit) => tokenBucket({ capacity: limit, refill: 1, every: '3650d' }),
      isStrict: true,
    },
    {
      name: 'concurrency',
      build: (limit) => concurrency({ limit, lease: '1h' }),
    },
    {
      name: 'staged',
      build: (limit) => staged({ free: hourly(limit), then: hourly(0) }),
    },
  ])('$name: the used units are exactly the allowed ones', async ({ build, isStrict, tried }) => {
    for (const order of tried ?? orders.slice(1, 2)) {
      const [a, b, c] = order.map((i) => build(quotas[i]))
      const { sum, status } = await race(
        randomUUID(),
        { a, b, c },
        { a: first, b: second, c: third },
      )
      // A request that a later slot denies holds units for a moment and may deny others. So too few may be allowed, and never too many.
      expect(sum).toBeLessThanOrEqual(20)
      expect(sum).toBeGreaterThan(0)
      // Units of these algorithms drain between a request and its refund, and the used units are rounded up.
      const extra = isStrict === true ? [0, 1] : [0]
      for (const { used } of Object.values(status)) expect(extra).toContain(used - sum)
    }
  })
})

describe('calls', () => {
  test('are one for each decision whose keys are in one slot', async () => {
    const limiter = limiterOf({ minute: hourly(100), day: log(100), pace: gcra(perDay(100)) })
    await limiter.consume(first)
    await limiter.consume({ minute: first, day: first, pace: notLimited })
    await limiter.reset(first)
    const count = await callsOf(async () => {
      await limiter.consume(first)
      await limiter.consume(first, { cost: 101 })
      await limiter.consume({ minute: first, day: [first], pace: notLimited })
      await limiter.peek(first)
      await limiter.reset(first)
    })
    expect(count).toBe(5)
  })

  test('are one for each slot of many requests', async () => {
    const limiter = limiterOf(hourly(100))
    await limiter.consumeMany(elsewhere.map((key) => ({ key })))
    const many = [first, second, first, second, second].map((key) => ({ key }))
    expect(await callsOf(() => limiter.consumeMany(many))).toBe(2)
  })

  test('are two for each slot of an allowed request; for a denied one, the second goes only to the slots that deny', async () => {
    const limiter = limiterOf({ address: hourly(2), user: hourly(1) })
    await limiter.consume({ address: first, user: second })
    // From here on, the master of this key has the script.
    await limiter.peek({ address: first, user: third })
    expect(await callsOf(() => limiter.consume({ address: first, user: third }))).toBe(4)
    await limiter.reset({ address: first, user: notLimited })
    // A peek in each slot, and a second call to the slot that denies, where the denial may start a block.
    expect(await callsOf(() => limiter.consume({ address: first, user: third }))).toBe(3)
  })
})

test('if a slot that has denied a request allows it in the second call, its units are refunded and the request stays denied', async () => {
  const client = cluster.client()
  const policies = {
    address: fixedWindow({ limit: 3, window: '1h' }),
    user: fixedWindow({ limit: 1, window: '1h' }),
  }
  const options = { name: randomUUID(), policies }
  const rival = createLimiter({ ...options, store: redisStore(client, { timeout: '20s' }) })
  const keys = { address: first, user: second }
  const taken = await rival.consume({ address: notLimited, user: second })
  const before = await rival.peek(keys)
  expect([taken.allowed, before.allowed]).toEqual([true, false])
  let calls = 0
  async function interrupt(): Promise<void> {
    // After two peeks, the third call goes to the slot that denied.
    if (++calls === 3) await rival.refund(taken)
  }
  const interrupted: RedisClient = {
    isCluster: true,
    async evalSha(digest, keys, args) {
      await interrupt()
      return client.evalsha(digest, keys.length, ...keys, ...args)
    },
    async eval(script, keys, args) {
      await interrupt()
      return client.eval(script, keys.length, ...keys, ...args)
    },
  }
  const store = redisStore(interrupted, { timeout: '20s' })
  const decision = await createLimiter({ ...options, store }).consume(keys)
  expect(decision).toMatchObject({ allowed: false, deniedBy: ['user'] })
  expect(calls).toBe(4)
  const { policies: status } = await rival.status(keys)
  expect([status['address'].used, status['user'].used]).toEqual([0, 0])
})

test('every key on every node has a time to live, after any traffic', async () => {
  const limiters = [undefined, () => today].map((clock) =>
    limiterOf(
      {
        one: hourly(5, { for: '5m' }),
        two: log(5),
        three: gcra(perDay(5)),
        four: concurrency({ limit: 2, lease: '30s' }),
      },
      clock,
    ),
  )
  const key = fc.constantFrom(...elsewhere, 'dan', notLimited)
  const call = fc.record({
    limiter: fc.constantFrom(...limiters),
    keys: fc.record({ one: key, two: key, three: key, four: key }),
    cost: fc.nat(3),
    verb: fc.constantFrom(
      'consume',
      'consume',
      'penalize',
      'refundUnits',
      'block',
      'exempt',
      'unexempt',
      'reset',
      'grant',
      'ungrant',
    ),
  })
  await fc.assert(
    fc.asyncProperty(call, async ({ limiter, keys, cost, verb }) => {
      if (verb === 'consume') await limiter.consume(keys, { cost })
      else if (verb === 'penalize') await limiter.penalize(keys, cost)
      else if (verb === 'refundUnits') await limiter.refund(keys, cost)
      else if (verb === 'block' || verb === 'exempt') await limiter[verb](keys, '1m')
      else if (verb === 'unexempt') await limiter.unexempt(keys)
      else if (verb === 'grant') await granted(limiter, keys, cost + 1)
      else if (verb === 'ungrant') await limiter.ungrant(keys)
      else await limiter.reset(keys)
    }),
    { numRuns: runs(200) },
  )
  for (const admin of cluster.admins) {
    const keys = await admin.keys('*')
    expect(keys.length).toBeGreaterThan(0)
    const lives = await Promise.all(keys.map(async (key) => [key, await admin.pttl(key)]))
    expect(lives.filter(([, livesMs]) => Number(livesMs) <= 0)).toEqual([])
  }
})

const verbs = [
  ...Array<'consume'>(8).fill('consume'),
  ...(['peek', 'reset', 'penalize', 'refundUnits', 'refund'] as const),
  ...(['block', 'unblock', 'exempt', 'unexempt', 'release', 'renew'] as const),
  ...(['grant', 'grant', 'ungrant', 'adjust', 'adjust'] as const),
] as const

interface Command {
  readonly verb: (typeof verbs)[number]
  readonly move: Move
  readonly cost: Cost
  /** A key for each policy. */
  readonly keys: Readonly<Record<'a' | 'b' | 'c', string | NotLimited>>
}

const blocks = fc.constantFrom<BlockOptions | undefined>(
  undefined,
  undefined,
  { for: 700 },
  { for: 700, on: 'exceeded' },
  { for: 300, on: 'exceeded', escalate: 2, max: 1500 },
  { for: 300, escalate: 3 },
)
const limits = fc.constantFrom(0, 1, 2, 3, 7)
const policy: fc.Arbitrary<Policy> = fc
  .tuple(limits, fc.constantFrom(7, 1000, 1009), blocks, fc.nat(10))
  .map(([limit, window, block, kind]) => policyOf(kind, limit, window, block))
const key = fc.constantFrom(...elsewhere, first, notLimited)
const command: fc.Arbitrary<Command> = fc.record({
  verb: fc.constantFrom(...verbs),
  move: forward,
  cost: costs,
  keys: fc.record({ a: key, b: key, c: key }),
})
const commands = fc.array(command, { minLength: 1, maxLength: 40, size: 'max' })

test(
  'the same traffic gives the same answers over memory and over a Cluster, in every field',
  async () => {
    const client = cluster.client()
    await fc.assert(
      fc.asyncProperty(
        fc.record({ a: policy, b: policy, c: policy }),
        starts,
        commands,
        async (policies, start, traffic) => {
          let now = start
          const options = { name: randomUUID(), policies, clock: () => now }
          const inMemory = runner(createLimiter({ ...options, store: memoryStore() }))
          // A store makes scripts for a limited number of lists of policies.
          const ofCluster = redisStore(client, { timeout: '20s' })
          const inCluster = runner(createLimiter({ ...options, store: ofCluster }))
          let last = nothingSaid
          for (const one of traffic) {
            now = moved(now, one.move, 1000, last)
            const expected = await inMemory(one, last)
            expect(await inCluster(one, last)).toEqual(expected)
            const [verdict] = Object.values(expected.decision?.policies ?? {})
            if (verdict !== undefined) last = verdict
          }
        },
      ),
      { numRuns: runs(200) },
    )
  },
  patienceMs,
)

/** Runs commands on one limiter, and keeps its last decision for a refund. */
function runner(limiter: Limiter) {
  let admitted: Decision | undefined
  return async ({ verb, cost: share, keys }: Command, last: Said) => {
    const cost = costOf(share, 3, last)
    let decision: Decision | undefined
    let answer: unknown
    if (verb === 'consume') decision = await limiter.consume(keys, { cost })
    else if (verb === 'peek') decision = await limiter.peek(keys, { cost })
    else if (verb === 'reset') answer = await limiter.reset(keys)
    else if (verb === 'penalize') await limiter.penalize(keys, cost)
    else if (verb === 'refundUnits') await limiter.refund(keys, cost)
    else if (verb === 'block') await limiter.block(keys, 500)
    else if (verb === 'unblock') await limiter.unblock(keys)
    else if (verb === 'exempt') await limiter.exempt(keys, 500)
    else if (verb === 'unexempt') await limiter.unexempt(keys)
    else if (verb === 'grant') answer = await granted(limiter, keys, Math.max(1, cost))
    else if (verb === 'ungrant') await limiter.ungrant(keys)
    else if (verb === 'adjust') answer = admitted && (await limiter.adjust(admitted, cost))
    else if (verb === 'release') answer = await admitted?.lease?.release()
    else if (verb === 'renew') answer = await admitted?.lease?.renew()
    else if (admitted !== undefined) answer = await limiter.refund(admitted)
    if (verb === 'consume') admitted = decision
    return { decision: comparable(decision), answer, status: await limiter.status(keys) }
  }
}

/** Grants units beside all policies, or beside each of those that can have a grant. */
async function granted(
  limiter: Limiter,
  keys: Readonly<Record<string, string | NotLimited>>,
  units: number,
): Promise<unknown> {
  const codes: unknown[] = []
  for (const policy of [undefined, ...Object.keys(keys)]) {
    try {
      await limiter.grant(keys, units, { for: 500, policy })
      if (policy === undefined) return 'all'
      codes.push('granted')
    } catch (error) {
      codes.push(error instanceof SluiceError ? error.code : error)
    }
  }
  return codes
}

/** A decision without the random parts of its lease: only the token is comparable. */
function comparable(decision: Decision | undefined) {
  if (decision === undefined) return undefined
  const { lease, ...rest } = decision
  return { ...rest, token: lease?.token }
}

async function usedIn(limiter: Limiter, keys: Readonly<Record<string, string>>) {
  const { policies } = await limiter.status(keys)
  return Object.values(policies).map(({ used }) => used)
}

function policyOf(
  kind: number,
  limit: number,
  window: number,
  block: BlockOptions | undefined,
): Policy {
  const rest = block === undefined ? {} : { block }
  const least = Math.max(1, limit)
  const builders = [
    () => fixedWindow({ limit, window, ...rest }),
    () => slidingWindow({ limit, window, ...rest }),
    () => slidingLog({ limit, window, ...rest }),
    () => gcra({ limit, window, ...rest }),
    () => tokenBucket({ capacity: limit, refill: least, every: window, ...rest }),
    // A denial also creates the row of a bucket that does not start full, at any position in the request.
    () => tokenBucket({ capacity: limit, refill: 1, every: window, initial: limit >> 1, ...rest }),
    () => concurrency({ limit, lease: window, ...rest }),
    () => leakyBucket({ capacity: limit, leak: least, every: window, ...rest }),
    () => leakyQueue({ leak: least, every: window, maxDelay: window, ...rest }),
    () => calendarWindow({ limit, period: 'hour', timeZone: 'Asia/Shanghai', ...rest }),
    () =>
      staged({
        free: fixedWindow({ limit, window }),
        then: gcra({ limit: 1, window: 500 }),
        ...rest,
      }),
  ]
  return builders[kind]()
}

/** 2025-11-21T00:00:00Z */
const today = 1_763_683_200_000

function hourly(limit: number, block?: BlockOptions): Policy {
  return fixedWindow({ limit, window: '1h', ...(block === undefined ? {} : { block }) })
}

function log(limit: number): Policy {
  return slidingLog({ limit, window: '1h' })
}

function perDay(limit: number) {
  return { limit, window: '1d' } as const
}

function limiterOf(policies: Policies, clock?: () => number): Limiter {
  return createLimiter({
    name: randomUUID(),
    policies,
    store,
    ...(clock === undefined ? {} : { clock }),
  })
}

/** Sends 60 requests at once from each of two limiters with separate connections. */
async function race(
  name: string,
  policies: Readonly<Record<string, Policy>>,
  keys: Readonly<Record<string, string>>,
) {
  const other = redisStore(cluster.client(), { timeout: '20s' })
  const limiters = [store, other].map((store) => createLimiter({ name, policies, store }))
  await Promise.all(limiters.map(async (limiter) => limiter.peek(keys)))
  const decisions = await Promise.all(
    Array.from({ length: 60 }, () => limiters.map(async (limiter) => limiter.consume(keys))).flat(),
  )
  const sum = decisions.filter(({ allowed }) => allowed).length
  return { sum, status: (await limiters[0].status(keys)).policies }
}

/** The number of scripts that all nodes ran during this traffic. */
async function callsOf(traffic: () => unknown): Promise<number> {
  await Promise.all(cluster.admins.map((admin) => admin.config('RESETSTAT')))
  await traffic()
  const stats = await Promise.all(cluster.admins.map((admin) => admin.info('commandstats')))
  const calls = stats.join('\n').matchAll(/^cmdstat_eval\w*:calls=(\d+)/gm)
  return [...calls].reduce((sum, [, count]) => sum + Number(count), 0)
}

import { isDeepStrictEqual } from 'node:util'
import { afterEach, expect, test, vi } from 'vitest'
import {
  calendarWindow,
  concurrency,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  memoryStore,
  slidingLog,
  slidingWindow,
  SluiceError,
  staged,
  tokenBucket,
  unlimited,
  type Costs,
  type Decision,
  type Limiter,
  type MemoryStore,
  type Policies,
  type SyncStore,
} from '@sluice/core'
import { randomFrom } from '../src/random.js'

const steps = Number(process.env['SLUICE_STEPS'] ?? 1000)
const seed = Number(process.env['SLUICE_SEED'] ?? 1)

/** A store without plans: it has only `run`. */
function withoutPlans(store: MemoryStore): SyncStore {
  return {
    async: false,
    run: (request) => store.run(request),
    ping: store.ping,
    close: store.close,
  }
}

const limit = 5
const window = 1000
const policies: Readonly<Record<string, Policies>> = {
  'fixed window': fixedWindow({ limit, window }),
  'fixed window on the clock': fixedWindow({ limit, window, align: 'clock', offset: 300 }),
  'calendar window': calendarWindow({ limit, period: 'hour', timeZone: 'Europe/Berlin' }),
  'sliding window': slidingWindow({ limit, window }),
  'sliding window in buckets': slidingWindow({ limit, window, buckets: 4 }),
  gcra: gcra({ limit, window, burst: 3 }),
  'token bucket': tokenBucket({ capacity: limit, refill: 3, every: 700 }),
  'token bucket that starts with less': tokenBucket({
    capacity: limit,
    refill: 3,
    every: 700,
    initial: 1,
  }),
  'leaky bucket': leakyBucket({ capacity: limit, leak: 2, every: 500 }),
  'leaky queue': leakyQueue({ leak: 2, every: 400, maxDelay: 900 }),
  staged: staged({
    free: fixedWindow({ limit: 3, window: '2s' }),
    then: gcra({ limit: 1, window: 400 }),
  }),
  'staged, then a queue': staged({
    free: slidingWindow({ limit: 3, window: '2s' }),
    then: leakyQueue({ leak: 1, every: 400, maxDelay: 900 }),
  }),
  'limit 0': slidingWindow({ limit: 0, window }),
  unlimited: unlimited(),
  'a log': slidingLog({ limit, window }),
  leases: concurrency({ limit: 2, lease: 700 }),
  'with a block': fixedWindow({ limit, window, block: { for: 600 } }),
  'several windows': {
    short: fixedWindow({ limit: 3, window: 400 }),
    long: slidingWindow({ limit: 9, window: 5000 }),
    paced: gcra({ limit: 10, window, burst: 4 }),
    ['__proto__']: leakyBucket({ capacity: 8, leak: 2, every: 300 }),
  },
  'on two clocks': {
    day: fixedWindow({ limit: 9, window: 2000, align: 'clock' }),
    queue: leakyQueue({ leak: 3, every: 300, maxDelay: 500 }),
  },
  'one without a limit': { free: unlimited(), paid: slidingWindow({ limit, window }) },
}

afterEach(() => vi.restoreAllMocks())

/** The plans of a call: other numbers for the same names, and another algorithm under them. */
function plansFor(own: Policies): readonly (Policies | undefined)[] {
  const other = { default: fixedWindow({ limit: 2, window: 700 }) }
  const blocked = { default: slidingWindow({ limit: 2, window: 700, block: { for: 300 } }) }
  return [undefined, undefined, undefined, undefined, own, other, blocked]
}

function act(
  limiter: Limiter<SyncStore>,
  verb: number,
  key: string,
  cost: number,
  costs: Costs,
  plan: Policies | undefined,
  past: Decision[],
): unknown {
  const options = plan === undefined ? { cost: costs } : { cost, policies: plan }
  if (verb < 14) {
    const decision =
      verb < 5 && plan === undefined ? limiter.consume(key) : limiter.consume(key, options)
    past.push(decision)
    return decision
  }
  if (verb < 16) return limiter.peek(key, options)
  if (verb === 16 && past.length > 0) {
    const decision = past[past.length - 1 - (cost % Math.min(4, past.length))]
    return cost === 1 ? limiter.refund(decision) : limiter.refund(decision, someOf(decision, cost))
  }
  if (verb === 17) return limiter.refund(key, cost)
  if (verb === 18) return limiter.penalize(key, cost)
  if (verb === 19) return limiter.status(key)
  if (verb === 20) {
    const reset = { unblock: cost > 1 }
    return limiter.reset(key, plan === undefined ? reset : { ...reset, policies: plan })
  }
  return cost > 2 ? limiter.block(key, 200) : limiter.unblock(key)
}

/** Some policies of a decision: those at the positions of the bits of a number. */
function someOf({ policies }: Decision, bits: number): { readonly policies: readonly string[] } {
  return { policies: Object.keys(policies).filter((_, i) => (bits >> i) % 2 === 1) }
}

test.each(Object.entries(policies))('%s: a plan makes the same decisions as `run`', (name, own) => {
  const random = randomFrom(seed + name.length)
  const below = (n: number): number => Math.floor(random() * n)
  let now = 1_763_683_200_000
  vi.spyOn(Date, 'now').mockImplementation(() => now)
  const stores = [memoryStore({ maxKeys: 40 }), memoryStore({ maxKeys: 40 })]
  const planned = createLimiter({ name: 'api', policies: own, store: stores[0] })
  const asked = createLimiter({
    name: 'api',
    policies: own,
    store: withoutPlans(stores[1]),
  })
  const plans = plansFor(own)
  const past: [Decision[], Decision[]] = [[], []]
  // A policy without counts cannot be blocked.
  const verbs = name === 'unlimited' ? 21 : 22

  // A cost for each policy can leave some of them out.
  const names = 'kind' in own ? [] : Object.keys(own).filter((each) => each !== '__proto__')

  for (let step = 0; step < steps; step++) {
    // The clock is sometimes set back.
    now += below(10) === 0 ? below(3000) - 300 : below(4) * below(60)
    const key = `key ${below(3)}`
    // Old decisions are not refunded, and a long run could not keep all of them.
    for (const decisions of past) if (decisions.length > 100) decisions.shift()
    const [verb, cost, plan] = [
      below(verbs),
      [1, 1, 1, 0, 2, 3, 9][below(7)],
      plans[below(plans.length)],
    ]
    const costs =
      names.length > 0 && below(2) === 0
        ? Object.fromEntries(names.map((each) => [each, below(3)]))
        : cost
    const answers = [planned, asked].map((limiter, i) => {
      try {
        return act(limiter, verb, key, cost, costs, plan, past[i])
      } catch (error) {
        if (!(error instanceof SluiceError)) throw error
        return error.code
      }
    })
    const [ours, theirs] = answers.map(withoutIds)
    if (!isDeepStrictEqual(ours, theirs)) expect(ours, `step ${step}, verb ${verb}`).toEqual(theirs)
    if (stores[0].size !== stores[1].size) expect.fail(`other rows after step ${step}`)
  }
})

/** A decision without its lease, whose id and functions differ in each decision. */
function withoutIds(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('lease' in answer)) return answer
  return { ...answer, lease: undefined }
}

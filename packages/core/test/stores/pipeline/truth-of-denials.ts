import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  calendarWindow,
  createLimiter,
  fixedWindow,
  gcra,
  leakyBucket,
  leakyQueue,
  slidingLog,
  slidingWindow,
  staged,
  tokenBucket,
  type AsyncStore,
  type BlockOptions,
  type Decision,
  type Limiter,
  type Policy,
} from '../../../src/index.js'
import { runs } from '@sluice/test-kit/random'
import { holdTime, pipelineOver, releaseTime, stubStore } from './stub-store.js'

// The same traffic goes to two limiters: one calls its store each time, the other caches denials. The decisions must be the same.

/** Some windows are so short that units become available within the second for which a denial is cached. */
const builders: readonly ((block?: BlockOptions) => Policy)[] = [
  (block) => fixedWindow({ limit: 3, window: 700, ...given(block) }),
  (block) => fixedWindow({ limit: 4, window: 900, align: 'clock', ...given(block) }),
  (block) => fixedWindow({ limit: 0, window: 900, ...given(block) }),
  (block) => slidingWindow({ limit: 3, window: 800, ...given(block) }),
  (block) => slidingWindow({ limit: 4, window: 900, tail: 'weighted', ...given(block) }),
  (block) => slidingWindow({ limit: 5, window: 1200, buckets: 6, ...given(block) }),
  (block) =>
    slidingWindow({ limit: 5, window: 900, buckets: 3, tail: 'truncated', ...given(block) }),
  (block) => slidingLog({ limit: 4, window: 600, ...given(block) }),
  (block) => slidingLog({ limit: 7, window: '1m', ...given(block) }),
  (block) => gcra({ limit: 5, window: 1500, burst: 3, ...given(block) }),
  (block) => gcra({ limit: 1, window: 450, burst: 1, ...given(block) }),
  (block) => tokenBucket({ capacity: 5, refill: 3, every: 1000, initial: 2, ...given(block) }),
  (block) => leakyBucket({ capacity: 4, leak: 7, every: 2000, ...given(block) }),
  (block) => leakyQueue({ leak: 1, every: 200, maxDelay: 500, ...given(block) }),
  (block) =>
    calendarWindow({ limit: 5, period: 'hour', timeZone: 'Asia/Kolkata', ...given(block) }),
  (block) =>
    staged({
      free: fixedWindow({ limit: 3, window: 2000, align: 'clock' }),
      then: gcra({ limit: 1, window: 300, burst: 1 }),
      ...given(block),
    }),
  (block) =>
    staged({
      free: slidingWindow({ limit: 2, window: 700 }),
      then: leakyBucket({ capacity: 2, leak: 1, every: 400 }),
      ...given(block),
    }),
]

function given(block: BlockOptions | undefined): { block?: BlockOptions } {
  return block === undefined ? {} : { block }
}

const blocks: fc.Arbitrary<BlockOptions | undefined> = fc.option(
  fc.constantFrom<BlockOptions>(
    { for: 150 },
    { for: 5000 },
    { for: 120, on: 'exceeded' },
    { for: 150, on: 'exceeded', escalate: 3 },
    { for: 3000, on: 'exceeded' },
  ),
  { nil: undefined, freq: 2 },
)

const policy = fc.tuple(fc.constantFrom(...builders), blocks).map(([build, block]) => build(block))

/** Without blocks that a denied request starts: if another policy denies in the meantime, such a block may start up to a second late. */
const calm = policy.filter(({ block }) => block?.on !== 'exceeded')

const policies = fc
  .array(policy, { minLength: 1, maxLength: 3 })
  .map((made) => Object.fromEntries(made.map((each, i) => [`p${i}`, each])))

type Verb =
  | 'consume'
  | 'peek'
  | 'refund'
  | 'penalize'
  | 'block'
  | 'unblock'
  | 'exempt'
  | 'unexempt'
  | 'reset'
  | 'refundReceipt'

interface Step {
  readonly ms: number
  readonly verb: Verb
  readonly key: string
  readonly cost: number
}

const step: fc.Arbitrary<Step> = fc.record({
  ms: fc.oneof(
    { arbitrary: fc.constant(0), weight: 4 },
    { arbitrary: fc.nat(20), weight: 3 },
    { arbitrary: fc.nat(400), weight: 3 },
    { arbitrary: fc.constantFrom(999, 1000, 1001), weight: 1 },
  ),
  verb: fc.constantFrom<Verb>(
    ...Array<Verb>(26).fill('consume'),
    'peek',
    'refund',
    'penalize',
    'block',
    'unblock',
    'exempt',
    'unexempt',
    'reset',
    'refundReceipt',
  ),
  key: fc.constantFrom('a', 'a', 'a', 'b'),
  cost: fc.constantFrom(1, 1, 1, 1, 2, 2, 3, 0, 8),
})

const traffic = fc.array(step, { maxLength: 40, size: 'max' })

interface Pair {
  readonly plain: Limiter<AsyncStore>
  readonly caching: Limiter<AsyncStore>
}

function pairOf(made: Record<string, Policy>): Pair {
  const of = (store: AsyncStore) => createLimiter({ name: 'api', policies: made, store })
  return { plain: of(stubStore()), caching: of(pipelineOver(stubStore())) }
}

/** A decision without its source, and with at most the limit as `used`: a cached denial may have an old number of units above the limit. */
function seen(decision: Decision): object {
  const policies = Object.entries(decision.policies).map(([name, verdict]) => {
    return [name, { ...verdict, used: Math.min(verdict.used, verdict.limit) }]
  })
  return { ...decision, policies, source: undefined }
}

/** A comparison of Node first, because one of Vitest takes longer than a decision. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual).toEqual(expected)
}

async function act(
  limiter: Limiter<AsyncStore>,
  { verb, key, cost }: Step,
  last: Decision | undefined,
): Promise<unknown> {
  if (verb === 'consume') return limiter.consume(key, { cost })
  if (verb === 'peek') return seen(await limiter.peek(key, { cost }))
  if (verb === 'refundReceipt') return last === undefined ? undefined : limiter.refund(last)
  if (verb === 'block') return limiter.block(key, 700)
  if (verb === 'exempt') return limiter.exempt(key, 100)
  if (verb === 'refund') return limiter.refund(key, cost)
  if (verb === 'penalize') return limiter.penalize(key, cost)
  return limiter[verb](key)
}

/** @param tries how many runs the properties have with `SLUICE_RUNS=1` */
export function describeTruthOfDenials(tries: number): void {
  beforeEach(holdTime)
  afterEach(releaseTime)

  test('with one key for all policies, every number of a decision is that of the store', async () => {
    let local = 0
    let all = 0
    await fc.assert(
      fc.asyncProperty(policies, traffic, async (made, steps) => {
        const { plain, caching } = pairOf(made)
        const last: { plain?: Decision; caching?: Decision } = {}
        for (const each of steps) {
          vi.advanceTimersByTime(each.ms)
          const expected = await act(plain, each, last.plain)
          const answer = await act(caching, each, last.caching)
          if (each.verb !== 'consume') {
            expectSame(answer, expected)
            continue
          }
          all++
          last.plain = expected as Decision
          last.caching = answer as Decision
          if (last.caching.source === 'local') local++
          expectSame(seen(last.caching), seen(last.plain))
        }
        expect(await caching.status('a')).toEqual(await plain.status('a'))
        expect(await caching.status('b')).toEqual(await plain.status('b'))
      }),
      { numRuns: runs(1.5 * tries) },
    )
    // With few cached denials the test would prove nothing.
    expect(local / all).toBeGreaterThan(0.1)
  })

  test('with different policies in each call, a denial applies only to the policies that denied', async () => {
    let local = 0
    // Without the algorithms that convert the state of another plan: the last millisecond depends on the time of the conversion.
    const shares = new Set(['gcra', 'tokenBucket', 'leakyBucket', 'leakyQueue'])
    const plan = calm.filter(({ kind }) => !shares.has(kind))
    const asked = fc.array(
      fc.record({
        ms: fc.oneof(fc.constant(0), fc.nat(200)),
        plan: fc.nat(2),
        cost: fc.constantFrom(1, 1, 2, 3),
      }),
      { maxLength: 40, size: 'max' },
    )
    await fc.assert(
      fc.asyncProperty(fc.tuple(plan, plan, plan), asked, async (plans, requests) => {
        const { plain, caching } = pairOf({ default: plans[0] })
        for (const { ms, plan, cost } of requests) {
          vi.advanceTimersByTime(ms)
          const options = { cost, policies: plans[plan] }
          const truth = await plain.consume('key', options)
          const answer = await caching.consume('key', options)
          if (answer.source === 'local') local++
          expectSame(seen(answer), seen(truth))
        }
      }),
      { numRuns: runs(tries) },
    )
    expect(local).toBeGreaterThan(runs(tries))
  })

  test('with a key for each policy, it denies the same requests, names a policy that denies, and returns no longer wait than the store', async () => {
    let local = 0
    const keys = fc.record({ p0: fc.constantFrom('x', 'y'), p1: fc.constantFrom('s', 't') })
    const asked = fc.array(
      fc.record({
        ms: fc.oneof(fc.constant(0), fc.nat(200)),
        keys,
        cost: fc.constantFrom(1, 1, 2),
      }),
      { maxLength: 40, size: 'max' },
    )
    await fc.assert(
      fc.asyncProperty(calm, calm, asked, async (p0, p1, requests) => {
        const { plain, caching } = pairOf({ p0, p1 })
        for (const { ms, keys, cost } of requests) {
          vi.advanceTimersByTime(ms)
          const truth = await plain.consume(keys, { cost })
          const answer = await caching.consume(keys, { cost })
          expect(answer.allowed).toBe(truth.allowed)
          if (answer.source !== 'local') continue
          local++
          expect(answer.deniedBy.some((name) => truth.deniedBy.includes(name))).toBe(true)
          // Units that a staged policy allows may restart its second stage, and shorten its wait.
          if (p0.kind === 'staged' || p1.kind === 'staged') continue
          expect(answer.deniedBy.filter((name) => !truth.deniedBy.includes(name))).toEqual([])
          expect(answer.retryAfterMs ?? Infinity).toBeLessThanOrEqual(
            truth.retryAfterMs ?? Infinity,
          )
        }
      }),
      { numRuns: runs(tries) },
    )
    expect(local).toBeGreaterThan(runs(tries))
  })
}

import {
  calendarWindow,
  concurrency,
  fixedWindow,
  gcra,
  leakyQueue,
  slidingLog,
  slidingWindow,
  type BlockOptions,
  type Decision,
  type Limiter,
  type Policy,
} from '@sluice/core'
import type { PolicyKind } from '@sluice/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { families, type Family } from '../../samples/families.js'
import type { Sample } from '../../samples/sample.js'
import { patienceMs } from '@sluice/test-kit/random'
import { costOf, costs, forward, moved, nothingSaid, startsOf } from '../../traffic/traffic.js'
import type { OpenSetup } from '../setup.js'

type Build = (block?: BlockOptions) => Policy

/** The kinds that have no form of their own: two that share that of `gcra`, one that is made of two others, and one without a state. */
type Formless = 'tokenBucket' | 'leakyBucket' | 'staged' | 'unlimited'

const byKind: Readonly<Record<Exclude<PolicyKind, Formless>, Build>> = {
  fixedWindow: (block) => fixedWindow({ ...hourly, ...given(block) }),
  calendarWindow: (block) =>
    calendarWindow({ limit: 5, period: 'hour', timeZone: 'UTC', ...given(block) }),
  slidingWindow: (block) => slidingWindow({ ...hourly, ...given(block) }),
  gcra: (block) => gcra({ ...hourly, ...given(block) }),
  leakyQueue: (block) => leakyQueue({ leak: 5, every: '1h', maxDelay: '48m', ...given(block) }),
  slidingLog: (block) => slidingLog({ ...hourly, ...given(block) }),
  concurrency: (block) => concurrency({ limit: 5, lease: '1h', ...given(block) }),
}

/** A policy of each form of state, of 5 requests an hour. */
const forms: Readonly<Record<string, Build>> = {
  ...byKind,
  'slidingWindow, weighted': (block) =>
    slidingWindow({ ...hourly, tail: 'weighted', ...given(block) }),
  'slidingWindow, 6 buckets': (block) => slidingWindow({ ...hourly, buckets: 6, ...given(block) }),
  'slidingWindow, 10 buckets': (block) =>
    slidingWindow({ ...hourly, buckets: 10, ...given(block) }),
}

const hourly = { limit: 5, window: '1h' } as const

function given(block: BlockOptions | undefined): { block?: BlockOptions } {
  return block === undefined ? {} : { block }
}

const all = Object.entries(forms)

/** Each form with the next one, and with the one after that: each is in two pairs the one, and in two the other. */
const somePairs = all.flatMap((one, i) =>
  [1, 2].map((next) => [one, all[(i + next) % all.length]] as const),
)

const allPairs = all.flatMap((one) =>
  all.filter((other) => other !== one).map((other) => [one, other] as const),
)

/** Each form of state keeps a count of its own, as two versions of an application that run at the same time. */
export function describePairsOfForms(open: OpenSetup, which: 'some' | 'all'): void {
  const pairs = (which === 'all' ? allPairs : somePairs).map(
    ([[one, ofOne], [other, ofOther]]) => ({
      one,
      other,
      ofOne,
      ofOther,
    }),
  )
  describe.each(pairs)('$one and $other under one name', ({ ofOne, ofOther }) => {
    const [one, other] = [{ policies: ofOne() }, { policies: ofOther() }]

    async function used(limiter: Limiter): Promise<readonly number[]> {
      const both = [await limiter.status('key', one), await limiter.status('key', other)]
      return both.map(({ policies }) => policies['default'].used)
    }

    test('together allow the sum of both limits, in whatever order they are asked', async () => {
      const limiter = (await open()).limiter(one.policies)
      const allowed = [0, 0]
      for (let i = 0; i < 20; i++) {
        for (const [form, choice] of [one, other].entries()) {
          if ((await limiter.consume('key', choice)).allowed) allowed[form]++
        }
      }
      expect(allowed).toEqual([5, 5])
      expect(await used(limiter)).toEqual([5, 5])
    })

    test('a refund returns units of its own form', async () => {
      const limiter = (await open()).limiter(one.policies)
      for (const choice of [one, other]) await limiter.consume('key', choice)
      const decision = await limiter.consume('key')
      await limiter.consume('key', other)
      await limiter.refund(decision)
      expect(await used(limiter)).toEqual([1, 2])
      await limiter.refund('key', 1, other)
      expect(await used(limiter)).toEqual([1, 1])
    })

    test('a reset by one clears both', async () => {
      const limiter = (await open()).limiter(one.policies)
      for (const choice of [one, other, one, other]) await limiter.consume('key', choice)
      expect(await limiter.reset('key')).toBe(true)
      expect(await used(limiter)).toEqual([0, 0])
      for (const choice of [one, other, other]) await limiter.consume('key', choice)
      expect(await used(limiter)).toEqual([1, 2])
    })

    test('a block that one starts holds for both, and only a reset with "unblock" clears it', async () => {
      const blocked = { policies: ofOne({ for: '2h', on: 'exceeded' }) }
      const limiter = (await open()).limiter(one.policies)
      for (let i = 0; i < 6; i++) await limiter.consume('key', blocked)
      expect(await limiter.consume('key', other)).toMatchObject({
        allowed: false,
        retryAfterMs: 7_200_000,
      })
      expect(await limiter.reset('key', other)).toBe(false)
      expect(await used(limiter)).toEqual([5, 0])
      expect(await limiter.reset('key', { ...other, unblock: true })).toBe(true)
      expect(await used(limiter)).toEqual([0, 0])
      expect((await limiter.consume('key', blocked)).allowed).toBe(true)
    })
  })
}

export function describeForms(open: OpenSetup): void {
  describe('two forms under one name', () => {
    test(
      'make the same decisions as each of them alone, for any traffic',
      async () => {
        const setup = await open()
        const family = fc.constantFrom(...families.filter(({ name }) => !name.includes('block')))
        const cases = fc
          .tuple(family, family)
          .filter(([one, other]) => layoutOf(one) !== layoutOf(other))
          .chain(([one, other]) =>
            fc.tuple(fc.constantFrom(...one.samples), fc.constantFrom(...other.samples)),
          )
          .chain((both) => startsOf(both[0]).map((start) => ({ both, start })))
        const step = fc.record({
          move: forward,
          cost: costs,
          form: fc.constantFrom(0, 1),
          verb: fc.constantFrom('consume', 'consume', 'consume', 'peek', 'refund', 'penalize'),
        })
        await fc.assert(
          fc.asyncProperty(
            cases,
            fc.array(step, { maxLength: 30, size: 'max' }),
            async ({ both, start }, steps) => {
              setup.now = Math.max(0, start)
              const together = setup.limiter(both[0].policy)
              const alone = both.map(({ policy }) => setup.limiter(policy))
              const taken: readonly (readonly [Decision, Decision])[][] = [[], []]
              let last = nothingSaid
              for (const { move, cost: share, form, verb } of steps) {
                const { windowMs, quota, policy }: Sample = both[form]
                setup.now = moved(setup.now, move, windowMs, last)
                const cost = costOf(share, quota, last)
                const choice = { policies: policy }
                if (verb === 'penalize') {
                  await together.penalize('key', cost, choice)
                  await alone[form].penalize('key', cost)
                  continue
                }
                if (verb === 'refund') {
                  const [mixed, own] = taken[form].pop() ?? []
                  if (mixed !== undefined) await together.refund(mixed)
                  if (own !== undefined) await alone[form].refund(own)
                  continue
                }
                const mixed = await together[verb]('key', { ...choice, cost })
                const own = await alone[form][verb]('key', { cost })
                expect(withoutLease(mixed)).toEqual(withoutLease(own))
                if (verb === 'consume') taken[form].push([mixed, own])
                last = own.policies['default']
              }
            },
          ),
          { numRuns: open.runs(150) },
        )
      },
      patienceMs,
    )

    test('are counted each by itself in one call', async () => {
      const limiter = (await open()).limiter(forms['slidingLog']())
      const asked = ['slidingLog', 'concurrency', 'gcra'].map((name) => ({
        key: 'key',
        policies: forms[name](),
      }))
      const calls = Array.from({ length: 7 }, () => asked).flat()
      const decisions = await limiter.consumeMany(calls)
      const allowed = decisions.map((decision) => decision.allowed)
      expect(allowed).toEqual([...Array(15).fill(true), ...Array(6).fill(false)])
    })

    test('a reset by one that has used nothing clears the other', async () => {
      const day = { policies: gcra({ limit: 5, window: '1d' }) }
      const limiter = (await open()).limiter(slidingWindow({ limit: 5, window: '1s' }))
      await limiter.consume('key', { ...day, cost: 3 })
      await limiter.reset('key')
      expect(await limiter.consume('key', { ...day, cost: 4 })).toMatchObject({ remaining: 1 })
    })

    test('a peek, a denial and a cost of 0 change nothing', async () => {
      const limiter = (await open()).limiter(forms['fixedWindow']())
      const pace = { policies: forms['gcra']() }
      await limiter.consume('key', { cost: 5 })
      for (const cost of [6, 0]) await limiter.consume('key', { ...pace, cost })
      await limiter.peek('key', pace)
      expect((await limiter.status('key')).policies['default'].used).toBe(5)
      expect((await limiter.status('key', pace)).policies['default'].used).toBe(0)
    })
  })
}

/** The families of one form: GCRA and the buckets are one algorithm, and so are a window's alignments. Layouts in buckets may be equal. */
function layoutOf({ name }: Family): string {
  if (name.startsWith('fixed window')) return 'fixed window'
  if (name.startsWith('sliding window in buckets')) return 'sliding window in buckets'
  return /^(token|leaky) bucket/.test(name) ? 'gcra' : name
}

function withoutLease({ lease, ...decision }: Decision): unknown {
  return { ...decision, token: lease?.token }
}

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { DeniedKeys, pauseMs, type Denial } from '../../src/collect/denied-keys.js'

function denial(until: number | null, changes: Partial<Denial> = {}): Denial {
  return { untilAt: until, policies: ['default'], source: 'store', isBlocked: false, ...changes }
}

interface ModelRun {
  until: number | null
  last: number
  first: number
  denials: number
}

/** The simplest form: a map, in which each key is looked at. */
class Model {
  readonly runs = new Map<string, ModelRun>()

  add(key: string, until: number | null, now: number): void {
    const known = this.runs.get(key)
    const goesOn = known !== undefined && endOf(known) > now
    const { first, denials } = goesOn ? known : { first: now, denials: 0 }
    this.runs.set(key, { until, last: now, first, denials: denials + 1 })
  }

  listed(now: number): unknown {
    const listed = [...this.runs].filter(([, run]) => endOf(run) > now)
    return new Map(listed.map(([key, run]) => [key, [run.denials, run.first, run.last, run.until]]))
  }
}

function endOf({ until, last }: ModelRun): number {
  return Math.max(until ?? Infinity, last) + pauseMs
}

const step = fc.record({
  // Few keys, so that each has many denials.
  key: fc.nat(3).map((n) => `key-${n}`),
  wait: fc.option(fc.nat(40_000), { freq: 2 }),
  after: fc.oneof(fc.nat(9000), fc.nat(60_000)),
  act: fc.constantFrom('deny', 'deny', 'deny', 'allow', 'clear', 'sweep', 'sweep'),
})

test('runs of denials are those of a model that looks at each key', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 200, size: 'max' }), (steps) => {
      const keys = new DeniedKeys()
      const model = new Model()
      let now = 1_700_000_000_000
      for (const { key, wait, after, act } of steps) {
        now += after
        if (act === 'deny') {
          const until = wait === null ? null : now + wait
          keys.add('api', key, denial(until), now)
          model.add(key, until, now)
        } else if (act === 'allow') {
          keys.noteAllowed('api', key, { default: key }, now)
          const run = model.runs.get(key)
          if (run !== undefined && (run.until ?? Infinity) > now) model.runs.delete(key)
        } else if (act === 'clear') {
          keys.clear({ limiter: 'api', key, at: now - after })
          if ((model.runs.get(key)?.last ?? 0) <= now - after) model.runs.delete(key)
        } else {
          keys.sweep(now)
          expect(keys.size).toBe((model.listed(now) as Map<string, unknown>).size)
        }
        const listed = keys
          .runsOf('api', now)
          .map(
            ({ key, denials, firstDeniedAt, lastDeniedAt, untilAt }) =>
              [key, [denials, firstDeniedAt, lastDeniedAt, untilAt]] as const,
          )
        expect(new Map(listed)).toEqual(model.listed(now))
      }
    }),
    { numRuns: runs(300) },
  )
})

test('the last denial of a key decides its policies, its source and whether it is blocked', () => {
  const keys = new DeniedKeys()
  keys.add('api', 'ann', denial(9), 1)
  keys.add('api', 'ann', denial(8, { policies: ['b'], source: 'local', isBlocked: true }), 2)
  expect(keys.runsOf('api', 2)).toEqual([
    {
      key: 'ann',
      untilAt: 8,
      policies: ['b'],
      source: 'local',
      isBlocked: true,
      denials: 2,
      firstDeniedAt: 1,
      lastDeniedAt: 2,
    },
  ])
})

describe('of more than 10,000 keys, the tenth that is allowed again soonest is dropped', () => {
  test.each([
    ['in the order of their ends', (i: number) => i],
    ['against the order of their ends', (i: number) => 30_000 - i],
    ['in a mixed order', (i: number) => (i * 7919) % 30_011],
  ])('%s', (_, waitOf) => {
    const keys = new DeniedKeys()
    const limiters = ['api', 'login']
    const now = 1_700_000_000_000
    const waits = Array.from({ length: 10_001 }, (_, i) => waitOf(i))
    for (const [i, wait] of waits.entries()) {
      keys.add(limiters[i % 2], `key-${i}`, denial(now + wait), now)
    }
    const kept = limiters
      .flatMap((name) => keys.runsOf(name, now))
      .map(({ untilAt }) => untilAt ?? 0)
    // The key that comes in last is kept.
    const first = waits.slice(0, -1).sort((a, b) => b - a)
    const expected = [...first.slice(0, 9000), waits[10_000]].map((wait) => now + wait)
    expect(kept.sort((a, b) => a - b)).toEqual(expected.sort((a, b) => a - b))
    expect(keys.size).toBe(9001)
  })

  test('also those whose end was moved later', () => {
    const keys = new DeniedKeys()
    for (let i = 0; i < 10_000; i++) keys.add('api', `key-${i}`, denial(1000 + i), 0)
    keys.add('api', 'key-0', denial(50_000), 0)
    keys.add('api', 'never', denial(null), 0)
    keys.add('api', 'new', denial(60_000), 0)
    const kept = new Set(keys.runsOf('api', 0).map(({ key }) => key))
    const asked = ['key-0', 'key-1', 'key-1000', 'key-1001', 'never', 'new']
    expect(asked.map((key) => kept.has(key))).toEqual([true, false, false, true, true, true])
  })
})

test('however many keys are denied, at most 10,000 are kept', () => {
  const keys = new DeniedKeys()
  for (let i = 0; i < 50_000; i++) {
    keys.add(`limiter-${i % 50}`, `key-${i}`, denial(i), 0)
    if (i % 500 === 0) expect(keys.size).toBeLessThanOrEqual(10_000)
  }
})

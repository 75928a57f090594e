import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import {
  DeniedKeys,
  pauseMs,
  type Denial,
  type DeniedPlaces,
} from '../../src/collect/denied-keys.js'

function denial(until: number, changes: Partial<Denial> = {}): Denial {
  return { until, policies: ['default'], source: 'store', isBlocked: false, ...changes }
}

interface ModelRun {
  until: number
  last: number
  first: number
  denials: number
}

/** The simplest form: a map, in which each key is looked at. */
class Model {
  readonly runs = new Map<string, ModelRun>()

  add(key: string, until: number, now: number): void {
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
  return Math.max(until, last) + pauseMs
}

const step = fc.record({
  // Few keys, so that each has many denials.
  key: fc.nat(3).map((n) => `key-${n}`),
  wait: fc.oneof(fc.nat(40_000), fc.constant(Infinity)),
  after: fc.oneof(fc.nat(9000), fc.nat(60_000)),
  act: fc.constantFrom('deny', 'deny', 'deny', 'allow', 'clear', 'sweep', 'sweep'),
})

test('runs of denials are those of a model that looks at each key', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 50, maxLength: 200, size: 'max' }), (steps) => {
      const keys = new DeniedKeys()
      const owner: DeniedPlaces = new Map()
      const model = new Model()
      let now = 1_700_000_000_000
      for (const { key, wait, after, act } of steps) {
        now += after
        if (act === 'deny') {
          keys.add(owner, key, denial(now + wait), now)
          model.add(key, now + wait, now)
        } else if (act === 'allow') {
          keys.noteAllowed(owner, key, { default: key }, now)
          if ((model.runs.get(key)?.until ?? 0) > now) model.runs.delete(key)
        } else if (act === 'clear') {
          keys.clear(owner, { limiter: 'api', key, at: now - after })
          if ((model.runs.get(key)?.last ?? 0) <= now - after) model.runs.delete(key)
        } else {
          keys.sweep(now)
          expect(keys.size).toBe((model.listed(now) as Map<string, unknown>).size)
        }
        const listed = keys
          .runsOf(owner, now)
          .map(
            ({ key, denials, firstAt, lastAt, until }) =>
              [key, [denials, firstAt, lastAt, until]] as const,
          )
        expect(new Map(listed)).toEqual(model.listed(now))
      }
    }),
    { numRuns: runs(300) },
  )
})

test('the last denial of a key decides its policies, its source and whether it is blocked', () => {
  const keys = new DeniedKeys()
  const owner: DeniedPlaces = new Map()
  keys.add(owner, 'ann', denial(9), 1)
  keys.add(owner, 'ann', denial(8, { policies: ['b'], source: 'local', isBlocked: true }), 2)
  expect(keys.runsOf(owner, 2)).toEqual([
    {
      key: 'ann',
      until: 8,
      policies: ['b'],
      source: 'local',
      isBlocked: true,
      denials: 2,
      firstAt: 1,
      lastAt: 2,
    },
  ])
})

describe('of more than 10,000 keys, those that are allowed again soonest are dropped', () => {
  test.each([
    ['in the order of their ends', (i: number) => i],
    ['against the order of their ends', (i: number) => 30_000 - i],
    ['in a mixed order', (i: number) => (i * 7919) % 30_011],
  ])('%s', (_, waitOf) => {
    const keys = new DeniedKeys()
    const owners: readonly DeniedPlaces[] = [new Map(), new Map()]
    const now = 1_700_000_000_000
    const waits: number[] = []
    for (let i = 0; i < 12_000; i++) {
      waits.push(waitOf(i))
      keys.add(owners[i % 2], `key-${i}`, denial(now + waitOf(i)), now)
    }
    expect(keys.size).toBe(10_000)
    const kept = owners.flatMap((owner) => keys.runsOf(owner, now)).map(({ until }) => until - now)
    // The key that comes in last is kept.
    const expected = waits
      .slice(0, -1)
      .sort((a, b) => b - a)
      .slice(0, 9999)
    expect(kept.sort((a, b) => b - a)).toEqual(
      [...expected, waits[waits.length - 1]].sort((a, b) => b - a),
    )
  })

  test('also those whose end was moved later', () => {
    const keys = new DeniedKeys()
    const owner: DeniedPlaces = new Map()
    for (let i = 0; i < 10_000; i++) keys.add(owner, `key-${i}`, denial(1000 + i), 0)
    keys.add(owner, 'key-0', denial(50_000), 0)
    for (let i = 0; i < 5; i++) keys.add(owner, `new-${i}`, denial(60_000), 0)
    expect(owner.has('key-0')).toBe(true)
    expect([1, 2, 3, 4, 5, 6].map((i) => owner.has(`key-${i}`))).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
    ])
  })
})

test('long keys take the room of several short ones', () => {
  const keys = new DeniedKeys()
  const owner: DeniedPlaces = new Map()
  for (let i = 0; i < 10_000; i++) keys.add(owner, `${i}`.padEnd(256, '漢'), denial(1000 + i), 0)
  expect(keys.size).toBe(Math.floor(900_000 / (24 + 512)))
  const short: DeniedPlaces = new Map()
  for (let i = 0; i < 10_000; i++) keys.add(short, `${i}`, denial(90_000), 0)
  expect(short.size).toBe(10_000)
})

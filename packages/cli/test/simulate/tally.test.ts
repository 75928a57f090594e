import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { HotKeys } from '../../src/simulate/tally/hot-keys.js'
import { KeySet } from '../../src/simulate/tally/key-set.js'
import { KeyTable } from '../../src/simulate/tally/key-table.js'
import { Series } from '../../src/simulate/tally/series.js'

describe('HotKeys', () => {
  test('counts each key within its stated error, and keeps every frequent key', () => {
    const key = fc.oneof(fc.constantFrom('a', 'b'), fc.nat(60).map(String))
    fc.assert(
      fc.property(
        fc.array(key, { maxLength: 400 }),
        fc.integer({ min: 1, max: 12 }),
        (keys, places) => {
          const sketch = new HotKeys<undefined>(places)
          const truth = new Map<string, number>()
          for (const one of keys) {
            sketch.add(one, () => undefined)
            truth.set(one, (truth.get(one) ?? 0) + 1)
          }
          const top = sketch.top()
          for (const { key: one, count, error } of top) {
            const real = truth.get(one) ?? 0
            expect(real <= count && real >= count - error).toBe(true)
          }
          expect(top.reduce((sum, { count }) => sum + count, 0)).toBe(keys.length)
          const kept = new Set(top.map(({ key: one }) => one))
          for (const [one, count] of truth)
            if (count > keys.length / places) expect(kept.has(one)).toBe(true)
        },
      ),
    )
  })
})

describe('KeyTable', () => {
  test('counts the requests of each key, as a map does', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 3000 }), (keys) => {
        const table = new KeyTable()
        const truth = new Map<string, { number: number; count: number }>()
        for (const key of keys) {
          const number = table.add(key)
          const known = truth.get(key) ?? { number, count: 0 }
          known.count++
          truth.set(key, known)
          expect([number, table.ordinal]).toEqual([known.number, known.count])
        }
        expect(table.size).toBe(truth.size)
        for (const { number, count } of truth.values()) expect(table.asked(number)).toBe(count)
      }),
      { numRuns: 30 },
    )
  })

  test('grows to any number of keys, and distinguishes long keys', () => {
    const table = new KeyTable()
    const long = 'x'.repeat(5000)
    for (let i = 0; i < 200_000; i++) expect(table.add(`${i}`)).toBe(i)
    expect(table.add(`${long}a`)).toBe(200_000)
    expect(table.add(`${long}b`)).toBe(200_001)
    expect(table.add('7')).toBe(7)
    expect(table.size).toBe(200_002)
  })

  test('has no number for a key beyond the largest number of keys', () => {
    const table = new KeyTable(2)
    expect(['a', 'b', 'c', 'a'].map((key) => table.add(key))).toEqual([0, 1, -1, 0])
    expect([table.size, table.isFull]).toEqual([2, true])
  })
})

test('KeySet counts each number once, and no keys without a number', () => {
  const set = new KeySet()
  for (const number of [0, 1, 100_000, 1, -1, 100_000, 7]) set.add(number)
  expect(set.size).toBe(4)
})

describe('Series', () => {
  test('counts each request in its interval, also after intervals are merged', () => {
    const gaps = fc.array(fc.oneof(fc.nat(3000), fc.nat(500_000)), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(fc.nat(10_000_000), gaps, (first, steps) => {
        const series = new Series(8, 1000)
        const times: number[] = []
        let at = first
        for (const step of steps) {
          at += step
          times.push(at)
          series.ask(at)
          if (step % 2 === 0) series.deny()
        }
        const { start, widthMs, length } = series
        expect(start % widthMs).toBe(0)
        for (let i = 0; i < length; i++) {
          const within = times.filter(
            (time) => time >= start + i * widthMs && time < start + (i + 1) * widthMs,
          )
          expect(series.asked[i]).toBe(within.length)
        }
        expect(series.asked.reduce((sum, asked) => sum + asked, 0)).toBe(steps.length)
        expect(series.denied.reduce((sum, denied) => sum + denied, 0)).toBe(
          steps.filter((step) => step % 2 === 0).length,
        )
      }),
    )
  })
})

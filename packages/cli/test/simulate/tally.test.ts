import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import type { LogRecord } from '../../src/simulate/log/record.js'
import { DeniedKey } from '../../src/simulate/tally/denied-key.js'
import { KeySet } from '../../src/simulate/tally/key-set.js'
import { KeyTable } from '../../src/simulate/tally/key-table.js'
import { Tally, type CountedKey } from '../../src/simulate/tally/tally.js'
import { Timeline } from '../../src/simulate/tally/timeline.js'
import { cut, jsonReader } from './log/lines.js'
import { start } from './logs.js'

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
      { numRuns: runs(30) },
    )
  })

  test('grows to any number of keys, and distinguishes long keys', () => {
    const table = new KeyTable()
    const long = 'x'.repeat(5000)
    const numbers = Array.from({ length: 200_000 }, (_, i) => table.add(`${i}`))
    expect(numbers.findIndex((number, i) => number !== i)).toBe(-1)
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
  const dense = new KeySet()
  for (let i = 0; i < 40_000; i++) dense.add(i % 20_000)
  expect(dense.size).toBe(20_000)
})

describe('Timeline', () => {
  test('counts in as few intervals as fit, and in the same ones for all series', () => {
    const gaps = fc.array(fc.oneof(fc.nat(3000), fc.nat(500_000)), { minLength: 1, maxLength: 300 })
    fc.assert(
      fc.property(fc.nat(10_000_000), gaps, (first, steps) => {
        const timeline = new Timeline(8, 1000)
        const all = timeline.series()
        const some = timeline.series()
        const [times, chosen]: number[][] = [[], []]
        let at = first
        for (const [i, step] of steps.entries()) {
          at += step
          times.push(at)
          all[timeline.at(at)]++
          if (i % 3 > 0) continue
          chosen.push(at)
          some[timeline.at(at)]++
        }
        const { widthMs } = timeline
        expect(pointsOf(timeline, all)).toEqual(countsIn(widthMs, times))
        expect(pointsOf(timeline, some)).toEqual(countsIn(widthMs, chosen))
        expect(fits(widthMs, times)).toBe(true)
        if (widthMs > 1000) expect(fits(widthMs / 2, times)).toBe(false)
      }),
    )
  })

  function pointsOf(timeline: Timeline, series: Float64Array): readonly (readonly number[])[] {
    return timeline.pointsOf(series).map(({ at, interval }) => [at, series[interval]])
  }

  /** The counts of intervals that begin at multiples of their width. */
  function countsIn(widthMs: number, times: readonly number[]): readonly (readonly number[])[] {
    const counts = new Map<number, number>()
    for (const time of times) {
      const start = time - (time % widthMs)
      counts.set(start, (counts.get(start) ?? 0) + 1)
    }
    return [...counts]
  }

  function fits(widthMs: number, times: readonly number[]): boolean {
    const indexes = [times[0], times[times.length - 1]].map((time) => Math.floor(time / widthMs))
    return indexes[1] - indexes[0] < 8
  }
})

describe('Tally', () => {
  const record = (at: number, url: string, agent?: string): LogRecord => {
    const line = { time: at, ip: '192.0.2.1', method: 'GET', url, status: 200 }
    const text = JSON.stringify({ ...line, headers: { 'user-agent': agent } })
    const read = cut(jsonReader(), text)
    if (typeof read === 'string') throw new Error(read)
    return read
  }

  /** The keys of a tally after these denials: the key, its number and the ordinal of the request. */
  function keysAfter(
    denials: readonly (readonly [key: string, number: number, ordinal: number])[],
  ): readonly CountedKey[] {
    const tally = new Tally()
    for (const [i, [key, number, ordinal]] of denials.entries()) {
      tally.ask(start + i)
      tally.deny(record(start + i, '/'), key, number, ordinal)
    }
    return tally.keys()
  }

  test('keys for which the table has no room are counted separately', () => {
    const keys = keysAfter([
      ['a', -1, 1],
      ['b', -1, 1],
      ['b', -1, 1],
      ['c', 0, 1],
    ])
    expect(keys.map(({ key, denied, error }) => [key, denied, error])).toEqual([
      ['b', 2, 0],
      ['a', 1, 0],
      ['c', 1, 0],
    ])
  })

  test('a streak is one of consecutive requests of a key', () => {
    const tally = new Tally()
    const ordinals = [1, 2, 4, 5, 6, 9]
    for (const ordinal of ordinals) tally.deny(record(start, '/'), 'a', 0, ordinal)
    for (const ordinal of [1, 2, 3]) tally.deny(record(start, '/'), 'b', 1, ordinal)
    expect(tally.streak).toEqual({ key: 'a', length: 3 })
    expect([tally.denied, tally.keysDenied]).toEqual([9, 2])
  })

  test('the most frequent path has a lower bound, and no query', () => {
    const denied = new DeniedKey(record(start, '/', 'curl/8.0'))
    const urls = ['/a?x=1', '/b', '/a?x=2', '/c', '/d', '/e', '/f', '/a', '/a?']
    for (const [i, url] of urls.entries()) denied.deny(record(start + i, url), i + 1)
    expect(denied.mostlyAt()).toEqual({ path: '/a', count: 4 })
    expect([denied.agent, denied.first, denied.last]).toEqual(['curl/8.0', start, start + 8])
  })

  test('a path that entered the sketch late is named with the requests that are certain', () => {
    const denied = new DeniedKey(record(start, '/'))
    for (const [i, url] of ['/a', '/b', '/c', '/d', '/e', '/e'].entries())
      denied.deny(record(start + i, url), i + 1)
    expect(denied.mostlyAt()).toEqual({ path: '/e', count: 2 })
  })
})

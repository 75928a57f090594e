import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runs } from '@sluice/test-kit/random'
import { HotKeys, mergedKeys, type KeyCounts } from '../../src/collect/hot-keys.js'

const key = fc.oneof(fc.constantFrom('a', 'b'), fc.nat(60).map(String))
const stream = fc.array(key, { maxLength: 400 })
const places = fc.integer({ min: 1, max: 12 })

describe('HotKeys', () => {
  test('counts each key within its stated error, and keeps every frequent key', () => {
    fc.assert(
      fc.property(stream, places, (keys, size) => {
        const sketch = sketchOf(keys, size)
        expectWithinErrors(sketch, keys)
        expect(sketch.keys.reduce((sum, { count }) => sum + count, 0)).toBe(keys.length)
        const kept = new Set(sketch.keys.map((hot) => hot.key))
        for (const [one, count] of occurrencesOf(keys)) {
          if (count > keys.length / size) expect(kept.has(one)).toBe(true)
        }
      }),
      { numRuns: runs(500) },
    )
  })

  test.each([0, -1, 1.5, Number.NaN, Infinity, 'a', null])('has no %j places', (places) => {
    const message = 'HotKeys: "places" must be a whole number, 1 or more'
    expect(() => Reflect.construct(HotKeys, [places])).toThrow(new RangeError(message))
  })

  test.each([0, -1, 1.5, Number.NaN, Infinity, '2', null])('%j breaks no sketch', (value) => {
    const sketch = new HotKeys(2)
    sketch.add('a', 3)
    const thrown = new RangeError('HotKeys: "times" must be a whole number, 1 or more')
    expect(() => Reflect.apply(sketch.add, sketch, ['a', value])).toThrow(thrown)
    expect([sketch.keys, sketch.unlisted]).toEqual([[{ key: 'a', count: 3, error: 0 }], 0])
  })

  test('returns one object for a key while it stays, and another one after it was replaced', () => {
    const sketch = new HotKeys(1)
    const first = sketch.add('a')
    expect(sketch.add('a')).toBe(first)
    expect(sketch.add('b')).toEqual({ key: 'b', count: 3, error: 2 })
    expect(sketch.add('a')).not.toBe(first)
  })

  test('counts several occurrences at once as the same number of single ones', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.integer({ min: 1, max: 9 }))), (counted) => {
        const [sketch, single] = [new HotKeys(100), new HotKeys(100)]
        for (const [one, times] of counted) {
          sketch.add(one, times)
          for (let i = 0; i < times; i++) single.add(one)
        }
        expect(sketch.keys).toEqual(single.keys)
      }),
      { numRuns: runs(300) },
    )
  })

  test('says by the counts whether a key is new', () => {
    const sketch = new HotKeys(2)
    const isNew = (one: string, times?: number): boolean => {
      const { count, error } = sketch.add(one, times)
      return count - error === (times ?? 1)
    }
    const seen = [isNew('a'), isNew('a'), isNew('b', 3), isNew('b', 3), isNew('c', 2), isNew('a')]
    expect(seen).toEqual([true, false, true, false, true, true])
  })

  test('finds the twenty most frequent keys of a Zipf stream', () => {
    expect(
      sketchOf(zipfStream(1), 256)
        .keys.slice(0, 20)
        .map((hot) => hot.key),
    ).toEqual(top20)
  })
})

describe('mergedKeys', () => {
  test('counts each key of several streams within its stated error', () => {
    fc.assert(
      fc.property(fc.array(stream, { maxLength: 4 }), places, places, (streams, size, most) => {
        const merged = mergedKeys(
          streams.map((keys) => sketchOf(keys, size)),
          most,
        )
        expect(merged.keys.length).toBeLessThanOrEqual(most)
        expectWithinErrors(merged, streams.flat())
      }),
      { numRuns: runs(500) },
    )
  })

  test('is exact if every sketch lists all of its keys', () => {
    const merged = mergedKeys([sketchOf(['a', 'a', 'b'], 8), sketchOf(['b', 'c', 'b'], 8)])
    expect(merged).toEqual({
      keys: [
        { key: 'b', count: 3, error: 0 },
        { key: 'a', count: 2, error: 0 },
        { key: 'c', count: 1, error: 0 },
      ],
      unlisted: 0,
    })
  })

  test('adds to a key what a stream can have missed that does not list it, and its own error', () => {
    const some = { keys: [{ key: 'a', count: 5, error: 1 }], unlisted: 1 }
    const others = { keys: [{ key: 'b', count: 4, error: 2 }], unlisted: 2 }
    expect(mergedKeys([some, others], 1)).toEqual({
      keys: [{ key: 'a', count: 7, error: 3 }],
      unlisted: 5,
    })
  })

  test('finds the twenty most frequent keys of four Zipf streams', () => {
    const streams = Array.from({ length: 4 }, (_, i) => zipfStream(i + 1))
    const merged = mergedKeys(streams.map((keys) => sketchOf(keys, 256)))
    expectWithinErrors(merged, streams.flat())
    expect(merged.keys.slice(0, 20).map((hot) => hot.key)).toEqual(top20)
  })
})

/** The ranks of the keys are their names. */
const top20 = Array.from({ length: 20 }, (_, i) => `${i + 1}`)

/** 200,000 requests of 10,000 keys, each as frequent as Zipf's law says, in an order that the seed chooses. */
function zipfStream(seed: number): readonly string[] {
  const ranks = Array.from({ length: 10_000 }, (_, i) => i + 1)
  const total = ranks.reduce((sum, rank) => sum + 1 / rank, 0)
  const keys = ranks.flatMap((rank) =>
    Array<string>(Math.round(200_000 / total / rank)).fill(`${rank}`),
  )
  let state = seed
  for (let i = keys.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const other = Math.floor((state / 2 ** 32) * (i + 1))
    ;[keys[i], keys[other]] = [keys[other], keys[i]]
  }
  return keys
}

function sketchOf(keys: readonly string[], size: number): HotKeys {
  const sketch = new HotKeys(size)
  for (const one of keys) sketch.add(one)
  return sketch
}

function occurrencesOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const occurrences = new Map<string, number>()
  for (const one of keys) occurrences.set(one, (occurrences.get(one) ?? 0) + 1)
  return occurrences
}

function expectWithinErrors(counts: KeyCounts, keys: readonly string[]): void {
  const truth = occurrencesOf(keys)
  const listed = new Set(counts.keys.map((hot) => hot.key))
  for (const hot of counts.keys) {
    const real = truth.get(hot.key) ?? 0
    expect(hot.count).toBeGreaterThanOrEqual(real)
    expect(hot.count - hot.error).toBeLessThanOrEqual(real)
  }
  const unlisted = [...truth].filter(([one]) => !listed.has(one)).map(([, real]) => real)
  expect(Math.max(0, ...unlisted)).toBeLessThanOrEqual(counts.unlisted)
  expect(counts.keys.map((hot) => hot.count)).toEqual(
    counts.keys.map((hot) => hot.count).toSorted((a, b) => b - a),
  )
}

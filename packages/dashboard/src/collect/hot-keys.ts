import { firstInOrder } from '../first-in-order.js'
import { ownText } from './own-text.js'

/** A key and how often it occurred: at most `count` times, and at least `count - error` times. */
export interface HotKey {
  readonly key: string
  readonly count: number
  readonly error: number
}

/** The keys of a sketch, or of several. */
export interface KeyCounts {
  /** The most frequent first. */
  readonly keys: readonly HotKey[]
  /** The most often that a key can have occurred which is not listed. */
  readonly unlisted: number
}

/**
 * The most frequent keys of a stream, in a fixed number of places. A new key replaces the least frequent one, and takes over its count as its error. A key
 * that occurs more often than `total / places` is always in the sketch.
 *
 * Source: Metwally, Agrawal and El Abbadi, "Efficient computation of frequent and top-k elements in data streams" (2005), the space-saving algorithm.
 */
export class HotKeys implements KeyCounts {
  readonly #places: number
  readonly #placeOf = new Map<string, Place>()
  /** A min-heap by count. */
  readonly #heap: Place[] = []

  /**
   * @param places how many keys it keeps, at least 1
   * @throws RangeError for any other value than a whole number from 1
   */
  constructor(places: number = 256) {
    this.#places = checkedCount('places', places)
  }

  /**
   * Counts one occurrence, or several. Returns the same object for a key as long as the key stays in the sketch. The key is new in the sketch if and only
   * if the result has `count - error === times`.
   *
   * @param times a whole number, at least 1
   * @throws RangeError for any other value
   */
  add(key: string, times: number = 1): HotKey {
    if (times !== 1) checkedCount('times', times)
    const known = this.#placeOf.get(key)
    if (known !== undefined) return this.#increment(known, times)
    const own = ownText(key)
    if (this.#heap.length < this.#places) {
      const place = { hot: { key: own, count: times, error: 0 }, at: this.#heap.length }
      this.#heap.push(place)
      this.#placeOf.set(own, place)
      this.#rise(place)
      return place.hot
    }
    const place = this.#heap[0]
    const { key: replaced, count } = place.hot
    this.#placeOf.delete(replaced)
    this.#placeOf.set(own, place)
    place.hot = { key: own, count, error: count }
    return this.#increment(place, times)
  }

  get keys(): readonly HotKey[] {
    return this.#heap.map(({ hot }) => hot).sort(byCount)
  }

  get unlisted(): number {
    return this.#heap.length < this.#places ? 0 : this.#heap[0].hot.count
  }

  #increment(place: Place, times: number): HotKey {
    const { hot } = place
    hot.count += times
    this.#sink(place)
    return hot
  }

  #rise(place: Place): void {
    const { count } = place.hot
    let { at } = place
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#heap[parent].hot.count <= count) break
      this.#put(at, this.#heap[parent])
      at = parent
    }
    this.#put(at, place)
  }

  #sink(place: Place): void {
    const heap = this.#heap
    const { count } = place.hot
    let { at } = place
    for (;;) {
      let child = 2 * at + 1
      if (child + 1 < heap.length && heap[child + 1].hot.count < heap[child].hot.count) child++
      if (child >= heap.length || heap[child].hot.count >= count) break
      this.#put(at, heap[child])
      at = child
    }
    this.#put(at, place)
  }

  #put(at: number, place: Place): void {
    this.#heap[at] = place
    place.at = at
  }
}

function checkedCount(name: string, value: number): number {
  if (Number.isSafeInteger(value) && value >= 1) return value
  throw new RangeError(`HotKeys: "${name}" must be a whole number, 1 or more`)
}

/** A place of the sketch: its key, and its index in the heap. */
interface Place {
  hot: HotKey & { count: number }
  at: number
}

/**
 * The most frequent keys of several streams together, such as those of several processes. Of a key that one of them does not list, it may have seen as many
 * occurrences as its `unlisted` says, so they are added to the key's count and to its error.
 *
 * Source: Agarwal et al., "Mergeable summaries" (2012), section 2, for space-saving sketches.
 *
 * @param places how many keys the result lists
 */
export function mergedKeys(all: readonly KeyCounts[], places: number = 256): KeyCounts {
  const unlisted = all.reduce((sum, counts) => sum + counts.unlisted, 0)
  const merged = new Map<string, { key: string; count: number; error: number }>()
  for (const counts of all) {
    for (const { key, count, error } of counts.keys) {
      const known = merged.get(key)
      // A key that is new here may have occurred in all other streams without being listed.
      if (known === undefined) {
        const others = unlisted - counts.unlisted
        merged.set(key, { key, count: others + count, error: others + error })
      } else {
        known.count += count - counts.unlisted
        known.error += error - counts.unlisted
      }
    }
  }
  const keys = firstInOrder([...merged.values()], places + 1, byCount)
  return { keys: keys.slice(0, places), unlisted: keys[places]?.count ?? unlisted }
}

function byCount(a: HotKey, b: HotKey): number {
  return b.count - a.count || (a.key < b.key ? -1 : 1)
}

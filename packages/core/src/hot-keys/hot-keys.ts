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
  readonly #placeOf = new Map<string, number>()
  /** A min-heap by count. */
  readonly #heap: Place[] = []

  /** @param places how many keys it keeps, at least 1 */
  constructor(places: number = 256) {
    this.#places = places
  }

  /** Counts one occurrence. Returns the same object for a key as long as the key stays in the sketch. */
  add(key: string): HotKey {
    const at = this.#placeOf.get(key)
    if (at !== undefined) return this.#increment(at)
    if (this.#heap.length < this.#places) {
      const place = { key, count: 1, error: 0 }
      this.#heap.push(place)
      this.#rise(this.#heap.length - 1)
      return place
    }
    const [least] = this.#heap
    this.#placeOf.delete(least.key)
    this.#put(0, { key, count: least.count, error: least.count })
    return this.#increment(0)
  }

  get keys(): readonly HotKey[] {
    return sorted(this.#heap)
  }

  get unlisted(): number {
    return this.#heap.length < this.#places ? 0 : this.#heap[0].count
  }

  #increment(at: number): HotKey {
    const place = this.#heap[at]
    place.count++
    this.#sink(place, at)
    return place
  }

  #rise(from: number): void {
    const place = this.#heap[from]
    let at = from
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#heap[parent].count <= place.count) break
      this.#put(at, this.#heap[parent])
      at = parent
    }
    this.#put(at, place)
  }

  #sink(place: Place, from: number): void {
    const heap = this.#heap
    let at = from
    for (;;) {
      let child = 2 * at + 1
      if (child + 1 < heap.length && heap[child + 1].count < heap[child].count) child++
      if (child >= heap.length || heap[child].count >= place.count) break
      this.#put(at, heap[child])
      at = child
    }
    this.#put(at, place)
  }

  #put(at: number, place: Place): void {
    this.#heap[at] = place
    this.#placeOf.set(place.key, at)
  }
}

interface Place extends HotKey {
  count: number
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
  const merged = new Map<string, HotKey>()
  for (const counts of all) {
    for (const { key, count, error } of counts.keys) {
      const known = merged.get(key) ?? { key, count: unlisted, error: unlisted }
      merged.set(key, {
        key,
        count: known.count + count - counts.unlisted,
        error: known.error + error - counts.unlisted,
      })
    }
  }
  const keys = sorted([...merged.values()])
  return { keys: keys.slice(0, places), unlisted: keys[places]?.count ?? unlisted }
}

function sorted(keys: readonly HotKey[]): readonly HotKey[] {
  return keys.toSorted((a, b) => b.count - a.count || (a.key < b.key ? -1 : 1))
}

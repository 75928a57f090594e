/** A key and its frequency: `count` is the upper bound, `count - error` the lower bound. */
export interface HotKey<T> {
  readonly key: string
  count: number
  error: number
  /** Data of the caller, created when the key entered the sketch. */
  value: T
}

/**
 * The most frequent keys of a stream, in a fixed number of entries. A new key replaces the least frequent one and takes over its count as its error.
 * A key that occurs more often than `total / places` is always in the sketch.
 *
 * Source: Metwally, Agrawal and El Abbadi, "Efficient computation of frequent and top-k elements in data streams" (2005), the space-saving algorithm.
 */
export class HotKeys<T> {
  readonly #places: number
  readonly #byKey = new Map<string, number>()
  /** A min-heap by count. */
  readonly #heap: HotKey<T>[] = []

  constructor(places = 256) {
    this.#places = places
  }

  /** Counts one occurrence. `create` makes the value of a key that enters the sketch. */
  add(key: string, create: () => T): HotKey<T> {
    const known = this.#byKey.get(key)
    if (known !== undefined) return this.#increment(known)
    if (this.#heap.length < this.#places) {
      const entry = { key, count: 1, error: 0, value: create() }
      this.#heap.push(entry)
      this.#byKey.set(key, this.#heap.length - 1)
      this.#rise(this.#heap.length - 1)
      return entry
    }
    const least = this.#heap[0]
    this.#byKey.delete(least.key)
    const entry = { key, count: least.count, error: least.count, value: create() }
    this.#heap[0] = entry
    this.#byKey.set(key, 0)
    return this.#increment(0)
  }

  /** The keys in the sketch, the most frequent first. */
  top(): readonly HotKey<T>[] {
    return [...this.#heap].sort((a, b) => b.count - a.count)
  }

  #increment(at: number): HotKey<T> {
    const entry = this.#heap[at]
    entry.count++
    this.#sink(at)
    return entry
  }

  #rise(start: number): void {
    let at = start
    while (at > 0) {
      const parent = (at - 1) >> 1
      if (this.#heap[parent].count <= this.#heap[at].count) return
      this.#swap(at, parent)
      at = parent
    }
  }

  #sink(start: number): void {
    let at = start
    for (;;) {
      let least = at
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < this.#heap.length && this.#heap[child].count < this.#heap[least].count) {
          least = child
        }
      }
      if (least === at) return
      this.#swap(at, least)
      at = least
    }
  }

  #swap(a: number, b: number): void {
    const first = this.#heap[a]
    const second = this.#heap[b]
    this.#heap[a] = second
    this.#heap[b] = first
    this.#byKey.set(second.key, a)
    this.#byKey.set(first.key, b)
  }
}

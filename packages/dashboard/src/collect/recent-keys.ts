import { HotKeys, mergedKeys, type HotKey, type KeyCounts } from './hot-keys.js'
import { textBytes } from './text-bytes.js'

/** The places of a sketch. */
const places = 256

/** How many keys of the previous minutes are kept. */
const keptPlaces = 64

/** The bytes of a place, besides those of its key: the objects, the place in the heap, and the entry of the map. */
const placeBytes = 150

/** Frequent keys in one list or several, which are not added up yet, and since when they are counted. */
export interface RecentCounts {
  readonly lists: readonly KeyCounts[]
  readonly sinceAt: number
}

/**
 * The most frequent keys of the last minutes. A sketch of a whole day would hide an attack that has just begun, so a new sketch begins every few minutes; the
 * previous one is kept in short.
 */
export class RecentKeys {
  #sketch = new HotKeys(places)
  #beganAt: number
  #previous: { readonly counts: KeyCounts; readonly sinceAt: number } | undefined
  #size = places
  /** The keys of the sketch in their order, until the next one is counted. */
  #sorted: KeyCounts | undefined

  constructor(beganAt: number) {
    this.#beganAt = beganAt
  }

  /** Counts a key. Returns whether it is new in the sketch. */
  add(key: string, times: number): boolean {
    this.#sorted = undefined
    const { count, error } = this.#sketch.add(key, times)
    return count - error === times
  }

  /** Begins a new sketch. */
  rotate(now: number): void {
    const counts = shortened(this.#list(), keptPlaces)
    const isEmpty = counts.keys.length === 0 && counts.unlisted === 0
    this.#previous = isEmpty ? undefined : { counts, sinceAt: this.#beganAt }
    this.#sketch = new HotKeys(places)
    this.#sorted = undefined
    this.#size = places
    this.#beganAt = now
  }

  /** The keys of this sketch and the previous one. */
  counts(): RecentCounts {
    const list = this.#list()
    if (this.#previous === undefined) return { lists: [list], sinceAt: this.#beganAt }
    const { counts, sinceAt } = this.#previous
    return { lists: [list, counts], sinceAt }
  }

  #list(): KeyCounts {
    if (this.#sorted === undefined) {
      const { keys, unlisted } = this.#sketch
      this.#sorted = { keys, unlisted }
    }
    return this.#sorted
  }

  /** About the bytes of its keys. */
  get bytes(): number {
    const of = (keys: readonly HotKey[]): number =>
      keys.reduce((sum, { key }) => sum + placeBytes + textBytes(key), 0)
    return of(this.#sketch.keys) + of(this.#previous?.counts.keys ?? [])
  }

  /** Keeps half as many keys until the next sketch begins. */
  halve(): void {
    if (this.#previous !== undefined) {
      const { sinceAt, counts } = this.#previous
      this.#previous = { counts: shortened(counts, counts.keys.length >> 1), sinceAt }
    }
    this.#sorted = undefined
    this.#size = Math.max(1, this.#size >> 1)
    this.#sketch.shrink(this.#size)
  }
}

/** The most frequent keys of all lists together. */
export function mostFrequent({ lists }: RecentCounts, most: number): KeyCounts {
  return lists.length === 1 ? shortened(lists[0], most) : mergedKeys(lists, most)
}

/** The first keys of some counts. Those that are dropped are no longer listed. */
export function shortened({ keys, unlisted }: KeyCounts, most: number): KeyCounts {
  if (keys.length <= most) return { keys, unlisted }
  return { keys: keys.slice(0, most), unlisted: Math.max(unlisted, keys[most].count) }
}

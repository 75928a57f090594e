import { HotKeys, mergedKeys, type HotKey, type KeyCounts } from '@sluice/core/hot-keys'
import { textBytes } from './text-bytes.js'

/** The places of a sketch. */
const places = 256

/** How many keys of the previous minutes are kept. */
const keptPlaces = 64

/** The bytes of a place, besides those of its key: the objects, the place in the heap, and the entry of the map. */
const placeBytes = 150

/** Frequent keys, and since when they are counted. */
export interface RecentCounts extends KeyCounts {
  readonly sinceAt: number
}

/**
 * The most frequent keys of the last minutes. A sketch of a whole day would hide an attack that has just begun, so a new sketch begins every few minutes; the
 * previous one is kept in short.
 */
export class RecentKeys {
  #sketch = new HotKeys(places)
  #beganAt: number
  #previous: RecentCounts | undefined
  #size = places

  constructor(beganAt: number) {
    this.#beganAt = beganAt
  }

  /** Counts a key. Returns whether it is new in the sketch. */
  add(key: string, times: number): boolean {
    const { count, error } = this.#sketch.add(key, times)
    return count - error === times
  }

  /** Begins a new sketch. */
  rotate(now: number): void {
    const { unlisted } = this.#sketch
    const { keys, ...rest } = shortened(this.#sketch, keptPlaces)
    this.#previous =
      keys.length === 0 && unlisted === 0 ? undefined : { keys, ...rest, sinceAt: this.#beganAt }
    this.#sketch = new HotKeys(places)
    this.#size = places
    this.#beganAt = now
  }

  /** The keys of this sketch and the previous one. */
  counts(): RecentCounts {
    if (this.#previous === undefined) {
      const { keys, unlisted } = this.#sketch
      return { keys, unlisted, sinceAt: this.#beganAt }
    }
    return {
      ...mergedKeys([this.#sketch, this.#previous], places),
      sinceAt: this.#previous.sinceAt,
    }
  }

  /** About the bytes of its keys. */
  get bytes(): number {
    const of = (keys: readonly HotKey[]): number =>
      keys.reduce((sum, { key }) => sum + placeBytes + textBytes(key), 0)
    return of(this.#sketch.keys) + of(this.#previous?.keys ?? [])
  }

  /** Keeps half as many keys until the next sketch begins. */
  halve(): void {
    if (this.#previous !== undefined) {
      const { sinceAt, keys } = this.#previous
      this.#previous = { ...shortened(this.#previous, keys.length >> 1), sinceAt }
    }
    this.#size = Math.max(1, this.#size >> 1)
    this.#sketch.shrink(this.#size)
  }
}

/** The first keys of some counts. Those that are dropped are no longer listed. */
export function shortened({ keys, unlisted }: KeyCounts, most: number): KeyCounts {
  if (keys.length <= most) return { keys, unlisted }
  return { keys: keys.slice(0, most), unlisted: Math.max(unlisted, keys[most].count) }
}

import { HotKeys, mergedKeys, type KeyCounts } from './hot-keys.js'

/** The keys of a sketch. */
const places = 256

/** The most keys of a list. */
export const mostTop = 100

/** The most frequent keys of the last minutes. */
export interface Top extends KeyCounts {
  /** Since when they are counted. */
  readonly sinceAt: number
}

/**
 * The most frequent keys of the last minutes. A sketch of a whole day would hide an attack that has just begun, so a new sketch begins every few minutes, and the
 * keys of the one before are kept beside it.
 */
export class RecentKeys {
  #sketch = new HotKeys(places)
  #beganAt: number
  #previous: Top | undefined

  constructor(beganAt: number) {
    this.#beganAt = beganAt
  }

  add(key: string, times: number): void {
    this.#sketch.add(key, times)
  }

  /** Begins a new sketch. */
  rotate(now: number): void {
    const counts = mergedKeys([this.#sketch], mostTop)
    const isEmpty = counts.keys.length === 0
    this.#previous = isEmpty ? undefined : { ...counts, sinceAt: this.#beganAt }
    this.#sketch = new HotKeys(places)
    this.#beganAt = now
  }

  /** The entries that it keeps. */
  get size(): number {
    return this.#sketch.keys.length + (this.#previous?.keys.length ?? 0)
  }

  /** The keys of this sketch and the one before. */
  top(): Top {
    const current = { keys: this.#sketch.keys, unlisted: this.#sketch.unlisted }
    return mergedTop([
      { ...current, sinceAt: this.#beganAt },
      ...(this.#previous === undefined ? [] : [this.#previous]),
    ])
  }
}

/** The most frequent keys of all lists together. */
export function mergedTop(lists: readonly Top[], most: number = mostTop): Top {
  return { ...mergedKeys(lists, most), sinceAt: Math.min(...lists.map(({ sinceAt }) => sinceAt)) }
}

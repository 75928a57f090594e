import type { RecentKeys } from './recent-keys.js'
import { textBytes } from './text-bytes.js'

/** The bytes of all sketches of a process together. */
const mostBytes = 1_400_000

/** The bytes that a place needs, besides those of its key. */
const placeBytes = 150

/**
 * Bounds the memory of all sketches together, however long their keys are. It adds up the keys that come in, and not those that are replaced; when the sum is
 * too large, it looks at all sketches, and halves the largest ones.
 */
export class KeyMemory {
  readonly #sketches: RecentKeys[] = []
  #bytes = 0

  /** Takes care of a sketch. */
  watch(sketch: RecentKeys): void {
    this.#sketches.push(sketch)
  }

  /** Counts a key in a sketch. */
  add(sketch: RecentKeys, key: string, times: number): void {
    if (!sketch.add(key, times)) return
    this.#bytes += placeBytes + textBytes(key)
    if (this.#bytes > mostBytes) this.#settle()
  }

  /** Begins new sketches. */
  rotate(now: number): void {
    for (const sketch of this.#sketches) sketch.rotate(now)
    this.#bytes = this.#exact()
  }

  #settle(): void {
    this.#bytes = this.#exact()
    // Room for many more keys, so that the next look at all sketches is not soon.
    while (this.#bytes > 0.75 * mostBytes) {
      const sizes = this.#sketches.map((sketch) => sketch.bytes)
      this.#sketches[sizes.indexOf(Math.max(...sizes))].halve()
      this.#bytes = this.#exact()
    }
  }

  #exact(): number {
    return this.#sketches.reduce((sum, { bytes }) => sum + bytes, 0)
  }
}

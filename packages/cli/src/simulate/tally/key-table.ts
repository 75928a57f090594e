import { copyOf } from '../log/values.js'

/** Counts the requests of each key, and numbers the keys. */
export class KeyTable {
  /** Whether a key was left out because the table was full. */
  isFull = false
  /** The number of requests of the last key so far. */
  ordinal = 0
  readonly #maxKeys: number
  readonly #numbers = new Map<string, number>()
  readonly #asked: number[] = []

  constructor(maxKeys = 5_000_000) {
    this.#maxKeys = maxKeys
  }

  get size(): number {
    return this.#asked.length
  }

  has(key: string): boolean {
    return this.#numbers.has(key)
  }

  /** Counts a request, and returns the number of its key, or -1 if the table is full. */
  add(key: string): number {
    const known = this.#numbers.get(key)
    if (known !== undefined) {
      this.ordinal = ++this.#asked[known]
      return known
    }
    this.ordinal = 1
    if (this.size === this.#maxKeys) {
      this.isFull = true
      return -1
    }
    this.#numbers.set(copyOf(key), this.size)
    return this.#asked.push(1) - 1
  }

  asked(number: number): number {
    return this.#asked[number]
  }
}

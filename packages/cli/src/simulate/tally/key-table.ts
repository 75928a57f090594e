import { createHash } from 'node:crypto'
import { newKeyHash, type KeyHash } from '@sluice/core/internal'

/** Counts the requests of each key. It stores a 64-bit fingerprint and a count in place of the key, so that millions of keys need little memory. */
export class KeyTable {
  size = 0
  /** Whether a key was left out because the table was full. */
  isFull = false
  /** The number of requests of the last key so far. */
  ordinal = 0
  readonly #hash: KeyHash = newKeyHash()
  readonly #maxKeys: number
  #mask = 1023
  /** The number of each key plus 1. 0 is a free slot. */
  #slots = new Uint32Array(1024)
  #highs = new Int32Array(512)
  #lows = new Int32Array(512)
  #asked = new Uint32Array(512)

  constructor(maxKeys = 5_000_000) {
    this.#maxKeys = maxKeys
  }

  /** Counts a request, and returns the number of its key, or -1 if the table is full. */
  add(key: string): number {
    const hash = this.#hash
    hash.hash(key.length > longestHashed ? digestOf(key) : key)
    const { high, low } = hash
    let slot = low & this.#mask
    for (;;) {
      const found = this.#slots[slot] - 1
      if (found === -1) return this.#insert(slot, high, low)
      if (this.#highs[found] === high && this.#lows[found] === low) {
        this.ordinal = ++this.#asked[found]
        return found
      }
      slot = (slot + 1) & this.#mask
    }
  }

  asked(number: number): number {
    return this.#asked[number]
  }

  #insert(slot: number, high: number, low: number): number {
    this.ordinal = 1
    if (this.size === this.#maxKeys) {
      this.isFull = true
      return -1
    }
    const number = this.size++
    if (number === this.#highs.length) this.#grow()
    this.#highs[number] = high
    this.#lows[number] = low
    this.#asked[number] = 1
    if (this.size * 2 > this.#slots.length) this.#rehash()
    else this.#slots[slot] = number + 1
    return number
  }

  #grow(): void {
    const length = this.#highs.length * 2
    this.#highs = grown(new Int32Array(length), this.#highs)
    this.#lows = grown(new Int32Array(length), this.#lows)
    this.#asked = grown(new Uint32Array(length), this.#asked)
  }

  #rehash(): void {
    const slots = new Uint32Array(this.#slots.length * 2)
    const mask = slots.length - 1
    for (let number = 0; number < this.size; number++) {
      let slot = this.#lows[number] & mask
      while (slots[slot] !== 0) slot = (slot + 1) & mask
      slots[slot] = number + 1
    }
    this.#slots = slots
    this.#mask = mask
  }
}

function grown<A extends Int32Array | Uint32Array>(larger: A, old: A): A {
  larger.set(old)
  return larger
}

/** The keyed hash takes texts of up to 2,048 characters. Longer keys are digested first. */
const longestHashed = 1000

function digestOf(key: string): string {
  return createHash('sha256').update(key).digest('base64')
}

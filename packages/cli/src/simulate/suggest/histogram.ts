import type { LogRecord } from '../cut/record.js'
import type { KeyReader } from '../keys.js'
import type { Sample } from '../sample.js'
import { KeyTable } from '../tally/key-table.js'
import type { Effect } from './target.js'

/**
 * Counts the requests in each window of each key. The windows of `fixedWindow` do not depend on the limit, so these counts give the denials of every
 * limit in one pass.
 */
export class WindowHistogram {
  readonly #windowMs: number
  readonly #key: KeyReader
  readonly #sample: Sample
  readonly #keys = new KeyTable()
  #asked = 0
  #starts = new Float64Array(1024)
  #counts = new Uint32Array(1024)
  #largest = new Uint32Array(1024)
  /** The number of closed windows by their count. */
  readonly #windows = new Map<number, number>()

  constructor(windowMs: number, key: KeyReader, sample: Sample) {
    this.#windowMs = windowMs
    this.#key = key
    this.#sample = sample
  }

  push(record: LogRecord): void {
    const text = this.#key.read(record)
    if (text === undefined || !this.#sample.has(text)) return
    const number = this.#keys.add(text)
    if (number === -1) return
    if (number >= this.#counts.length) this.#grow()
    this.#asked++
    if (this.#counts[number] === 0 || record.at >= this.#starts[number] + this.#windowMs) {
      this.#close(number)
      this.#starts[number] = record.at
    }
    this.#counts[number]++
  }

  /** Closes all windows. */
  close(): void {
    for (let number = 0; number < this.#keys.size; number++) this.#close(number)
  }

  /** The denials of a limit of this size. */
  effectOf(limit: number): Effect {
    let denied = 0
    for (const [count, windows] of this.#windows) denied += Math.max(0, count - limit) * windows
    let keysDenied = 0
    const keys = this.#keys.size
    for (let number = 0; number < keys; number++) if (this.#largest[number] > limit) keysDenied++
    return { asked: this.#asked, denied, keys, keysDenied }
  }

  /** The largest count of a window. A limit of this size denies nothing. */
  get greatest(): number {
    return Math.max(0, ...this.#windows.keys())
  }

  #close(number: number): void {
    const count = this.#counts[number]
    if (count === 0) return
    this.#counts[number] = 0
    this.#windows.set(count, (this.#windows.get(count) ?? 0) + 1)
    if (count > this.#largest[number]) this.#largest[number] = count
  }

  #grow(): void {
    const length = this.#counts.length * 2
    const starts = new Float64Array(length)
    const counts = new Uint32Array(length)
    const largest = new Uint32Array(length)
    starts.set(this.#starts)
    counts.set(this.#counts)
    largest.set(this.#largest)
    this.#starts = starts
    this.#counts = counts
    this.#largest = largest
  }
}

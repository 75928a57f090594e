import type { Row } from '../../algorithms/algorithm.js'

/** The largest number of rows in a segment. Copying, sweeping or splitting this many rows takes microseconds. */
export const mostRows = 1024

/**
 * The numbers before the cells of a row: the fingerprint, which is two integers in the memory of one number, and the row's end. The end of a row whose
 * quota is spent is negative.
 */
export const HEAD = 2

/**
 * Rows of one width in typed arrays, found by a fingerprint of 64 bits. The rows have no gaps and no order. The place of a row is its number in the
 * segment, and a hash index with slots of two bytes contains the places. So a row takes its numbers and about seven bytes, and a search reads one cache
 * line besides the index.
 */
export class Segment {
  /** The number of leading bits that the fingerprints of all rows have in common. */
  readonly depth: number
  size = 0
  /** The number of rows whose quota is not spent. */
  unspent = 0
  /** A lower bound of the times at which rows expire. */
  earliest: number = Infinity
  /** The length of a row with its head, in numbers. */
  readonly stride: number
  // The arrays are not private, because a decision reads and writes a row without calls of methods.
  numbers: Float64Array = new Float64Array()
  /** A view of the same memory as `numbers`. */
  integers: Int32Array = new Int32Array()
  /** A hash table with linear probing. A slot contains the place of a row plus 1, or 0. */
  index: Uint16Array = new Uint16Array()
  readonly #width: number
  readonly #records: unknown[] | undefined

  constructor(depth: number, width: number, hasRecords: boolean, rows: number) {
    this.depth = depth
    this.#width = width
    this.stride = HEAD + width
    this.#records = hasRecords ? [] : undefined
    this.#resize(capacityFor(rows))
  }

  /** The place of the row with this fingerprint, or -1. A place is valid until a row is added or removed. */
  find(high: number, low: number): number {
    const index = this.index
    const integers = this.integers
    const stride = 2 * this.stride
    const mask = index.length - 1
    for (let slot = low & mask; ; slot = (slot + 1) & mask) {
      const place = index[slot] - 1
      if (place < 0) return -1
      const at = place * stride
      if (integers[at] === high && integers[at + 1] === low) return place
    }
  }

  /** A copy of the cells of a row, followed by a zero for each extra cell. */
  read(place: number, extras: number): Row {
    const numbers = this.numbers
    const width = this.#width
    const at = place * this.stride + HEAD
    // Literals are several times as fast as a loop. They are for the rows of `fixedWindow` and `gcra`, and for those of the default algorithm.
    if (width === 2 && extras === 0) return [numbers[at], numbers[at + 1]]
    if (width === 3 && extras === 0) return [numbers[at], numbers[at + 1], numbers[at + 2]]
    if (width === 6 && extras === 1) {
      return [
        numbers[at],
        numbers[at + 1],
        numbers[at + 2],
        numbers[at + 3],
        numbers[at + 4],
        numbers[at + 5],
        0,
      ]
    }
    const row: Row = []
    for (let i = 0; i < width; i++) row.push(numbers[at + i])
    for (let i = 0; i < extras; i++) row.push(0)
    return row
  }

  /** The moment at which a row expires. */
  endOf(place: number): number {
    return Math.abs(this.numbers[place * this.stride + 1])
  }

  isUnspent(place: number): boolean {
    return this.numbers[place * this.stride + 1] > 0
  }

  recordsOf(place: number): unknown {
    return this.#records?.[place]
  }

  /** Adds a row with a new fingerprint. `spent`: nothing remains of its quota. */
  add(high: number, low: number, cells: Row, ends: number, spent: boolean, records: unknown): void {
    const place = this.size
    if (place * this.stride === this.numbers.length) this.#resize(capacityFor(place + 1))
    this.size++
    if (!spent) this.unspent++
    this.integers[2 * place * this.stride] = high
    this.integers[2 * place * this.stride + 1] = low
    this.#fill(place, cells, ends, spent, records)
    this.#point(place)
  }

  /** Overwrites a row, and returns the change in the number of unspent rows: 1, 0 or -1. */
  write(place: number, cells: Row, ends: number, spent: boolean, records: unknown): number {
    const change = (spent ? 0 : 1) - (this.isUnspent(place) ? 1 : 0)
    this.unspent += change
    this.#fill(place, cells, ends, spent, records)
    return change
  }

  /** Removes a row. The last row moves to its place. */
  remove(place: number): void {
    const last = this.size - 1
    if (this.isUnspent(place)) this.unspent--
    this.#unpoint(place)
    if (place !== last) {
      this.index[this.#slotOf(last)] = place + 1
      this.numbers.copyWithin(place * this.stride, last * this.stride, (last + 1) * this.stride)
    }
    this.size--
    if (this.#records === undefined) return
    this.#records[place] = this.#records[last]
    this.#records.length = last
  }

  /** Removes the rows that have expired at this moment, frees memory that is no longer needed, and returns the number of removed rows. */
  sweep(moment: number): number {
    const before = this.size
    this.earliest = Infinity
    for (let place = before - 1; place >= 0; place--) {
      const ends = this.endOf(place)
      if (ends <= moment) this.remove(place)
      else if (ends < this.earliest) this.earliest = ends
    }
    if (this.numbers.length > 2 * capacityFor(this.size) * this.stride)
      this.#resize(capacityFor(this.size))
    return before - this.size
  }

  /** Adds the rows of another segment: all, or those whose fingerprints have this bit after the bits that they have in common. */
  adopt(other: Segment, bit?: 0 | 1): void {
    const stride = this.stride
    for (let place = 0; place < other.size; place++) {
      const high = other.integers[2 * place * stride]
      if (bit === undefined || bit === ((high >>> (31 - other.depth)) & 1)) this.#copy(other, place)
    }
  }

  /** Adds a row of another segment. */
  #copy(other: Segment, from: number): void {
    const stride = this.stride
    const place = this.size++
    if (place * stride === this.numbers.length) this.#resize(capacityFor(place + 1))
    // Copied as integers: the bits of a fingerprint can be those of a NaN, and a copied NaN can have other bits.
    for (let i = 0; i < 2 * stride; i++) {
      this.integers[2 * place * stride + i] = other.integers[2 * from * stride + i]
    }
    if (this.isUnspent(place)) this.unspent++
    this.earliest = Math.min(this.earliest, this.endOf(place))
    if (this.#records !== undefined) this.#records[place] = other.recordsOf(from)
    this.#point(place)
  }

  #fill(place: number, cells: Row, ends: number, spent: boolean, records: unknown): void {
    const numbers = this.numbers
    const width = this.#width
    const at = place * this.stride + HEAD
    // An end is never 0, so a negative sign can mark a spent row.
    numbers[at - 1] = spent ? -ends : ends
    for (let i = 0; i < width; i++) numbers[at + i] = cells[i]
    if (ends < this.earliest) this.earliest = ends
    if (this.#records !== undefined) this.#records[place] = records
  }

  #resize(rows: number): void {
    const numbers = new Float64Array(rows * this.stride)
    numbers.set(this.numbers.subarray(0, this.size * this.stride))
    this.numbers = numbers
    this.integers = new Int32Array(numbers.buffer)
    // At least a third of the slots stays empty, so that probing takes few steps.
    const slots = 2 ** Math.ceil(Math.log2(rows * 1.5))
    if (slots === this.index.length) return
    this.index = new Uint16Array(slots)
    for (let place = 0; place < this.size; place++) this.#point(place)
  }

  #lowOf(place: number): number {
    return this.integers[2 * place * this.stride + 1]
  }

  #point(place: number): void {
    const index = this.index
    const mask = index.length - 1
    let slot = this.#lowOf(place) & mask
    while (index[slot] !== 0) slot = (slot + 1) & mask
    index[slot] = place + 1
  }

  #slotOf(place: number): number {
    const mask = this.index.length - 1
    let slot = this.#lowOf(place) & mask
    while (this.index[slot] !== place + 1) slot = (slot + 1) & mask
    return slot
  }

  /** Knuth, The Art of Computer Programming, vol. 3, 6.4, algorithm R. It needs no tombstones, which would make the index slower over time. */
  #unpoint(place: number): void {
    const index = this.index
    const mask = index.length - 1
    let hole = this.#slotOf(place)
    for (let next = (hole + 1) & mask; index[next] !== 0; next = (next + 1) & mask) {
      const home = this.#lowOf(index[next] - 1) & mask
      if (((next - home) & mask) >= ((next - hole) & mask)) {
        index[hole] = index[next]
        hole = next
      }
    }
    index[hole] = 0
  }
}

/** A quarter more than the rows: growth by single rows then copies each row only a few times, and little memory is unused. */
function capacityFor(rows: number): number {
  return Math.min(mostRows, Math.max(8, Math.ceil(rows * 1.25)))
}

import type { Row } from '../../algorithms/algorithm.js'
import { mostRows, Segment } from './segment.js'

/**
 * Rows of one width, in segments. The leading bits of a fingerprint determine the segment. A full segment is split into two, and two nearly empty
 * segments are merged, so the table grows and shrinks by a thousand rows at a time and is never copied as a whole. There is no object for each key, so
 * a million keys add no work for the garbage collector.
 *
 * Source: Fagin, Nievergelt, Pippenger and Strong, "Extendible hashing" (1979).
 */
export class Table {
  size = 0
  /** The number of rows whose quota is not spent. */
  unspent = 0
  /** The number of operations that may have moved a row to another place or segment. */
  moves = 0
  readonly #width: number
  readonly #hasRecords: boolean
  /** The segment for each value of the `#depth` leading bits. A segment of smaller depth occurs several times. */
  #directory: Segment[]
  #depth = 0
  /** The position in the directory of the next segment to sweep, or to search for a row to evict. */
  #hand = 0

  constructor(width: number, hasRecords: boolean) {
    this.#width = width
    this.#hasRecords = hasRecords
    this.#directory = [new Segment(0, width, hasRecords, 0)]
  }

  /** The segment that contains the row of a fingerprint, if there is one. */
  segmentOf(high: number): Segment {
    // Two shifts, because JavaScript treats a shift by 32 as a shift by 0.
    return this.#directory[(high >>> 1) >>> (31 - this.#depth)]
  }

  /** A copy of the row of a fingerprint, if there is one. */
  read(high: number, low: number): Row | undefined {
    const segment = this.segmentOf(high)
    const place = segment.find(high, low)
    return place === -1 ? undefined : segment.read(place, 0)
  }

  removeKey(high: number, low: number): void {
    const segment = this.segmentOf(high)
    const place = segment.find(high, low)
    if (place !== -1) this.remove(segment, place)
  }

  add(high: number, low: number, row: Row, ends: number, spent: boolean, records: unknown): void {
    let segment = this.segmentOf(high)
    while (segment.size >= mostRows) {
      this.#split(segment, high)
      segment = this.segmentOf(high)
    }
    segment.add(high, low, row, ends, spent, records)
    this.size++
    if (!spent) this.unspent++
    this.moves++
  }

  write(
    segment: Segment,
    place: number,
    row: Row,
    ends: number,
    spent: boolean,
    records: unknown,
  ): void {
    this.unspent += segment.write(place, row, ends, spent, records)
  }

  remove(segment: Segment, place: number): void {
    this.unspent -= segment.unspent
    segment.remove(place)
    this.unspent += segment.unspent
    this.size--
    this.moves++
  }

  /** Removes the rows of the next segment that have expired at this moment, and returns their number. */
  sweepNext(moment: number): number {
    const at = this.#advance()
    const segment = this.#directory[at]
    const { size, unspent } = segment
    if (segment.earliest <= moment) segment.sweep(moment)
    this.size -= size - segment.size
    this.unspent -= unspent - segment.unspent
    this.moves++
    this.#merge(at)
    return size - segment.size
  }

  /**
   * Evicts a row whose quota is not spent, if possible from the segment to which a row with this fingerprint will be added: so segments keep their sizes,
   * no matter how many rows are added and evicted. False if all rows are spent.
   */
  evictUnspent(high: number): boolean {
    if (this.unspent === 0) return false
    let segment = this.segmentOf(high)
    while (segment.unspent === 0) segment = this.#next()
    let place = this.moves % segment.size
    while (!segment.isUnspent(place)) place = (place + 1) % segment.size
    this.remove(segment, place)
    return true
  }

  /** The row that expires first in the segment of this fingerprint, or in the next segment that has rows. */
  soonestToEnd(high: number): {
    readonly segment: Segment
    readonly place: number
    readonly ends: number
  } {
    let segment = this.segmentOf(high)
    while (segment.size === 0) segment = this.#next()
    let soonest = 0
    for (let place = 1; place < segment.size; place++) {
      if (segment.endOf(place) < segment.endOf(soonest)) soonest = place
    }
    return { segment, place: soonest, ends: segment.endOf(soonest) }
  }

  #next(): Segment {
    return this.#directory[this.#advance()]
  }

  /** Advances to the next segment, and returns the first position of the previous one in the directory. */
  #advance(): number {
    const span = this.#spanOf(this.#directory[this.#hand])
    const at = this.#hand - (this.#hand % span)
    this.#hand = (at + span) % this.#directory.length
    return at
  }

  /** The number of positions that a segment has in the directory. */
  #spanOf({ depth }: Segment): number {
    return 1 << (this.#depth - depth)
  }

  #split(segment: Segment, high: number): void {
    if (segment.depth === this.#depth) this.#double()
    const span = this.#spanOf(segment)
    const at = (high >>> 1) >>> (31 - this.#depth)
    const first = at - (at % span)
    for (const bit of [0, 1] as const) {
      const half = this.#segment(segment.depth + 1, segment.size / 2)
      half.adopt(segment, bit)
      const from = first + (bit * span) / 2
      this.#directory.fill(half, from, from + span / 2)
    }
  }

  #double(): void {
    const doubled: Segment[] = []
    for (const segment of this.#directory) doubled.push(segment, segment)
    this.#directory = doubled
    this.#depth++
    this.#hand *= 2
  }

  /** Merges neighbouring segments while both together have so few rows that the result will not soon be split again. */
  #merge(at: number): void {
    const segment = this.#directory[at]
    if (segment.depth === 0) return
    const span = this.#spanOf(segment)
    const neighbour = this.#directory[at ^ span]
    const rows = segment.size + neighbour.size
    if (neighbour.depth !== segment.depth || rows > mostRows / 4) return
    const both = this.#segment(segment.depth - 1, rows)
    both.adopt(segment)
    both.adopt(neighbour)
    const first = at - (at % (2 * span))
    this.#directory.fill(both, first, first + 2 * span)
    this.#merge(first)
  }

  #segment(depth: number, rows: number): Segment {
    return new Segment(depth, this.#width, this.#hasRecords, rows)
  }
}

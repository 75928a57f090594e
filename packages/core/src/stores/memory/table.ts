import type { Row } from '../../algorithms/algorithm.js'
import { copyOf, mostRows, Segment } from './segment.js'

/**
 * Rows of one width, in segments: the leading bits of a fingerprint say in which. A segment that is full is split in two, and two that are
 * nearly empty become one, so the table grows and shrinks a thousand rows at a time and never has to be copied as a whole. There is no
 * object for a key, so a million keys cost the garbage collector nothing.
 *
 * Source: Fagin, Nievergelt, Pippenger and Strong, "Extendible hashing" (1979).
 */
export class Table {
  size = 0
  /** How many rows have quota left to spend. */
  unspent = 0
  /** Counts what may have given a row another number or another segment. */
  moves = 0
  readonly #width: number
  readonly #bodied: boolean
  readonly #zeros: Float64Array
  /** The segment of each number that `#depth` bits can be. One of less depth stands there more than once. */
  #directory: Segment[]
  #depth = 0
  /** Where in the directory those go on who look at one segment after another. */
  #hand = 0

  constructor(width: number, bodied: boolean) {
    this.#width = width
    this.#bodied = bodied
    this.#zeros = new Float64Array(width)
    this.#directory = [new Segment(0, width, bodied, 0)]
  }

  /** Where the row of a fingerprint is, if it is there. */
  segmentOf(high: number): Segment {
    // In two steps, because a shift by 32 is none.
    return this.#directory[(high >>> 1) >>> (31 - this.#depth)]
  }

  /** The row of a key that was never seen. */
  blank(views: number): Row {
    return copyOf(this.#zeros, 0, this.#width, views)
  }

  add(high: number, low: number, row: Row, ends: number, spent: boolean, body: unknown): void {
    let segment = this.segmentOf(high)
    while (segment.size >= mostRows) {
      this.#split(segment, high)
      segment = this.segmentOf(high)
    }
    segment.add(high, low, row, ends, spent, body)
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
    body: unknown,
  ): void {
    this.unspent += segment.write(place, row, ends, spent, body)
  }

  remove(segment: Segment, place: number): void {
    this.unspent -= segment.unspent
    segment.remove(place)
    this.unspent += segment.unspent
    this.size--
    this.moves++
  }

  /** Removes what ends by that moment from the next segment, and tells how many rows that were. */
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
   * Removes a row that has quota to spend, if it can be from where a row of this fingerprint is to be added: so segments keep their sizes, however
   * many rows come and go. False where none has.
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

  /** Of the rows around this fingerprint, the one that ends first. */
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

  /** Moves the hand on by one segment, and tells where in the directory the segment that it leaves begins. */
  #advance(): number {
    const span = this.#spanOf(this.#directory[this.#hand])
    const at = this.#hand - (this.#hand % span)
    this.#hand = (at + span) % this.#directory.length
    return at
  }

  /** How often a segment stands in the directory. */
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

  /** Makes one segment of two neighbours, as long as there are so few rows in both that it will not soon be split again. */
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
    return new Segment(depth, this.#width, this.#bodied, rows)
  }
}

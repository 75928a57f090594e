import { chunkOf, Corrections } from './corrections.js'

/**
 * Running totals are counted modulo this. Only differences of them matter, and no two records that are kept at the same time
 * are that many units apart.
 */
export const totals: number = 2 ** 32

/**
 * The records of one key, in the order of their moments: when something was taken, and the running total after it. A record has a
 * position, one more than that of the record before.
 *
 * They lie in a ring of numbers, two for each record. It grows by a quarter, so that with eight bytes for a record no more than ten
 * are spent on it, and gives room back when about half of it is idle.
 */
export class Log {
  #ring: Ring = nothing
  /** What the ring's moments are counted from. */
  #origin = 0
  /** The position of the oldest record, and its place in the ring. */
  #first = 0
  #head = 0
  #length = 0
  #corrections: Corrections | undefined

  timeAt(position: number): number {
    return this.#origin + this.#ring[this.#place(position)]
  }

  totalAt(position: number): number {
    return this.#ring[this.#place(position) + 1]
  }

  /** Writes a record anew, or the one that follows the newest. */
  put(position: number, time: number, total: number): void {
    if (position === this.#first + this.#length) {
      const capacity = this.#ring.length / 2
      if (this.#length === capacity) this.#move(roomFor(this.#length), time)
      else if (time - this.#origin >= span && this.#ring instanceof Uint32Array) {
        this.#move(capacity, time)
      }
      this.#length++
    }
    const place = this.#place(position)
    this.#ring[place] = time - this.#origin
    this.#ring[place + 1] = total
  }

  /** Forgets the records before a position. */
  drop(position: number): void {
    const dropped = position - this.#first
    if (dropped === 0) return
    this.#head = (this.#head + dropped) % (this.#ring.length / 2)
    this.#first = position
    this.#length -= dropped
    this.#corrections?.drop(chunkOf(position))
    this.#giveBack()
  }

  /** Forgets the records after a position. */
  cut(position: number): void {
    this.#length = position - this.#first + 1
    this.#giveBack()
  }

  /** Records that the totals of all chunks after this one include so many units too many. */
  correct(chunk: number, units: number): void {
    this.#corrections ??= new Corrections(chunkOf(this.#first))
    this.#corrections.add(chunk, units)
  }

  /** The units that the total at one position includes too many, compared with the total at an earlier one. */
  excess(from: number, to: number): number {
    return this.#corrections?.between(chunkOf(from), chunkOf(to)) ?? 0
  }

  clear(): void {
    this.#corrections = undefined
    this.#ring = nothing
    this.#first = 0
    this.#head = 0
    this.#length = 0
  }

  #place(position: number): number {
    const place = this.#head + position - this.#first
    const capacity = this.#ring.length / 2
    return 2 * (place < capacity ? place : place - capacity)
  }

  #giveBack(): void {
    const capacity = roomFor(this.#length)
    if (this.#length > 0 && this.#ring.length > 3 * capacity) {
      this.#move(capacity, this.timeAt(this.#first + this.#length - 1))
    }
  }

  /** Lays the records out in a new ring that can hold moments up to `newest`. */
  #move(capacity: number, newest: number): void {
    const origin = this.#length > 0 ? this.timeAt(this.#first) : newest
    const ring = ringOf(capacity, newest - origin >= span)
    for (let i = 0; i < this.#length; i++) {
      const place = this.#place(this.#first + i)
      ring[2 * i] = this.#ring[place] + (this.#origin - origin)
      ring[2 * i + 1] = this.#ring[place + 1]
    }
    this.#ring = ring
    this.#origin = origin
    this.#head = 0
  }
}

type Ring = number[] | Uint32Array | Float64Array

/** How far apart, in milliseconds, moments in 32 bits can be: seven weeks. */
const span = 2 ** 32

/** Up to here a plain array is smaller: a typed one costs two hundred bytes before it holds anything. */
const few = 16

const nothing: Ring = []

function ringOf(capacity: number, wide: boolean): Ring {
  if (capacity <= few) return Array.from({ length: 2 * capacity }, () => 0)
  return wide ? new Float64Array(2 * capacity) : new Uint32Array(2 * capacity)
}

function roomFor(length: number): number {
  return length + Math.max(2, length >> 2)
}

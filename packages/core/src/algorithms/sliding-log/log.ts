import { ByteWriter, readBytes } from '../bytes.js'

/**
 * Running totals are counted modulo this. Only their differences matter, and no two records that exist at the same time are that many units
 * apart.
 */
export const totals: number = 2 ** 32

/**
 * The records of one key, in the order of their times: when units were taken, and the running total after that. The position of a record is
 * one more than that of the record before.
 *
 * They are stored in a ring buffer of numbers, two for each record. It grows by a quarter, so that a record of eight bytes takes at most ten,
 * and it shrinks when about half of it is unused.
 */
export class Log {
  #ring: Ring = nothing
  /** The times in the ring are relative to this one. */
  #origin = 0
  /** The position of the oldest record, and its index in the ring, counted in records. */
  #first = 0
  #head = 0
  #length = 0

  timeAt(position: number): number {
    return this.#origin + this.#ring[this.#indexOf(position)]
  }

  totalAt(position: number): number {
    return this.#ring[this.#indexOf(position) + 1]
  }

  /** Overwrites a record, or adds one after the newest. */
  put(position: number, time: number, total: number): void {
    if (position === this.#first + this.#length) {
      const isFull = this.#length === this.#ring.length / 2
      const fits = time - this.#origin < span || !(this.#ring instanceof Uint32Array)
      if (isFull || !fits) this.#resize(time)
      this.#length++
    }
    const index = this.#indexOf(position)
    this.#ring[index] = time - this.#origin
    this.#ring[index + 1] = total
  }

  /** Removes the records before a position. */
  drop(position: number): void {
    const dropped = position - this.#first
    if (dropped === 0) return
    this.#head = (this.#head + dropped) % (this.#ring.length / 2)
    this.#first = position
    this.#length -= dropped
    this.#shrink()
  }

  /** Removes the records after a position. */
  cut(position: number): void {
    this.#length = position - this.#first + 1
    this.#shrink()
  }

  clear(): void {
    this.#ring = nothing
    this.#first = 0
    this.#head = 0
    this.#length = 0
  }

  /** The records as bytes: the first position, time and total, then for each further record the time and the units since the one before. */
  pack(): Uint8Array {
    const writer = new ByteWriter()
    writer.number(this.#first)
    writer.number(this.#length)
    let [time, total] = [0, 0]
    for (let i = this.#first; i < this.#first + this.#length; i++) {
      const [ownTime, ownTotal] = [this.timeAt(i), this.totalAt(i)]
      writer.number(ownTime - time)
      writer.number((ownTotal - total) >>> 0)
      time = ownTime
      total = ownTotal
    }
    return writer.written
  }

  /** The records of these bytes. Undefined if they are not `length` records that begin at a position and end at a time. */
  static unpack(bytes: Uint8Array, first: number, length: number, newest: number): Log | undefined {
    return readBytes(bytes, (reader) => {
      if (reader.number() !== first || reader.number() !== length || length === 0) return undefined
      const log = new Log()
      log.#first = first
      let [time, total] = [0, 0]
      for (let i = first; i < first + length; i++) {
        time += reader.number()
        total = (total + reader.number()) % totals
        log.put(i, time, total)
      }
      return time === newest ? log : undefined
    })
  }

  #indexOf(position: number): number {
    const index = this.#head + position - this.#first
    const capacity = this.#ring.length / 2
    return 2 * (index < capacity ? index : index - capacity)
  }

  #shrink(): void {
    if (this.#length > 0 && this.#ring.length > 3 * capacityFor(this.#length)) {
      this.#resize(this.timeAt(this.#first + this.#length - 1))
    }
  }

  /** Copies the records to a new ring, which has a place for another one and can store times up to `newest`. */
  #resize(newest: number): void {
    const origin = this.#length > 0 ? this.timeAt(this.#first) : newest
    const ring = ringOf(capacityFor(this.#length), newest - origin < span)
    for (let i = 0; i < this.#length; i++) {
      const index = this.#indexOf(this.#first + i)
      ring[2 * i] = this.#ring[index] + (this.#origin - origin)
      ring[2 * i + 1] = this.#ring[index + 1]
    }
    this.#ring = ring
    this.#origin = origin
    this.#head = 0
  }
}

type Ring = number[] | Uint32Array

/** The milliseconds that fit into 32 bits: seven weeks. */
const span = 2 ** 32

/** Up to this many records a plain array is smaller: an empty typed array already takes two hundred bytes. */
const few = 16

const nothing: Ring = []

function ringOf(capacity: number, isNarrow: boolean): Ring {
  if (capacity > few && isNarrow) return new Uint32Array(2 * capacity)
  return Array.from({ length: 2 * capacity }, () => 0)
}

function capacityFor(length: number): number {
  return length + Math.max(2, length >> 2)
}

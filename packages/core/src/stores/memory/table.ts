import type { Row } from '../../algorithms/algorithm.js'

/**
 * Rows of one width in typed arrays, found by a fingerprint of 64 bits: open addressing with linear probing. There is no object
 * for a key, so a hundred thousand keys cost the garbage collector nothing.
 */
export interface Table {
  readonly size: number
  /** How many places there are, taken or free. */
  readonly places: number
  /** The place of a fingerprint, or -1. */
  find(high: number, low: number): number
  /** The row of a key that was never seen. */
  blank(): Row
  /** Reads the row at a place. */
  read(place: number): Row
  /** Writes a row, making a place for it if it has none. `spent`: nothing remains of its quota. */
  write(high: number, low: number, row: Row, ends: number, spent: boolean, body: unknown): void
  /** The body beside the row at a place. */
  bodyAt(place: number): unknown
  /** Empties a place. What was probed past it moves up, so any place known before is stale. */
  remove(place: number): void
  /** When the row at a place ends; 0 if the place is free. */
  endsAt(place: number): number
  /** The next place from there on, round the end, whose row has quota to spend; -1 where none has. */
  nextUnspent(from: number): number
}

const FREE = 0
const UNSPENT = 1
const SPENT = 2

const smallest = 16

export function createTable(width: number, bodied = false): Table {
  let places = smallest
  let size = 0
  let unspent = 0
  let highs = new Int32Array(places)
  let lows = new Int32Array(places)
  let ends = new Float64Array(places)
  let states = new Uint8Array(places)
  let cells = new Float64Array(places * width)
  let bodies: unknown[] = []

  function find(high: number, low: number): number {
    const mask = places - 1
    for (let place = low & mask; ends[place] !== 0; place = (place + 1) & mask) {
      if (lows[place] === low && highs[place] === high) return place
    }
    return -1
  }

  function freePlace(low: number): number {
    const mask = places - 1
    let place = low & mask
    while (ends[place] !== 0) place = (place + 1) & mask
    return place
  }

  function move(from: number, to: number): void {
    highs[to] = highs[from]
    lows[to] = lows[from]
    ends[to] = ends[from]
    states[to] = states[from]
    cells.copyWithin(to * width, from * width, (from + 1) * width)
    if (bodied) bodies[to] = bodies[from]
  }

  function grow(): void {
    const old = { places, highs, lows, ends, states, cells, bodies }
    places *= 2
    highs = new Int32Array(places)
    lows = new Int32Array(places)
    ends = new Float64Array(places)
    states = new Uint8Array(places)
    cells = new Float64Array(places * width)
    bodies = []
    for (let from = 0; from < old.places; from++) {
      if (old.ends[from] === 0) continue
      const to = freePlace(old.lows[from])
      highs[to] = old.highs[from]
      lows[to] = old.lows[from]
      ends[to] = old.ends[from]
      states[to] = old.states[from]
      for (let i = 0; i < width; i++) cells[to * width + i] = old.cells[from * width + i]
      if (bodied) bodies[to] = old.bodies[from]
    }
  }

  return {
    get size() {
      return size
    },
    get places() {
      return places
    },
    find,
    blank: () => Array.from({ length: width }, () => 0),

    read(place) {
      const row: Row = []
      for (let i = place * width; i < (place + 1) * width; i++) row.push(cells[i])
      return row
    },

    write(high, low, row, until, spent, body) {
      let place = find(high, low)
      if (place === -1) {
        // Probing stays short while a third of the places is free.
        if (size * 3 >= places * 2) grow()
        place = freePlace(low)
        highs[place] = high
        lows[place] = low
        size++
      }
      ends[place] = until
      if (states[place] === UNSPENT) unspent--
      if (!spent) unspent++
      states[place] = spent ? SPENT : UNSPENT
      for (let i = 0; i < width; i++) cells[place * width + i] = row[i]
      if (bodied) bodies[place] = body
    },

    remove(place) {
      if (states[place] === UNSPENT) unspent--
      const mask = places - 1
      let hole = place
      // Knuth, The Art of Computer Programming, vol. 3, 6.4, algorithm R: no tombstones, so a table never degrades.
      for (let next = (hole + 1) & mask; ends[next] !== 0; next = (next + 1) & mask) {
        const home = lows[next] & mask
        if (((next - home) & mask) >= ((next - hole) & mask)) {
          move(next, hole)
          hole = next
        }
      }
      ends[hole] = 0
      states[hole] = FREE
      if (bodied) bodies[hole] = undefined
      size--
    },

    bodyAt: (place) => bodies[place],
    endsAt: (place) => ends[place],

    nextUnspent(from) {
      if (unspent === 0) return -1
      const place = states.indexOf(UNSPENT, from)
      return place === -1 && from > 0 ? states.indexOf(UNSPENT) : place
    },
  }
}

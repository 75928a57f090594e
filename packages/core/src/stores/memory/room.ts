import { createTable, type Table } from './table.js'

/** The tables of one store, one for each shape of row, and the rule by which they stay within `maxKeys` rows together. */
export interface Room {
  tableOf(width: number, bodied: boolean): Table
  /** The rows of blocks, apart from all others: while it is empty, nobody needs to look. */
  readonly blocks: Table
  /** Called before a row is added to `table`: clears away what has ended, and where all is full, lets one row go. */
  makeRoom(table: Table, now: number): void
  readonly size: number
  /** How many rows were let go although their quota was spent: the counts that a flood could push out. */
  readonly evicted: number
}

/** Rows stay this long after their end, so that a clock which steps back by less still finds them. */
const graceMs = 1000

/** Adding a row pays for a look at so many places. */
const placesPerRow = 16

/** Where all rows are spent, one of so many places goes. */
const placesLookedAt = 256

export function createRoom(maxKeys: number): Room {
  const blocks = createTable(2)
  const tables: Table[] = [blocks]
  const byShape = new Map<string, Table>()
  const hands = new Map<Table, number>()
  let evicted = 0
  let rowsSinceSweep = Infinity

  function size(): number {
    let sum = 0
    for (const table of tables) sum += table.size
    return sum
  }

  /** Moves a table's hand on by at most `count` places, and removes what has ended before `before`. */
  function advance(table: Table, count: number, before: number): void {
    let hand = hands.get(table) ?? 0
    for (let i = 0; i < count; i++) {
      hand = hand + 1 < table.places ? hand + 1 : 0
      removeEnded(table, hand, before)
    }
    hands.set(table, hand)
  }

  function sweepAll(now: number): void {
    for (const table of tables) {
      for (let place = table.places - 1; place >= 0; place--) removeEnded(table, place, now)
    }
  }

  /** Lets go of the next row that still has quota to spend: its owner loses nothing but an earlier count. */
  function evictUnspent(table: Table): boolean {
    const hand = hands.get(table) ?? 0
    const place = table.nextUnspent(hand + 1)
    if (place === -1) return false
    hands.set(table, place)
    table.remove(place)
    return true
  }

  /** Of the rows at the next places: to look at all of them for each new key would be a way to hold the process up. */
  function evictSoonestToEnd(): void {
    let soonest = Infinity
    let where: Table | undefined
    let at = -1
    for (const table of tables) {
      const hand = hands.get(table) ?? 0
      const looked = Math.min(table.places, placesLookedAt)
      for (let i = 1; i <= looked; i++) {
        const place = (hand + i) % table.places
        const ends = table.endsAt(place)
        if (ends === 0 || ends >= soonest) continue
        soonest = ends
        where = table
        at = place
      }
      hands.set(table, (hand + looked) % table.places)
    }
    if (where === undefined) return
    where.remove(at)
    evicted++
  }

  return {
    blocks,

    tableOf(width, bodied) {
      const shape = `${width} ${bodied}`
      let table = byShape.get(shape)
      if (table === undefined) {
        table = createTable(width, bodied)
        byShape.set(shape, table)
        tables.push(table)
      }
      return table
    },

    makeRoom(table, now) {
      rowsSinceSweep++
      if (size() < maxKeys) {
        advance(table, 2, now - graceMs)
        return
      }
      // A sweep over everything, but never so often that adding a row costs more than `placesPerRow` places.
      if (rowsSinceSweep * placesPerRow >= maxKeys) {
        rowsSinceSweep = 0
        sweepAll(now)
        if (size() < maxKeys) return
      }
      if (evictUnspent(table)) return
      if (tables.some((other) => other !== table && evictUnspent(other))) return
      evictSoonestToEnd()
    },

    get size() {
      return size()
    },
    get evicted() {
      return evicted
    },
  }
}

function removeEnded(table: Table, place: number, before: number): void {
  const ends = table.endsAt(place)
  if (ends !== 0 && ends <= before) table.remove(place)
}

import { Table } from './table.js'

/** The tables of one store, one for each shape of row, and the rule by which they stay within `maxKeys` rows together. */
export interface Room {
  tableOf(width: number, bodied: boolean): Table
  /** The rows of blocks, apart from all others: while it is empty, nobody needs to look. */
  readonly blocks: Table
  /** Clears away what has ended, a little further at each call. */
  tidy(now: number): void
  /** Called before a row is added to `table`: where all is full, lets one row go. */
  makeRoom(table: Table, now: number): void
  size(): number
  /** How many rows were let go although their quota was spent: the counts that a flood could push out. */
  evicted(): number
}

/** Rows stay this long after their end, so that a clock which steps back by less still finds them. */
const graceMs = 1000

/** Where all is full, adding a row pays for a look at so many segments of each table, whether any of their rows has ended. */
const segmentsPerRow = 16

export function createRoom(maxKeys: number): Room {
  const blocks = new Table(2, false)
  const tables: Table[] = [blocks]
  const byShape = new Map<string, Table>()
  let evicted = 0
  let turn = 0

  function size(): number {
    let sum = 0
    for (const table of tables) sum += table.size
    return sum
  }

  function sweep(now: number): boolean {
    for (let i = 0; i < segmentsPerRow; i++) {
      for (const table of tables) if (table.sweepNext(now) > 0) return true
    }
    return false
  }

  /** Of some rows of each table: to look at all of them for each new key would be a way to hold the process up. */
  function evictSoonestToEnd(): void {
    const filled = tables.filter((table) => table.size > 0)
    const [first, ...others] = filled.map((table) => ({ table, row: table.soonestToEnd() }))
    const { table, row } = others.reduce((a, b) => (b.row.ends < a.row.ends ? b : a), first)
    table.remove(row.segment, row.place)
    evicted++
  }

  return {
    blocks,

    tableOf(width, bodied) {
      const shape = `${width} ${bodied}`
      let table = byShape.get(shape)
      if (table === undefined) {
        table = new Table(width, bodied)
        byShape.set(shape, table)
        tables.push(table)
      }
      return table
    },

    tidy(now) {
      tables[turn++ % tables.length].sweepNext(now - graceMs)
    },

    makeRoom(table, now) {
      if (size() < maxKeys || sweep(now) || table.evictUnspent()) return
      if (!tables.some((other) => other.evictUnspent())) evictSoonestToEnd()
    },

    size,
    evicted: () => evicted,
  }
}

import { Table } from './table.js'

/** Rows are kept this long after they expire, so that a clock which steps back by less still finds them. */
const graceMs = 1000

/** Where all is full, adding a row pays for a look at so many segments of each table, whether any of their rows has ended. */
const segmentsPerRow = 16

/** The tables of one store, one for each shape of row, and the rule by which they stay within `maxKeys` rows together. */
export class BoundedTables {
  /** The rows of blocks, apart from all others: while it is empty, nobody needs to look. */
  readonly blocks: Table = new Table(2, false)
  /** The rows of resets. */
  readonly resets: Table = new Table(2, false)
  /** How many rows were let go although their quota was spent: the counts that a flood could push out. */
  evicted = 0
  readonly #maxKeys: number
  readonly #tables: Table[] = [this.blocks, this.resets]
  readonly #byShape = new Map<string, Table>()
  #turn = 0

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  get size(): number {
    const tables = this.#tables
    let sum = 0
    for (let i = 0; i < tables.length; i++) sum += tables[i].size
    return sum
  }

  tableOf(width: number, bodied: boolean): Table {
    const shape = `${width} ${bodied}`
    let table = this.#byShape.get(shape)
    if (table === undefined) {
      table = new Table(width, bodied)
      this.#byShape.set(shape, table)
      this.#tables.push(table)
    }
    return table
  }

  /** Clears away what has ended, a little further at each call. */
  sweepSome(now: number): void {
    this.#tables[this.#turn++ % this.#tables.length].sweepNext(now - graceMs)
  }

  /** Called before a row of this fingerprint is added to `table`: where all is full, lets one row go. */
  evictIfFull(table: Table, high: number, now: number): void {
    if (this.size < this.#maxKeys || this.#sweep(now) || table.evictUnspent(high)) return
    if (!this.#tables.some((other) => other.evictUnspent(high))) this.#evictSoonestToEnd(high)
  }

  #sweep(now: number): boolean {
    for (let i = 0; i < segmentsPerRow; i++) {
      for (const table of this.#tables) if (table.sweepNext(now) > 0) return true
    }
    return false
  }

  /** Of some rows of each table: to look at all of them for each new key would be a way to hold the process up. */
  #evictSoonestToEnd(high: number): void {
    const filled = this.#tables.filter((table) => table.size > 0)
    const [first, ...others] = filled.map((table) => ({ table, row: table.soonestToEnd(high) }))
    const { table, row } = others.reduce((a, b) => (b.row.ends < a.row.ends ? b : a), first)
    table.remove(row.segment, row.place)
    this.evicted++
  }
}

import { overrideWidth } from '../override.js'
import { Table } from './table.js'

/** Rows are kept this long after they expire, so that they still count if the clock steps back by less. */
const graceMs = 1000

/** If the store is full, each added row sweeps up to this many segments of each table. */
const sweptSegmentsPerRow = 16

/** The tables of one store, one for each shape of row. Together they contain at most `maxKeys` rows. */
export class BoundedTables {
  /** The rows of blocks and exemptions. They have a table of their own, so that no request reads it while it is empty. */
  readonly overrides: Table = new Table(overrideWidth, false)
  /** The number of evicted rows whose quota was spent. A flood of other keys can cause such evictions. */
  evicted = 0
  readonly #maxKeys: number
  readonly #tables: Table[] = [this.overrides]
  readonly #byShape = new Map<string, Table>()
  #turn = 0

  constructor(maxKeys: number) {
    this.#maxKeys = maxKeys
  }

  get size(): number {
    return this.#tables.reduce((sum, { size }) => sum + size, 0)
  }

  tableOf(width: number, hasRecords: boolean): Table {
    const shape = `${width} ${hasRecords}`
    let table = this.#byShape.get(shape)
    if (table === undefined) {
      table = new Table(width, hasRecords)
      this.#byShape.set(shape, table)
      this.#tables.push(table)
    }
    return table
  }

  /** Removes the expired rows of one segment, in each call of another one. */
  sweepSome(now: number): void {
    this.#tables[this.#turn++ % this.#tables.length].sweepNext(now - graceMs)
  }

  /** Called before a row with this fingerprint is added to `table`. Evicts one row if the tables are full. */
  evictIfFull(table: Table, high: number, now: number): void {
    if (this.size < this.#maxKeys || this.#sweep(now) || table.evictUnspent(high)) return
    if (!this.#tables.some((other) => other.evictUnspent(high))) this.#evictSoonestToExpire(high)
  }

  #sweep(now: number): boolean {
    for (let i = 0; i < sweptSegmentsPerRow; i++) {
      for (const table of this.#tables) if (table.sweepNext(now) > 0) return true
    }
    return false
  }

  /** Chooses among the rows of one segment of each table. A search of all rows for each new key would let a client block the process. */
  #evictSoonestToExpire(high: number): void {
    const filled = this.#tables.filter((table) => table.size > 0)
    const [first, ...others] = filled.map((table) => ({ table, found: table.soonestToEnd(high) }))
    const { table, found } = others.reduce((a, b) => (b.found.ends < a.found.ends ? b : a), first)
    table.remove(found.segment, found.place)
    this.evicted++
  }
}

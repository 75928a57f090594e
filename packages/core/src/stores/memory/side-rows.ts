import type { Row } from '../../algorithms/algorithm.js'
import { blockForgotten } from '../block.js'
import type { SideRows } from '../cursor.js'
import { nextReset } from '../reset.js'
import type { Partition } from './partitions.js'
import type { StateTable } from './state-table.js'

const noRow: Row = [0, 0]

/** The block and the last reset of a key. They have tables of their own, because they hold for all forms of a policy's name. */
export class TableSideRows implements SideRows {
  readonly #rows: StateTable
  readonly #partition: Partition
  #keyHigh = 0
  #keyLow = 0

  constructor(rows: StateTable, partition: Partition) {
    this.#rows = rows
    this.#partition = partition
  }

  /** Chooses the key of the next calls. */
  select(keyHigh: number, keyLow: number): void {
    this.#keyHigh = keyHigh
    this.#keyLow = keyLow
  }

  get #high(): number {
    return this.#keyHigh ^ this.#partition.nameHigh
  }

  get #low(): number {
    return this.#keyLow ^ this.#partition.nameLow
  }

  get block(): Row {
    const { blocks } = this.#rows.tables
    return blocks.size === 0 ? noRow : (blocks.read(this.#high, this.#low) ?? noRow)
  }

  get reset(): Row {
    const { resets } = this.#rows.tables
    return resets.size === 0 ? noRow : (resets.read(this.#high, this.#low) ?? noRow)
  }

  saveBlock(block: Row, now: number): void {
    const rows = this.#rows
    const ends = rows.moment + blockForgotten(block) - now
    rows.put(rows.tables.blocks, this.#high, this.#low, { row: block, ends, isSpent: true })
    rows.hasSideRows = true
  }

  removeBlock(): void {
    this.#rows.tables.blocks.removeKey(this.#high, this.#low)
  }

  saveReset(now: number, ends: number): void {
    const rows = this.#rows
    const [high, low] = [this.#high, this.#low]
    let until = rows.moment + (ends - now)
    for (const form of rows.forms) {
      if (form === this.#partition.form) continue
      until = Math.max(until, form.table.endOf(high ^ form.high, low ^ form.low))
    }
    if (until <= rows.moment) return
    const { resets } = rows.tables
    const row = nextReset(this.reset, now)
    const keptUntil = Math.max(resets.endOf(high, low), until)
    rows.put(resets, high, low, { row, ends: keptUntil, isSpent: false })
    rows.hasSideRows = true
    rows.lastReset = Math.max(rows.lastReset, row[0])
  }

  removeRows(): void {
    const [high, low] = [this.#high, this.#low]
    for (const form of this.#rows.forms) form.table.removeKey(high ^ form.high, low ^ form.low)
  }
}

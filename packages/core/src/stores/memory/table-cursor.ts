import { UNTIL } from '../block.js'
import { Cursor } from '../cursor.js'
import { resetsIn } from '../reset.js'
import type { BoundPolicy } from '../store.js'
import type { Partition } from './partitions.js'
import type { Segment } from './segment.js'
import { TableSideRows } from './side-rows.js'
import type { StateTable } from './state-table.js'

/** A cursor on the tables of a memory store. Its current key is the one whose hash the store has. */
export abstract class TableCursor extends Cursor {
  protected readonly rows: StateTable
  protected readonly partition: Partition
  readonly #side: TableSideRows

  protected keyHigh = 0
  protected keyLow = 0
  /** The segment of the row, and the position of its first number there: negative if there is no row. Both are valid until the table moves rows. */
  protected segment: Segment
  protected at = -1
  /** The table's count of moves when the row was found. */
  protected moves = 0

  constructor(rows: StateTable, policy: BoundPolicy, partition: Partition) {
    super(policy)
    this.rows = rows
    this.partition = partition
    this.#side = new TableSideRows(rows, partition)
    this.row = partition.table.blank(this.views)
    this.segment = partition.table.segmentOf(0)
  }

  protected put(ends: number, isSpent: boolean, body: unknown): void {
    const { table, high, low } = this.partition
    const kept = { row: this.row, ends, isSpent, body }
    this.rows.put(table, this.keyHigh ^ high, this.keyLow ^ low, kept)
  }

  /** Finds the row of the current key. */
  protected seek(): void {
    const { table, high, low } = this.partition
    this.segment = table.segmentOf(this.keyHigh ^ high)
    this.at = this.segment.find(this.keyHigh ^ high, this.keyLow ^ low) * this.segment.stride
    this.moves = table.moves
  }

  override isKept(): boolean {
    if (this.partition.table.moves !== this.moves) this.seek()
    return this.at >= 0 && this.segment.endOf(this.at / this.segment.stride) > this.rows.moment
  }

  override save(): void {
    const { row, params, now, rows, body } = this
    const { steps } = this.policy
    const isSpent = steps.used(row, params, now) >= this.quota
    this.put(rows.moment + steps.ends(row, params) - now, isSpent, body)
  }

  /** The body of the key, if the algorithm has one. */
  protected get body(): unknown {
    return undefined
  }

  override get side(): TableSideRows {
    this.#side.select(this.keyHigh, this.keyLow)
    return this.#side
  }

  /** Loads the block and the resets of the key, and returns whether it is blocked. */
  protected isBlocked(): boolean {
    const { now, rows, side } = this
    this.blockedUntil = side.block[UNTIL]
    this.resets = now <= rows.lastReset ? resetsIn(side.reset, now) : 0
    return this.blockedUntil > now
  }
}

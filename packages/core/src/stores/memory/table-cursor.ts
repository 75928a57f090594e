import type { AlgorithmWithRecords, RequestSteps, Lease, Row } from '../../algorithms/algorithm.js'
import type { Call } from '../compiled-policies.js'
import {
  Cursor,
  LOOK,
  SETTLE,
  blockedUntilAt,
  nextReset,
  overrideEnds,
  resetsIn,
  type SideRows,
} from '../cursor.js'
import { isExempt, noLease, type BoundPolicy } from '../store.js'
import type { MemoryRows, Partition } from './memory-rows.js'
import type { Segment } from './segment.js'

/** A cursor on the tables of a memory store. Its current key is the one whose hash the store has. */
export abstract class TableCursor extends Cursor {
  protected readonly rows: MemoryRows
  protected readonly partition: Partition
  readonly #side: TableSideRows

  protected keyHigh = 0
  protected keyLow = 0
  /** The segment of the row, and the position of its first number there: negative if there is no row. Both are valid until the table moves rows. */
  protected segment: Segment
  protected at = -1
  /** The table's count of moves when the row was found. */
  protected moves = 0

  constructor(rows: MemoryRows, policy: BoundPolicy, partition: Partition) {
    super(policy)
    this.rows = rows
    this.partition = partition
    this.#side = new TableSideRows(rows, partition)
    this.row = partition.table.blank(this.extras)
    this.segment = partition.table.segmentOf(0)
  }

  protected put(ends: number, isSpent: boolean, records: unknown): void {
    const { table, high, low } = this.partition
    const kept = { row: this.row, ends, isSpent, records }
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
    const { row, params, now, rows, records } = this
    const { steps } = this.policy
    const isSpent = steps.used(row, params, now) >= this.quota
    this.put(rows.moment + steps.ends(row, params) - now, isSpent, records)
  }

  /** The records of the key, if the algorithm has any. */
  protected get records(): unknown {
    return undefined
  }

  override get side(): TableSideRows {
    this.#side.select(this.keyHigh, this.keyLow)
    return this.#side
  }

  /** Loads the override and the resets of the key, and returns whether it is allowed: an exemption allows any cost, a block none. */
  protected overrule(fits: boolean): boolean {
    const { now, rows, side } = this
    this.blockedUntil = blockedUntilAt(side.override, now)
    this.resets = now <= rows.lastReset ? resetsIn(side.reset, now) : 0
    return isExempt(this) || (fits && this.blockedUntil <= now)
  }
}

/** The cursor of an algorithm whose state is a row and records: a log, or leases. */
export class RecordsCursor extends TableCursor {
  readonly #algorithm: AlgorithmWithRecords
  #records: unknown
  #steps: RequestSteps

  constructor(rows: MemoryRows, policy: BoundPolicy, algorithm: AlgorithmWithRecords) {
    super(rows, policy, rows.partitionOf(policy))
    this.#algorithm = algorithm
    this.#steps = algorithm.bind(algorithm.newRecords(policy.params), noLease)
  }

  override decide(phase: number, call: Call, cost: number, allowed: boolean): boolean {
    const fits = phase === SETTLE ? allowed : this.#lookWith(call.lease, cost)
    if (phase === LOOK) return fits
    if (call.verb === 'peek') this.read()
    else this.settleMore(cost, fits)
    return fits
  }

  #lookWith(lease: Lease, cost: number): boolean {
    this.keyHigh = this.rows.keyHash.high
    this.keyLow = this.rows.keyHash.low
    this.seek()
    const { partition, extras, params, rows, segment } = this
    const place = this.at < 0 ? -1 : this.at / segment.stride
    this.#records = segment.recordsOf(place) ?? this.#algorithm.newRecords(params)
    this.#steps = this.#algorithm.bind(this.#records, lease)
    this.row = place === -1 ? partition.table.blank(extras) : segment.read(place, extras)
    this.now = rows.moment
    const fits = this.#steps.look(this.row, params, this.now, cost)
    return rows.hasSideRows ? this.overrule(fits) : fits
  }

  protected override get records(): unknown {
    return this.#records
  }

  override get steps(): RequestSteps {
    return this.#steps
  }
}

/** The cursor of a policy that counts nothing: it has no row, allows everything, and changes nothing. */
export class NothingCursor extends TableCursor {
  readonly steps: RequestSteps

  constructor(rows: MemoryRows, policy: BoundPolicy, steps: RequestSteps) {
    // Without a table of its own, because the sweeps take turns among all tables.
    super(rows, policy, rows.noPartition)
    this.steps = steps
    this.row = []
    this.now = this.used = this.next = this.full = 0
  }

  override decide(_phase: number, _call: Call, _cost: number, allowed: boolean): boolean {
    return allowed
  }
}

const noRow: Row = [0, 0]

/** The override and the last reset of a key. They have tables of their own, because they hold for all forms of a policy's name. */
class TableSideRows implements SideRows {
  readonly #rows: MemoryRows
  readonly #partition: Partition
  #keyHigh = 0
  #keyLow = 0

  constructor(rows: MemoryRows, partition: Partition) {
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

  get override(): Row {
    const { overrides } = this.#rows.tables
    return overrides.size === 0 ? noRow : (overrides.read(this.#high, this.#low) ?? noRow)
  }

  get reset(): Row {
    const { moment, tables } = this.#rows
    const { resets } = tables
    // A record counts until it ends. It is removed later, because the clock can step back until then.
    if (resets.size === 0 || resets.endOf(this.#high, this.#low) <= moment) return noRow
    return resets.read(this.#high, this.#low) ?? noRow
  }

  saveOverride(override: Row, now: number): void {
    const rows = this.#rows
    const ends = rows.moment + overrideEnds(override) - now
    rows.put(rows.tables.overrides, this.#high, this.#low, { row: override, ends, isSpent: true })
    rows.hasSideRows = true
  }

  removeOverride(): void {
    this.#rows.tables.overrides.removeKey(this.#high, this.#low)
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

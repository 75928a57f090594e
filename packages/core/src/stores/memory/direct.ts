import type { Algorithm, Params, Row, SettledRow, Steps } from '../../algorithms/algorithm.js'
import type { Clock } from '../../clock.js'
import { settleBy } from '../../algorithms/reading.js'
import type { BoundPolicy, DirectConsume } from '../store.js'
import type { Partition } from './partitions.js'
import type { Segment } from './segment.js'
import type { StateTable } from './state-table.js'
import type { Table } from './table.js'

/** The direct way for these entries. Undefined if a decision can write anything but the row of an entry, or can write when it denies. */
export function directWay(
  rows: StateTable,
  wall: Clock,
  entries: readonly BoundPolicy[],
): DirectConsume | undefined {
  const states: RowState[] = []
  for (const entry of entries) {
    const { steps, params, block } = entry
    if (steps.bodied === true || steps.countsNothing || block !== undefined) return undefined
    if (steps.persistsOnDenial(params)) return undefined
    states.push(new RowState(steps, params, rows.partitionOf(entry), wall))
  }
  if (states.length === 0) return undefined
  return states.length === 1 ? new OneRow(rows, states) : new SeveralRows(rows, states)
}

/**
 * The direct way of the memory store for one entry. It runs the same steps on the same rows as the executor, without the parts that only other
 * requests need. The executor decides for a key that is blocked or was just reset.
 */
class OneRow implements DirectConsume {
  readonly states: readonly RowState[]
  readonly #state: RowState
  readonly #rows: StateTable

  constructor(rows: StateTable, states: readonly RowState[]) {
    this.states = states
    this.#state = states[0]
    this.#rows = rows
  }

  decide(key: string, cost: number): boolean | undefined {
    const state = this.#state
    const rows = this.#rows
    const now = rows.begin()
    const { high, low } = rows.hashOf(key)
    state.start(now)
    if (rows.hasMarks() && rows.isMarked(state.partition, high, low, state.now)) return undefined
    rows.sweepSome()
    const fits = state.look(high, low, cost)
    if (!state.settle(fits ? cost : 0, now)) rows.insert(state.partition, high, low, state)
    return fits
  }
}

/** The same for several entries. It looks at all rows first, and takes only if all of them allow the cost. */
class SeveralRows implements DirectConsume {
  readonly states: readonly RowState[]
  readonly #rows: StateTable

  constructor(rows: StateTable, states: readonly RowState[]) {
    this.states = states
    this.#rows = rows
  }

  decide(key: string, cost: number): boolean | undefined {
    const { states } = this
    const rows = this.#rows
    const now = rows.begin()
    const { high, low } = rows.hashOf(key)
    for (let i = 0; i < states.length; i++) states[i].start(now)
    if (rows.hasMarks() && this.#isMarked(high, low)) return undefined
    rows.sweepSome()
    let fits = true
    for (let i = 0; i < states.length; i++) {
      if (!states[i].look(high, low, cost)) fits = false
    }
    for (let i = 0; i < states.length; i++) {
      const state = states[i]
      if (!state.settle(fits ? cost : 0, now)) rows.insert(state.partition, high, low, state)
    }
    return fits
  }

  #isMarked(high: number, low: number): boolean {
    for (const { partition, now } of this.states) {
      if (this.#rows.isMarked(partition, high, low, now)) return true
    }
    return false
  }
}

/** One entry, and the row of the current key. */
class RowState implements SettledRow {
  readonly partition: Partition
  row: Row
  // Initialized with fractions, so that V8 stores these fields as doubles.
  now = 0.5
  used = 0.5
  next = 0.5
  full = 0.5
  /** The moment at which the row expires, if the decision took units. */
  ends = 0.5
  isSpent = false

  // Read from their object once, because the property lookups for each decision take longer than the steps themselves.
  readonly params: Params
  readonly #look: Steps['look']
  readonly #settle: NonNullable<Algorithm['settle']>
  readonly #quota: number
  readonly #views: number
  readonly #wall: Clock | undefined
  readonly #table: Table
  readonly #high: number
  readonly #low: number
  #segment: Segment
  #place = -1

  constructor(steps: Algorithm, params: Params, partition: Partition, wall: Clock) {
    const { table, high, low } = partition
    this.partition = partition
    this.params = params
    this.#look = steps.look
    this.#settle = steps.settle ?? settleBy(steps)
    this.#quota = steps.quota(params)
    this.#views = steps.cells(params).views ?? 0
    this.#wall = steps.followsWall(params) ? wall : undefined
    this.#table = table
    this.#high = high
    this.#low = low
    this.#segment = table.segmentOf(0)
    this.row = table.blank(this.#views)
  }

  /** Begins a decision at a moment of the monotonic clock. */
  start(moment: number): void {
    this.now = this.#wall === undefined ? moment : this.#wall()
  }

  /** Reads the row of a key, and returns whether the cost fits. The row is a new one for each decision, because the receipt contains it. */
  look(high: number, low: number, cost: number): boolean {
    const segment = this.#table.segmentOf(high ^ this.#high)
    const place = segment.find(high ^ this.#high, low ^ this.#low)
    const row = place === -1 ? this.#table.blank(this.#views) : segment.read(place, this.#views)
    this.#segment = segment
    this.#place = place
    this.row = row
    return this.#look(row, this.params, this.now, cost)
  }

  /**
   * Takes the cost if it is not 0, reads the row, and writes it if it changed. False if the table has to insert or remove the row: it is new, or has
   * expired, or the key has a row of another algorithm.
   */
  settle(cost: number, moment: number): boolean {
    this.#settle(this, cost)
    if (cost === 0) return true
    // If the entry follows the wall clock, its remaining lifetime is converted to the monotonic clock.
    const ends = moment + this.ends - this.now
    const isSpent = this.used >= this.#quota
    this.ends = ends
    this.isSpent = isSpent
    if (this.#place === -1 || ends <= moment || this.partition.otherShapes.length > 0) return false
    this.#table.write(this.#segment, this.#place, this.row, ends, isSpent, undefined)
    return true
  }
}

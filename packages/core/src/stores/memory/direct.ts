import type { Algorithm, Params, Row, SettledRow, Steps } from '../../algorithms/algorithm.js'
import type { Clock } from '../../clock.js'
import { settleBy } from '../../algorithms/reading.js'
import type { BoundPolicy, DirectConsume } from '../store.js'
import type { Partition } from './partitions.js'
import type { Segment } from './segment.js'
import type { StateTable } from './state-table.js'

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
    states.push(new RowState(steps, params, rows.partitionOf(entry)))
  }
  return states.length === 0 ? undefined : new DirectWay(rows, wall, states)
}

/**
 * The direct way of the memory store. It runs the same steps on the same rows as the executor, without the parts that only other requests need. The
 * executor decides for a key that is blocked or was just reset.
 */
class DirectWay implements DirectConsume {
  readonly states: readonly RowState[]
  readonly #rows: StateTable
  readonly #wall: Clock

  constructor(rows: StateTable, wall: Clock, states: readonly RowState[]) {
    this.states = states
    this.#rows = rows
    this.#wall = wall
  }

  decide(key: string, cost: number): boolean | undefined {
    const { states } = this
    const rows = this.#rows
    const now = rows.begin()
    const { high, low } = rows.hashOf(key)
    for (let i = 0; i < states.length; i++) {
      const state = states[i]
      state.now = state.followsWall ? this.#wall() : now
    }
    if (rows.hasMarks() && this.#isMarked(high, low)) return undefined
    rows.sweepSome()
    let fits = true
    for (let i = 0; i < states.length; i++) {
      if (!states[i].look(high, low, cost)) fits = false
    }
    for (let i = 0; i < states.length; i++) {
      const state = states[i]
      if (!fits || cost === 0) state.read()
      else if (!state.take(cost, now)) rows.insert(state.partition, high, low, state)
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

/** One entry, and the row of the current key. The array is the same for all keys. */
class RowState implements SettledRow {
  readonly partition: Partition
  readonly followsWall: boolean
  readonly row: Row
  now = 0
  used = 0
  next = 0
  full = 0
  /** The moment at which the row expires, if the decision took units. */
  ends = 0
  isSpent = false

  // Read from their object once, because the property lookups for each decision take longer than the steps themselves.
  readonly params: Params
  readonly #look: Steps['look']
  readonly #settle: NonNullable<Algorithm['settle']>
  readonly #quota: number
  #segment: Segment
  #place = -1

  constructor(steps: Algorithm, params: Params, partition: Partition) {
    const { moments, counts, views = 0 } = steps.cells(params)
    this.partition = partition
    this.followsWall = steps.followsWall(params)
    this.row = blankRow(moments + counts + views)
    this.params = params
    this.#look = steps.look
    this.#settle = steps.settle ?? settleBy(steps)
    this.#quota = steps.quota(params)
    this.#segment = partition.table.segmentOf(0)
  }

  /** Reads the row of a key, and returns whether the cost fits. */
  look(high: number, low: number, cost: number): boolean {
    const { partition, row } = this
    const segment = partition.table.segmentOf(high ^ partition.high)
    const place = segment.find(high ^ partition.high, low ^ partition.low)
    this.#segment = segment
    this.#place = place
    if (place !== -1) segment.readInto(place, row)
    else for (let i = 0; i < row.length; i++) row[i] = 0
    return this.#look(row, this.params, this.now, cost)
  }

  /** Takes the cost. Writes the row if it exists and has not expired, and returns whether it did. */
  take(cost: number, moment: number): boolean {
    const { row, now } = this
    this.#settle(this, cost)
    // If the entry follows the wall clock, its remaining lifetime is converted to the monotonic clock.
    this.ends = moment + this.ends - now
    this.isSpent = this.used >= this.#quota
    const { table, otherShapes } = this.partition
    if (this.#place === -1 || otherShapes.length > 0 || this.ends <= moment) return false
    table.write(this.#segment, this.#place, row, this.ends, this.isSpent, undefined)
    return true
  }

  read(): void {
    this.#settle(this, 0)
  }
}

/** An array that V8 stores as doubles without holes. It is filled with fractions first, because moments are not small integers. */
function blankRow(width: number): Row {
  const row: Row = []
  for (let i = 0; i < width; i++) row.push(0.5)
  return row.fill(0)
}

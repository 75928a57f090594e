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
    states.push(new RowState(steps, params, rows.partitionOf(entry), wall))
  }
  return states.length === 0 ? undefined : new DirectWay(rows, states)
}

/**
 * The direct way of the memory store. It runs the same steps on the same rows as the executor, without the parts that only other requests need. The
 * executor decides for a key that is blocked or was just reset.
 */
class DirectWay implements DirectConsume {
  readonly states: readonly RowState[]
  readonly #rows: StateTable

  constructor(rows: StateTable, states: readonly RowState[]) {
    this.states = states
    this.#rows = rows
  }

  // In one function, because V8 inlines no function of more than 460 bytes of bytecode, and at most 920 bytes into one. So this function is not inlined
  // into the limiter, and each of both has those 920 bytes for its own callees.
  decide(key: string, cost: number): boolean | undefined {
    const { states } = this
    const rows = this.#rows
    const moment = rows.begin()
    const { high, low } = rows.hashOf(key)
    for (let i = 0; i < states.length; i++) {
      const state = states[i]
      state.now = state.wall === undefined ? moment : state.wall()
    }
    if (rows.hasMarks() && this.#isMarked(high, low)) return undefined
    rows.sweepSome()
    let fits = true
    for (let i = 0; i < states.length; i++) {
      const state = states[i]
      const { partition, params, views } = state
      const { table } = partition
      const segment = table.segmentOf(high ^ partition.high)
      const place = segment.find(high ^ partition.high, low ^ partition.low)
      // A new row for each decision, because the receipt contains it.
      const row = place === -1 ? table.blank(views) : segment.read(place, views)
      state.segment = segment
      state.place = place
      state.row = row
      if (!state.look(row, params, state.now, cost)) fits = false
    }
    const taken = fits ? cost : 0
    for (let i = 0; i < states.length; i++) {
      const state = states[i]
      state.settle(state, taken)
      if (taken === 0) continue
      const { partition, segment, place, row } = state
      // If the entry follows the wall clock, its remaining lifetime is converted to the monotonic clock.
      const ends = moment + state.ends - state.now
      const isSpent = state.used >= state.quota
      if (place === -1 || ends <= moment || partition.otherShapes.length > 0) {
        rows.insert(partition, high, low, { row, ends, isSpent })
      } else {
        partition.table.write(segment, place, row, ends, isSpent, undefined)
      }
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
  // Read from the entry once, because the property lookups for each decision take longer than the steps themselves.
  readonly params: Params
  readonly look: Steps['look']
  readonly settle: NonNullable<Algorithm['settle']>
  readonly quota: number
  readonly views: number
  readonly partition: Partition
  /** The clock of the entry, if it follows the wall clock. */
  readonly wall: Clock | undefined

  row: Row
  segment: Segment
  place = -1
  // Initialized with fractions, so that V8 stores these fields as doubles.
  now = 0.5
  used = 0.5
  next = 0.5
  full = 0.5
  ends = 0.5

  constructor(steps: Algorithm, params: Params, partition: Partition, wall: Clock) {
    this.params = params
    this.look = steps.look
    this.settle = steps.settle ?? settleBy(steps)
    this.quota = steps.quota(params)
    this.views = steps.cells(params).views ?? 0
    this.partition = partition
    this.wall = steps.followsWall(params) ? wall : undefined
    this.row = partition.table.blank(this.views)
    this.segment = partition.table.segmentOf(0)
  }
}

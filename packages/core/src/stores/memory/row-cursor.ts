import {
  settleBy,
  type RowAlgorithm,
  type RequestSteps,
  type Row,
  type Steps,
} from '../../algorithms/algorithm.js'
import type { Clock } from '../../clock.js'
import type { Call } from '../compiled-policies.js'
import { LOOK, SETTLE } from '../cursor.js'
import type { BoundPolicy } from '../store.js'
import { HEAD } from './segment.js'
import type { MemoryRows } from './memory-rows.js'
import { TableCursor } from './table-cursor.js'

/** The cursor of an algorithm whose complete state is a row. */
export class RowCursor extends TableCursor {
  readonly steps: RequestSteps
  // Read from the policy once, because the property lookups for each decision take longer than the steps themselves.
  readonly #look: Steps['look']
  readonly #settle: NonNullable<RowAlgorithm['settle']>
  /** The wall clock, if the policy follows it. */
  readonly #wall: Clock | undefined
  /** Whether a decision can write more than the row of an allowed request: a block, or the first row of a bucket. */
  readonly #writesMore: boolean

  constructor(rows: MemoryRows, policy: BoundPolicy, steps: RowAlgorithm, wall: Clock | undefined) {
    super(rows, policy, rows.partitionOf(policy))
    const { params, block } = policy
    this.steps = steps
    this.#look = steps.look
    this.#settle = steps.settle ?? ((decided, cost) => settleBy(steps, decided, cost))
    this.#wall = steps.followsWall(params) ? wall : undefined
    this.#writesMore = block !== undefined || steps.persistsOnDenial(params)
  }

  // Both phases in one function, which searches and writes without calls: V8 inlines no function of more than 460 bytes of bytecode, and at most 920 bytes
  // into one, so nearly all of these 920 bytes are left for the steps of the algorithm.
  override decide(phase: number, call: Call, cost: number, allowed: boolean): boolean {
    let fits = allowed
    if (phase !== SETTLE) {
      const { high: keyHigh, low: keyLow } = this.rows.keyHash
      const { params, partition, extras } = this
      const { table } = partition
      const high = keyHigh ^ partition.high
      const low = keyLow ^ partition.low
      const segment = table.segmentOf(high)
      const { index, integers, numbers, stride } = segment
      const mask = index.length - 1
      let at = 0
      for (let slot = low & mask; ; slot = (slot + 1) & mask) {
        at = (index[slot] - 1) * stride
        if (at < 0 || (integers[2 * at] === high && integers[2 * at + 1] === low)) break
      }
      this.keyHigh = keyHigh
      this.keyLow = keyLow
      this.segment = segment
      this.at = at
      this.moves = table.moves
      const first = at + HEAD
      // A new row for each decision, because the receipt contains it. The literals are those of `copyOf`.
      let row: Row
      if (at < 0) row = table.blank(extras)
      else if (stride === 4 && extras === 0) row = [numbers[first], numbers[first + 1]]
      else if (stride === 5 && extras === 0) {
        row = [numbers[first], numbers[first + 1], numbers[first + 2]]
      } else if (stride === 8 && extras === 1) {
        row = [
          numbers[first],
          numbers[first + 1],
          numbers[first + 2],
          numbers[first + 3],
          numbers[first + 4],
          numbers[first + 5],
          0,
        ]
      } else row = segment.read(at / stride, extras)
      this.row = row
      const now = this.#wall === undefined ? this.rows.moment : this.#wall()
      this.now = now
      fits = this.#look(row, params, now, cost)
      if (this.rows.hasSideRows) fits = this.overrule(fits)
      if (phase === LOOK) return fits
    }

    const isPeek = call.verb === 'peek'
    if (!isPeek && this.#writesMore) {
      this.settleMore(cost, fits)
      return fits
    }
    // A negative number is an exemption, which counts nothing.
    const taken = isPeek || !fits || this.blockedUntil < 0 ? 0 : cost
    this.#settle(this, taken)
    if (taken === 0) return fits
    const { row, partition, rows } = this
    const { table } = partition
    // Another policy of this decision can have inserted a row into the same table.
    if (table.moves !== this.moves) this.seek()
    // The end of the row by the monotonic clock. If the policy follows the wall clock, its remaining lifetime is converted.
    const ends = rows.moment + this.ends - this.now
    const isSpent = this.used >= this.quota
    const { segment, at } = this
    if (at < 0 || ends <= rows.moment) {
      this.put(ends, isSpent, undefined)
      return fits
    }
    const { numbers, stride } = segment
    const wasSpent = numbers[at + 1] < 0
    if (wasSpent !== isSpent) {
      segment.unspent += isSpent ? -1 : 1
      table.unspent += isSpent ? -1 : 1
    }
    numbers[at + 1] = isSpent ? -ends : ends
    for (let i = HEAD; i < stride; i++) numbers[at + i] = row[i - HEAD]
    if (ends < segment.earliest) segment.earliest = ends
    return fits
  }
}

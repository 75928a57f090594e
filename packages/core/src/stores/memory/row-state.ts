import type { Algorithm, Params, Row, SettledRow, Steps } from '../../algorithms/algorithm.js'
import type { Clock } from '../../clock.js'
import { settleBy } from '../../algorithms/reading.js'
import type { Partition } from './partitions.js'
import { HEAD, type Segment } from './segment.js'
import type { StateTable } from './state-table.js'

/** One entry of the direct way, and the row of the current key. */
export class RowState implements SettledRow {
  // Read from the entry once, because the property lookups for each decision take longer than the steps themselves.
  readonly params: Params
  readonly partition: Partition
  readonly #look: Steps['look']
  readonly #settle: NonNullable<Algorithm['settle']>
  readonly #quota: number
  readonly #views: number
  /** The clock of the entry, if it follows the wall clock. */
  readonly #wall: Clock | undefined
  readonly #rows: StateTable

  row: Row
  #segment: Segment
  #place = -1
  /** `moves` of the table when the place was found. */
  #moves = 0
  // Initialized with fractions, so that V8 stores these fields as doubles.
  now = 0.5
  used = 0.5
  next = 0.5
  full = 0.5
  ends = 0.5

  constructor(
    rows: StateTable,
    { steps, params }: { readonly steps: Algorithm; readonly params: Params },
    partition: Partition,
    wall: Clock,
  ) {
    this.params = params
    this.partition = partition
    this.#look = steps.look
    this.#settle = steps.settle ?? ((settled, cost) => settleBy(steps, settled, cost))
    this.#quota = steps.quota(params)
    this.#views = steps.cells(params).views ?? 0
    this.#wall = steps.followsWall(params) ? wall : undefined
    this.#rows = rows
    this.row = partition.table.blank(this.#views)
    this.#segment = partition.table.segmentOf(0)
  }

  /** Reads the clock of the entry. */
  begin(): void {
    this.now = this.#wall === undefined ? this.#rows.moment : this.#wall()
  }

  /**
   * Decides by this entry alone: `look` and `settle` in one function, which searches and writes without calls. V8 inlines no function of more than 460
   * bytes of bytecode, and at most 920 bytes into one, so nearly all of these 920 bytes are left for the steps of the algorithm.
   */
  decide(keyHigh: number, keyLow: number, cost: number): boolean {
    const { params, partition } = this
    const { table } = partition
    const views = this.#views
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
    const first = at + HEAD
    // A new row for each decision, because the receipt contains it. The literals are those of `copyOf`.
    let row: Row
    if (at < 0) row = table.blank(views)
    else if (stride === 4 && views === 0) row = [numbers[first], numbers[first + 1]]
    else if (stride === 5 && views === 0) {
      row = [numbers[first], numbers[first + 1], numbers[first + 2]]
    } else if (stride === 8 && views === 1) {
      row = [
        numbers[first],
        numbers[first + 1],
        numbers[first + 2],
        numbers[first + 3],
        numbers[first + 4],
        numbers[first + 5],
        0,
      ]
    } else row = segment.read(at / stride, views)
    this.row = row
    const fits = this.#look(row, params, this.now, cost)
    this.#settle(this, fits ? cost : 0)
    if (!fits || cost === 0) return fits

    const ends = this.#endsAt()
    const isSpent = this.used >= this.#quota
    if (at < 0 || ends <= this.#rows.moment) {
      this.#rows.insert(partition, keyHigh, keyLow, { row, ends, isSpent })
      return true
    }
    const wasSpent = numbers[at + 1] < 0
    if (wasSpent !== isSpent) {
      segment.unspent += isSpent ? -1 : 1
      table.unspent += isSpent ? -1 : 1
    }
    numbers[at + 1] = isSpent ? -ends : ends
    for (let i = HEAD; i < stride; i++) numbers[at + i] = row[i - HEAD]
    if (ends < segment.earliest) segment.earliest = ends
    return true
  }

  /** Reads the row of a key, and returns whether the cost fits. */
  look(keyHigh: number, keyLow: number, cost: number): boolean {
    this.#seek(keyHigh, keyLow)
    const { table } = this.partition
    const place = this.#place
    this.row = place === -1 ? table.blank(this.#views) : this.#segment.read(place, this.#views)
    return this.#look(this.row, this.params, this.now, cost)
  }

  /** Takes the cost if it is not 0, and reads the row. */
  settle(keyHigh: number, keyLow: number, cost: number): void {
    this.#settle(this, cost)
    if (cost === 0) return
    const { row, partition } = this
    // Another entry of this decision may have inserted a row into the same table.
    if (partition.table.moves !== this.#moves) this.#seek(keyHigh, keyLow)
    const ends = this.#endsAt()
    const isSpent = this.used >= this.#quota
    if (this.#place === -1 || ends <= this.#rows.moment) {
      this.#rows.insert(partition, keyHigh, keyLow, { row, ends, isSpent })
    } else {
      partition.table.write(this.#segment, this.#place, row, ends, isSpent, undefined)
    }
  }

  #seek(keyHigh: number, keyLow: number): void {
    const { table, high, low } = this.partition
    this.#segment = table.segmentOf(keyHigh ^ high)
    this.#place = this.#segment.find(keyHigh ^ high, keyLow ^ low)
    this.#moves = table.moves
  }

  /** The end of the row by the monotonic clock. If the entry follows the wall clock, its remaining lifetime is converted. */
  #endsAt(): number {
    return this.#rows.moment + this.ends - this.now
  }
}

import type { BodiedSteps, Params, Row, SettledRow } from '../../algorithms/algorithm.js'
import { readBy } from '../../algorithms/reading.js'
import type { Block } from '../../policy.js'
import { startedBlock, UNTIL } from '../block.js'
import type { Call, DecidedPolicy, SideState } from '../compiled-policies.js'
import type { BoundPolicy } from '../store.js'
import type { Partition } from './partitions.js'
import { resetsIn } from './reset.js'
import type { Segment } from './segment.js'
import { SideRows } from './side-rows.js'
import type { StateTable } from './state-table.js'

/** The phases of a decision. */
export const LOOK = 1
export const SETTLE = 2
export const BOTH = 3

/** One policy of a plan, its row of the current key, and what the decision reads from it. A store reuses it for all requests. */
export abstract class Cursor implements SettledRow, DecidedPolicy {
  // Read from the policy once, because the property lookups for each decision take longer than the steps themselves.
  readonly policy: BoundPolicy
  readonly params: Params
  protected readonly rows: StateTable
  protected readonly partition: Partition
  protected readonly views: number
  protected readonly quota: number
  readonly #side: SideRows

  row: Row
  protected keyHigh = 0
  protected keyLow = 0
  /** The segment of the row, and the position of its first number there: negative if there is no row. Both are valid until the table moves rows. */
  protected segment: Segment
  protected at = -1
  /** The table's count of moves when the row was found. */
  protected moves = 0
  blockedUntil = 0
  resets = 0
  /** The block and the resets of the key after the decision, if there are any. */
  sideState: SideState | undefined
  // Initialized with fractions, so that V8 stores these fields as doubles.
  now = 0.5
  used = 0.5
  next = 0.5
  full = 0.5
  ends = 0.5

  constructor(rows: StateTable, policy: BoundPolicy, partition: Partition) {
    const { steps, params } = policy
    this.policy = policy
    this.params = params
    this.rows = rows
    this.partition = partition
    this.views = steps.cells(params).views ?? 0
    this.quota = steps.quota(params)
    this.#side = new SideRows(rows, partition)
    this.row = partition.table.blank(this.views)
    this.segment = partition.table.segmentOf(0)
  }

  /**
   * LOOK finds and reads the row of the key whose hash the store has, and returns whether the cost fits. SETTLE takes the cost if all policies allow it, writes
   * the row, and reads the numbers of the decision. BOTH is for a plan of one policy.
   *
   * @param allowed whether all policies allow the cost, in the phase SETTLE
   */
  abstract decide(phase: number, call: Call, cost: number, allowed: boolean): boolean

  /** The steps of the current request. */
  abstract get steps(): BodiedSteps

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

  /** Settles a consumption that can start a block, or write the first row of a bucket although nothing is taken. */
  protected settleMore(cost: number, allowed: boolean): void {
    const { policy, row, params, now, steps } = this
    const { block } = policy
    const persists = policy.steps.persistsOnDenial(params)
    if (allowed && cost > 0) {
      steps.take(row, params, now, cost)
      this.save()
      if (block?.on === 'reached' && !steps.look(row, params, now, 1)) this.#startBlock(block)
    } else if (!allowed && block?.on === 'exceeded' && this.#denies(cost)) {
      this.#startBlock(block)
      // A bucket must not expire during a block.
      if (persists) this.save()
    } else if (persists && !this.#isKept()) this.save()
    this.read()
  }

  /** Whether this policy itself denies the cost, and not only another one or a block. */
  #denies(cost: number): boolean {
    const { row, params, now } = this
    return this.blockedUntil <= now && this.policy.steps.wait(row, params, now, cost) > 0
  }

  #startBlock(block: Block): void {
    this.setBlock(startedBlock(this.side.block, block, this.now))
  }

  setBlock(block: Row): void {
    this.blockedUntil = block[UNTIL]
    this.side.saveBlock(block, this.now)
  }

  unblock(): void {
    this.blockedUntil = 0
    this.side.removeBlock()
  }

  /** Whether there is a row that has not expired. */
  #isKept(): boolean {
    if (this.partition.table.moves !== this.moves) this.seek()
    return this.at >= 0 && this.segment.endOf(this.at / this.segment.stride) > this.rows.moment
  }

  /** Keeps the row until it expires. Removes it if it has already expired. */
  save(): void {
    const { row, params, now, rows, body } = this
    const { steps } = this.policy
    const isSpent = steps.used(row, params, now) >= this.quota
    this.put(rows.moment + steps.ends(row, params) - now, isSpent, body)
  }

  /** Reads the numbers of the decision from the row. */
  protected read(): void {
    readBy(this.policy.steps, this)
  }

  /** The body of the key, if the algorithm has one. */
  protected get body(): unknown {
    return undefined
  }

  /** The block and the last reset of the current key. */
  get side(): SideRows {
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

  /** Notes the block and the resets for the receipt of the decision. */
  noteSideState(): void {
    const { blockedUntil, resets } = this
    this.sideState = blockedUntil === 0 && resets === 0 ? undefined : { blockedUntil, resets }
  }
}

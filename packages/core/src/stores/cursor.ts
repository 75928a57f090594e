import {
  readBy,
  type RequestSteps,
  type Params,
  type Row,
  type DecidedRow,
} from '../algorithms/algorithm.js'
import type { Block } from '../policy.js'
import type { Call, DecidedPolicy, SideState } from './compiled-policies.js'
import { isExempt, type BoundPolicy, type State } from './store.js'

/** The phases of a decision. */
export const LOOK = 1
export const SETTLE = 2
export const BOTH = 3

/** The override and the last reset of a key, which hold for all forms of a policy's name. A row that does not exist is zeros. */
export interface SideRows {
  /** The block or the exemption of the key: it has at most one of them, the one that was set last. */
  readonly override: Row
  /** The last reset. Zeros once its record has ended. */
  readonly reset: Row
  saveOverride(override: Row, now: number): void
  removeOverride(): void
  /** Keeps the row of a reset at `now` until the rows of all forms would have expired: that of this policy at `ends`. */
  saveReset(now: number, ends: number): void
  /** Removes the rows that the key has for the name of the policy, in all forms. */
  removeRows(): void
}

/**
 * One policy of a plan, its row of the current key, and what the decision reads from it. A store reuses it for all requests. The
 * place where the store keeps its rows is a matter of the subclasses.
 */
export abstract class Cursor implements DecidedRow, DecidedPolicy {
  // Read from the policy once, because the property lookups for each decision take longer than the steps themselves.
  readonly policy: BoundPolicy
  readonly params: Params
  protected readonly extras: number
  protected readonly quota: number

  row: Row = []
  /** As in `State`. */
  blockedUntil = 0
  resets = 0
  /** The override and the resets of the key after the decision, if there are any. */
  sideState: SideState | undefined
  // Initialized with fractions, so that V8 stores these fields as doubles.
  now = 0.5
  used = 0.5
  next = 0.5
  full = 0.5
  ends = 0.5

  constructor(policy: BoundPolicy) {
    const { steps, params } = policy
    this.policy = policy
    this.params = params
    this.extras = steps.cells(params).extras ?? 0
    this.quota = steps.quota(params)
  }

  /**
   * LOOK reads the row of the current key, and returns whether the cost fits. SETTLE takes the cost if all policies allow it, writes the row, and reads the
   * numbers of the decision. BOTH is for a plan of one policy.
   *
   * @param allowed whether all policies allow the cost, in the phase SETTLE
   */
  abstract decide(phase: number, call: Call, cost: number, allowed: boolean): boolean

  /** The steps of the current request. */
  abstract get steps(): RequestSteps

  /** The override and the last reset of the current key. */
  abstract get side(): SideRows

  /** Keeps the row until it expires. Removes it if it has already expired. */
  abstract save(): void

  /** Whether there is a row that has not expired. */
  abstract isKept(): boolean

  /** Settles a consumption that can start a block, or write the first row of a bucket although nothing is taken. An exempt key is only read. */
  protected settleMore(cost: number, allowed: boolean): void {
    if (isExempt(this)) {
      this.read()
      return
    }
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
    } else if (persists && !this.isKept()) this.save()
    this.read()
  }

  /** Whether this policy itself denies the cost, and not only another one or a block. */
  #denies(cost: number): boolean {
    const { row, params, now } = this
    return this.blockedUntil <= now && this.policy.steps.wait(row, params, now, cost) > 0
  }

  #startBlock(block: Block): void {
    this.setOverride(startedBlock(this.side.override, block, this.now))
  }

  setOverride(override: Row): void {
    this.blockedUntil = override[UNTIL]
    this.side.saveOverride(override, this.now)
  }

  /** Ends the exemption of the key, or else its block. The other one stays. */
  endOverride(isExemption: boolean): void {
    if (this.side.override[UNTIL] < 0 !== isExemption) return
    this.blockedUntil = 0
    this.side.removeOverride()
  }

  /** Reads the numbers of the decision from the row. */
  protected read(): void {
    readBy(this.policy.steps, this)
  }

  /** Notes the override and the resets for the receipt of the decision. */
  noteSideState(): void {
    const { blockedUntil, resets } = this
    this.sideState = blockedUntil === 0 && resets === 0 ? undefined : { blockedUntil, resets }
  }
}

// The row of a block: [end of the last block, length of the last block]
// The row of an exemption: [minus its end, 0]
export const UNTIL = 0
export const LENGTH = 1

/** The row of an exemption that ends at this time. */
export function exemptionUntil(end: number): Row {
  return [-end, 0]
}

/** The `blockedUntil` of a state at this time. An exemption that has ended means nothing. */
export function blockedUntilAt(override: Row, now: number): number {
  const until = override[UNTIL]
  return until < 0 && -until <= now ? 0 : until
}

/** The row of a block that starts now. If the last block ended recently, it is longer by the factor `escalate`. */
export function startedBlock(row: Row, { for: first, escalate, max }: Block, now: number): Row {
  const escalates = row[LENGTH] > 0 && now < overrideEnds(row)
  const length = escalates ? Math.min(max, Math.floor(row[LENGTH] * escalate)) : first
  return [now + length, length]
}

/** The moment from which an override means nothing: an exemption has ended, or the last block no longer makes the next one longer. */
export function overrideEnds(row: Row): number {
  return Math.abs(row[UNTIL]) + row[LENGTH]
}

// The row of a reset: [time of the last reset, number of resets in that millisecond]
const AT = 0
const COUNT = 1

/**
 * The row after another reset at `now`. It is kept until the units that the reset deleted would have expired, so that a refund of an earlier decision
 * does not refund units of a later one.
 */
export function nextReset(row: Row, now: number): Row {
  return row[AT] < now ? [now, 1] : [row[AT], row[COUNT] + 1]
}

/** The number of resets in the millisecond of `now`. */
export function resetsIn(row: Row, now: number): number {
  return row[AT] === now ? row[COUNT] : 0
}

/** Whether the key was reset after the decision of this receipt. */
export function isForgotten(row: Row, { now, resets = 0 }: State): boolean {
  return now < row[AT] || (now === row[AT] && resets !== row[COUNT])
}

import {
  readBy,
  type RowAlgorithm,
  type Lease,
  type Params,
  type Row,
  type DecidedRow,
} from '../algorithms/algorithm.js'
import type { BoundPolicy, Cost, State } from './store.js'

/** The common part of many calls of a plan. */
export interface Call {
  readonly verb: 'consume' | 'peek'
  readonly lease: Lease
  /** The time of an injected clock. */
  readonly now: number | undefined
}

/** Policies that a store has compiled. It decides calls without a request and a result for each. */
export interface CompiledPolicies {
  /**
   * Returns whether all policies allow the cost. Then a consumption takes it. A peek changes nothing.
   *
   * @param key one key for all policies, or one for each
   */
  decide(call: Call, key: string | readonly string[], cost: Cost): boolean
  /** The state of each policy after the last decision. The next decision overwrites it, except its row: each decision has a new one. */
  readonly decided: readonly DecidedPolicy[]
}

/** The state of one policy after a decision, and the numbers that the decision reads from it. */
export interface DecidedPolicy extends Readonly<Omit<DecidedRow, 'ends'>> {
  /** As in `State`. */
  readonly blockedUntil: number
  /** The block and the resets of the key, if there are any. */
  readonly sideState: SideState | undefined
}

/** The block and the resets of a key, as in `State`. Most keys have neither. */
export interface SideState {
  readonly blockedUntil: number
  readonly resets: number
}

/** One policy that a store has decided by a request. The answer to the next request overwrites it. */
export class AnsweredPolicy implements DecidedRow, DecidedPolicy {
  readonly params: Params
  readonly #settle: NonNullable<RowAlgorithm['settle']>
  row: Row = []
  blockedUntil = 0
  sideState: SideState | undefined
  // Initialized with fractions, so that V8 stores these fields as doubles.
  now = 0.5
  used = 0.5
  next = 0.5
  full = 0.5
  ends = 0.5

  constructor({ steps, params }: BoundPolicy) {
    this.params = params
    this.#settle =
      (steps.hasRecords === true ? undefined : steps.settle) ??
      ((decided) => readBy(steps, decided))
    // A policy that counts nothing has no state that a store could answer.
    if (steps.countsNothing) this.now = this.used = this.next = this.full = 0
  }

  /** Reads the state that the store has answered. */
  read({ row, now, blockedUntil, resets = 0 }: State): void {
    this.row = row
    this.now = now
    this.blockedUntil = blockedUntil
    this.sideState = blockedUntil === 0 && resets === 0 ? undefined : { blockedUntil, resets }
    this.#settle(this, 0)
  }
}

/** The state of a policy after a decision. The next decision does not change it. */
export function stateOf({
  row,
  now,
  sideState,
}: Pick<DecidedPolicy, 'row' | 'now' | 'sideState'>): State {
  if (sideState === undefined) return { row, blockedUntil: 0, now }
  const { blockedUntil, resets } = sideState
  return resets === 0 ? { row, blockedUntil, now } : { row, blockedUntil, now, resets }
}

import type { Lease, SettledRow } from '../algorithms/algorithm.js'
import type { Cost } from './store.js'

/** The common part of many calls of a plan. */
export interface Call {
  readonly verb: 'consume' | 'peek'
  readonly lease: Lease
  /** The time of an injected clock. */
  readonly now: number | undefined
}

/** Policies that a store has compiled. It decides calls without a request and an outcome for each. */
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
export interface DecidedPolicy extends Readonly<Omit<SettledRow, 'ends'>> {
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

import type { Keys, PolicyChoice } from './bound-policies.js'
import type { Costs } from './costs.js'

/** Options of `peek`. */
export interface PeekOptions extends PolicyChoice {
  /**
   * Units that the request takes: a whole number, or a record from the name of a policy to a number. A policy that the record leaves out takes 1. A cost of 0
   * is allowed if the key is not blocked and not over its limit.
   *
   * @default 1
   */
  readonly cost?: Costs
}

/** Options of `consume`. */
export interface ConsumeOptions extends PeekOptions {
  /**
   * The owner of the lease, for `concurrency` policies. An owner that holds units is allowed again without taking further units.
   *
   * @default each request has an owner of its own
   */
  readonly owner?: string
  /**
   * The object that the decision is about, such as an HTTP request. The events of `sluice:decision` and `sluice:denial` contain it; nothing else
   * reads it.
   */
  readonly request?: unknown
}

/** One element of the list that `consumeMany` and `peekMany` take. */
export interface KeyAndCost extends PeekOptions {
  /** The key, or a key for each policy by its name. */
  readonly key: Keys
}

/** Options of `refund(decision)`. */
export interface RefundOptions {
  /**
   * The names of the policies to refund, each of which is refunded once. Without it, all policies of the decision are. A name that the decision does
   * not have is an error.
   */
  readonly policies?: readonly string[]
}

/** Options of `reset`. */
export interface ResetOptions extends PolicyChoice {
  /**
   * Whether to end a block too. Without it, a blocked key is not reset.
   *
   * @default false
   */
  readonly unblock?: boolean
}

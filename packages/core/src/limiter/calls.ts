import type { Keys, PolicyChoice } from './bound-policies.js'

export interface PeekOptions extends PolicyChoice {
  /**
   * How many units the request takes: a whole number. A cost of 0 is allowed if the key is not blocked and not over its limit.
   *
   * @default 1
   */
  readonly cost?: number
}

export interface ConsumeOptions extends PeekOptions {
  /**
   * The owner of the lease, for `concurrency` policies: an owner that holds units is allowed again without taking further units.
   *
   * @default each request has an owner of its own
   */
  readonly owner?: string
  /** The object that the decision is about, such as an HTTP request. The events of `sluice:decision` and `sluice:denial` carry it, and nothing else reads it. */
  readonly request?: unknown
}

/** One element of the list that `consumeMany` and `peekMany` take. */
export interface KeyAndCost extends PeekOptions {
  /** The key, or a key for each policy by its name. */
  readonly key: Keys
}

export interface RefundOptions {
  /**
   * The names of the policies to refund. Without it, all policies of the decision are refunded. Each policy is refunded once; a name that the decision
   * does not have is an error.
   */
  readonly policies?: readonly string[]
}

export interface ResetOptions extends PolicyChoice {
  /**
   * Whether the reset also ends a block. Without it, a blocked key is not reset.
   *
   * @default false
   */
  readonly unblock?: boolean
}

import type { Block, Policy } from '../policy.js'
import type { Algorithm, BodiedAlgorithm, Params } from './algorithm.js'

/** The registry's entry for a kind of policy: its builder, its steps, and how its numbers are passed to the steps. */
export interface Kind<C extends Policy = Policy, P extends object = Params> {
  /** The builder. It checks data from a file in the same way as the options of a program. */
  build(options: object): C
  /** The options that are quotas or policies with quotas. A share of the policy has that share of each of them. */
  readonly quotas: readonly string[]
  steps(policy: C): Algorithm<P> | BodiedAlgorithm<P>
  params(policy: C): P
}

/** A policy in the form for the stores: its steps and its numbers. */
export interface Rule {
  /** The builder's name. */
  readonly kind: string
  readonly policy: Policy
  readonly steps: Algorithm | BodiedAlgorithm
  readonly params: Params
  readonly block: Block | undefined
}

import type { Block, Policy } from '../policy.js'
import type { Algorithm, BodiedAlgorithm, Params } from './algorithm.js'

/** What the registry knows of a kind of policy: how it is checked, how it is counted, and its numbers for the steps. */
export interface Kind<C extends Policy = Policy, P extends object = Params> {
  /** The builder: checks plain data from anywhere as it checks what a program passes. */
  build(options: object): C
  /** The options that say how much is allowed, or the policies that do: a share of the policy has a share of each. */
  readonly quotas: readonly string[]
  steps(policy: C): Algorithm<P> | BodiedAlgorithm<P>
  params(policy: C): P
}

/** A policy as the stores want it: the steps that decide it, and its numbers. */
export interface Rule {
  /** The builder's name. */
  readonly kind: string
  readonly policy: Policy
  readonly steps: Algorithm | BodiedAlgorithm
  readonly params: Params
  readonly block: Block | undefined
}

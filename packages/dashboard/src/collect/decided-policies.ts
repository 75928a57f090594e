import type { Decision, Policy } from '@sluice/core'
import { blockedMs, receiptsOf } from '@sluice/core/internal'

/** A policy by which a decision was made, and the block that it found or started. */
export interface DecidedBy {
  readonly name: string
  readonly policy: Policy
  /** The wait until the block of the key ends; 0 without a block. */
  readonly blockedMs: number
}

/** The policies of a decision. Empty for a copy of a decision, and for the decision of another copy of core. */
export function decidedPolicies(decision: Decision): readonly DecidedBy[] {
  const [receipt] = receiptsOf(decision) ?? []
  if (receipt === undefined) return []
  const { request, result } = receipt
  return request.policies.map(({ name, policy }, i) => {
    return { name, policy, blockedMs: blockedMs(result.states[i]) }
  })
}

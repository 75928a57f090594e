import type { Policy } from '../policy.js'
import type { Decision } from './decision.js'
import { receiptOf } from './receipt.js'

/** A policy by which a decision was made, and the block that it found or started. */
export interface DecidedBy {
  readonly name: string
  readonly policy: Policy
  /** The wait until the block of the key ends; 0 without a block. */
  readonly blockedMs: number
}

/** The policies of a decision. Empty for a copy of a decision, and for the decision of another copy of this package. */
export function decidedPolicies(decision: Decision): readonly DecidedBy[] {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return []
  const { states } = receipt
  return receipt.call.policies.map(({ name, policy }, i) => {
    const { blockedUntil, now } = states[i]
    return { name, policy, blockedMs: Math.max(0, blockedUntil - now) }
  })
}

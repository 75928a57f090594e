import type { Decision } from '../../limiter/decision.js'
import type { AppliedRule } from './judgement.js'

type RulesByPolicy = ReadonlyMap<string, AppliedRule>

/**
 * The longest delay of a consumption if it is the same for all its rules. Such a consumption waits from the start, in the order of the requests for its
 * key; another one has to be denied first, because only a denial shows which of its rules deny.
 */
export function delayOfAll(rules: RulesByPolicy): number | undefined {
  let common: number | undefined
  for (const { outcome } of rules.values()) {
    if (outcome.type !== 'delay') return undefined
    if (common !== undefined && common !== outcome.maxMs) return undefined
    common = outcome.maxMs
  }
  return common
}

/** How long a denied request may wait: the shortest delay of the rules that deny it. Undefined if one of them does not delay. */
export function delayOfDenial(rules: RulesByPolicy, { deniedBy }: Decision): number | undefined {
  let shortest: number | undefined
  for (const policy of deniedBy) {
    const outcome = rules.get(policy)?.outcome
    if (outcome?.type !== 'delay') return undefined
    shortest = Math.min(shortest ?? Infinity, outcome.maxMs)
  }
  return shortest
}

import type { Keys } from '@sluice/core'
import { isSuccess, keysToReset, type ResponseOutcome } from '@sluice/core/http'
import type { AppliedRule } from './match.js'
import type { CheckResult } from './rule-decision.js'

/** The changes that a response makes to the counts of a result. */
export interface Settlement {
  /** Whether the request takes its units now. */
  readonly isTakenNow: boolean
  /** The policies whose units are refunded, because their rule does not count such a response. */
  readonly refunded: readonly string[]
  /** The keys whose counts are reset. Undefined if there are none. */
  readonly reset: Keys | undefined
}

/** The changes that a response with this outcome makes to the counts of a result. */
export function settlementOf(result: CheckResult, outcome: ResponseOutcome): Settlement {
  const succeeded = isSuccess(outcome)
  const { keys, policies } = result.consumption
  const { allowed } = result.decision
  const { isTaken = true } = result
  const uncounted = namesOf(result, (rule) => allowed && !isCounted(rule, outcome))
  const reset = namesOf(result, ({ resetOnSuccess }) => resetOnSuccess && succeeded)
  return {
    isTakenNow: !isTaken && uncounted.length === 0,
    refunded: isTaken ? uncounted : [],
    reset: reset.length === 0 ? undefined : keysToReset(keys, policies, reset),
  }
}

/** Whether a response can change the counts of a result. */
export function dependsOnOutcome({
  consumption: { rules },
  decision: { allowed },
}: CheckResult): boolean {
  for (const { counts, reserves, resetOnSuccess } of rules.values()) {
    if (resetOnSuccess || (allowed && (counts !== 'all' || reserves === false))) return true
  }
  return false
}

/** The policies that were asked and whose rule fulfils a condition. */
function namesOf(
  { consumption: { rules }, decision }: CheckResult,
  fulfils: (rule: AppliedRule) => boolean,
): readonly string[] {
  return Object.keys(decision.policies).filter((name) => {
    const rule = rules.get(name)
    return rule !== undefined && fulfils(rule)
  })
}

function isCounted({ counts, countsDenied }: AppliedRule, outcome: ResponseOutcome): boolean {
  if (counts === 'all') return true
  if (outcome.denied === true) return countsDenied === true
  return typeof counts === 'object'
    ? counts.includes(outcome.status)
    : (counts === 'successes') === isSuccess(outcome)
}

import { isSuccess, type ResponseOutcome } from '@sluice/core/http'
import type { AppliedRule } from './match.js'
import type { CheckResult } from './rule-decision.js'

/** The policies of a result whose rules do not count such a response. */
export function uncountedBy(result: CheckResult, outcome: ResponseOutcome): readonly string[] {
  return namesOf(result, (rule) => !isCounted(rule, outcome))
}

/** The policies of a result whose counts a success resets. */
export function resetsOf(result: CheckResult): readonly string[] {
  return namesOf(result, ({ resetOnSuccess }) => resetOnSuccess)
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

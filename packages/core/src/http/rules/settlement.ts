import type { Keys } from '../../limiter/bound-policies.js'
import type { Decision } from '../../limiter/decision.js'
import type { Limiter } from '../../limiter/limiter.js'
import { warnOfFailure } from '../guard/mistakes.js'
import { isSuccess, keysToReset, leaseFollower } from '../guard/settlement.js'
import { whenOver, type NodeResponse, type ResponseOutcome } from '../request/response.js'
import type { AppliedRule } from './judgement.js'
import type { Part } from './rule-decision.js'

/**
 * Settles a part of a request that continues, once, however its response ends. The part of a denied request that continues has consumed nothing, so only
 * `resetOnSuccess` applies to it.
 */
export type SettlePart = (response: NodeResponse, part: Part) => void

/** Makes the function that runs after a response: it releases leases, refunds the rules that do not count it, and resets counts after a success. */
export function createRuleSettlement(
  limiter: Limiter,
  releaseOn: 'done' | 'close' = 'done',
): SettlePart {
  const whenReleasable = leaseFollower(releaseOn)

  return function settle(response, part) {
    const { lease } = part.decision
    if (lease !== undefined) return whenReleasable(response, lease, end)
    if (dependsOnOutcome(part)) whenOver(response, end)

    function end(outcome: ResponseOutcome): void {
      void settled(part, outcome)
    }
  }

  async function settled(part: Part, outcome: ResponseOutcome): Promise<void> {
    const { consumption, decision } = part
    const succeeded = isSuccess(outcome)
    try {
      await decision.lease?.release()
      const { refunded, reset } = settlementOf(part, succeeded)
      if (refunded.length > 0) await limiter.refund(decision, { policies: refunded })
      if (reset !== undefined) await limiter.reset(reset, { policies: consumption.policies })
    } catch (error) {
      // The response is sent already. Units that were not refunded expire by themselves, so the limit errs on the strict side.
      warnOfFailure(error)
    }
  }
}

/** The changes that a response makes to the counts of a part. */
export interface Settlement {
  /** The policies whose units are refunded, because their rule does not count such a response. */
  readonly refunded: readonly string[]
  /** The keys whose counts are reset. Undefined if there are none. */
  readonly reset: Keys | undefined
}

/** The changes that a response with this success makes to the counts of a part of its request. */
export function settlementOf(part: Part, succeeded: boolean): Settlement {
  const { keys, policies } = part.consumption
  const { allowed } = part.decision
  const refunded = namesOf(part, (rule) => allowed && !counts(rule, succeeded))
  const reset = namesOf(part, ({ resetOnSuccess }) => resetOnSuccess && succeeded)
  return { refunded, reset: reset.length === 0 ? undefined : keysToReset(keys, policies, reset) }
}

function dependsOnOutcome({ consumption: { rules }, decision: { allowed } }: Part): boolean {
  for (const { counts, resetOnSuccess } of rules.values()) {
    if (resetOnSuccess || (allowed && counts !== 'all')) return true
  }
  return false
}

/** The policies that were asked and whose rule fulfils a condition. */
function namesOf(
  { consumption: { rules }, decision }: Part,
  fulfils: (rule: AppliedRule) => boolean,
): readonly string[] {
  return namesIn(decision).filter((name) => {
    const rule = rules.get(name)
    return rule !== undefined && fulfils(rule)
  })
}

function namesIn({ policies }: Decision): readonly string[] {
  return Object.keys(policies)
}

function counts({ counts }: AppliedRule, succeeded: boolean): boolean {
  return counts === 'all' || (counts === 'successes') === succeeded
}

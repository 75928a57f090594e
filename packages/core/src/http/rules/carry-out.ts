import type { Limiter } from '../../limiter/limiter.js'
import { after } from '../../awaitable.js'
import { askLimits, type CarryOutOptions } from './ask-limits.js'
import type { Judgement, RuleDecision } from './judgement.js'
import { nothingAsked, ruleDecision, type LimitResult } from './rule-decision.js'

/** A judgement of rules that was carried out. */
export interface CarriedOut {
  readonly decision: RuleDecision
  /** The result of the enforced rules; undefined if none was asked. */
  readonly enforced: LimitResult | undefined
}

/** Carries out the judgement of one request. If a consumption fails, all units are refunded, and the error is that of the request. */
export function carryOut(
  limiter: Limiter,
  judgement: Judgement,
  options: CarryOutOptions,
): CarriedOut | Promise<CarriedOut> {
  if (judgement.type !== 'ask') {
    return { decision: ruleDecision(judgement, nothingAsked), enforced: undefined }
  }
  const asked = askLimits(limiter, judgement.enforced[0], judgement, options, 'enforced')
  return after(asked, (answers) => ({
    decision: ruleDecision(judgement, answers),
    enforced: answers.enforced,
  }))
}

/** The options of `decideByRules`. */
export interface DecideOptions {
  /** Ends a delay. The promise then rejects with the signal's reason, and nothing is consumed. */
  readonly signal?: AbortSignal
}

/**
 * Carries out the judgement of one request. The enforced consumption is asked first. If it allows, the tagging consumptions are asked and awaited, and
 * the shadow consumptions are asked and not awaited. Returns a promise only if the store does, or if a delay applies.
 *
 * The policies of tagging consumptions are in `policies`, and in no other number of the decision. `limiter.refund` refunds all consumptions of the decision, or
 * those of the policies that it names. The lease of a shadow consumption expires, because no caller holds it.
 *
 * @throws the error of a consumption that made no decision; the others are refunded then
 */
export function decideByRules(
  limiter: Limiter,
  judgement: Judgement,
  { signal }: DecideOptions = {},
): RuleDecision | Promise<RuleDecision> {
  const carriedOut = carryOut(limiter, judgement, { wait: (work) => work(signal) })
  return after(carriedOut, ({ decision }) => decision)
}

import type { Limiter } from '../../limiter/limiter.js'
import { after } from '../awaitable.js'
import { carryOut } from './carry-out.js'
import type { Judgement, RuleDecision } from './judgement.js'

/** The options of `decideByRules`. */
export interface DecideOptions {
  /** Ends a delay. The promise then rejects with the signal's reason, and nothing is consumed. */
  readonly signal?: AbortSignal
}

/**
 * Carries out the judgement of one request. The enforced consumptions are asked in their order; if one denies, the earlier ones are refunded, and
 * the decision has the numbers of the one that denies. If all allow, the tagging consumptions are asked and awaited, and the shadow consumptions are
 * asked and not awaited. Returns a promise only if the store does, or if a delay applies.
 *
 * The policies of tagging consumptions are in `policies`, and in no other number of the decision. `limiter.refund` refunds all parts of the decision, or
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

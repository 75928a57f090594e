import { contentOf, type Content } from '../response/content.js'
import { contentWriter, problemContent, refusalContent } from '../response/denial.js'
import type { RateLimitOptions } from '../options/options.js'
import type { PolicyItems } from '../response/policy-items.js'
import type { RequestView } from '../request/request-view.js'
import type { Outcome, RuleDecision } from './judgement.js'
import type { Part } from './rule-decision.js'

/** A part of a decision, with its policies as clients read them. */
export interface AnsweredPart extends Part {
  readonly items: PolicyItems
}

/** @param denying the part that denies the request; undefined if a rule refuses it */
type OutcomeWriter<R> = (
  view: RequestView<R>,
  decision: RuleDecision,
  denying: AnsweredPart | undefined,
) => Content | Promise<Content>

/** Makes the function that writes the body of a denial: that of the rule, or a problem. A challenge is a member of the problem. */
export function outcomeWriter<R, H>({
  body,
  localShare = 1,
}: RateLimitOptions<R, H>): OutcomeWriter<R> {
  const usualContent = contentWriter(body, localShare)
  return (view, decision, denying) => {
    const { outcome } = decision
    if (outcome?.type === 'deny' && outcome.body !== undefined) {
      return contentOf(outcome.body, 'SLUICE_OPTION_INVALID')
    }
    const status = statusOf(outcome)
    const more = outcome?.type === 'challenge' ? { challenge: challengeOf(outcome) } : undefined
    if (denying === undefined) return refusalContent(view, status, more)
    const { consumption, items } = denying
    const denial = { status, policies: consumption.policies, decision, items }
    return more === undefined
      ? usualContent(view, denial)
      : problemContent(view, denial, localShare, more)
  }
}

/** The status of a denied request. Only `deny` has one of its own. */
export function statusOf(outcome: Outcome | undefined): number {
  return outcome?.type === 'deny' ? outcome.status : 429
}

function challengeOf({
  type: _type,
  ...challenge
}: Extract<Outcome, { type: 'challenge' }>): object {
  return challenge
}

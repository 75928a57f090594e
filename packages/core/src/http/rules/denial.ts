import {
  contentOf,
  contentWriter,
  problemContent,
  refusalContent,
  type Content,
} from '../response/denial.js'
import type { RateLimitOptions } from '../options/options.js'
import type { RequestView } from '../request/request-view.js'
import type { Outcome, RuleDecision } from './judgement.js'
import type { Part } from './rule-decision.js'

/** @param denying the part that denies the request; undefined if a rule refuses it */
type OutcomeWriter<R> = (
  view: RequestView<R>,
  decision: RuleDecision,
  denying: Part | undefined,
) => Content | Promise<Content>

/** Makes the function that writes the body of a denial: that of the rule, or a problem. A challenge is a member of the problem. */
export function outcomeWriter<R, H>({
  body,
  localShare = 1,
}: RateLimitOptions<R, H>): OutcomeWriter<R> {
  return (view, decision, denying) => {
    const { outcome } = decision
    if (outcome?.type === 'deny' && outcome.body !== undefined) return contentOf(outcome.body)
    const status = statusOf(outcome)
    const more = outcome?.type === 'challenge' ? { challenge: challengeOf(outcome) } : undefined
    if (denying === undefined) return refusalContent(view, status, more)
    const { policies, rules: names } = denying.consumption
    if (more !== undefined) {
      return problemContent(view, policies, decision, { status, localShare, names, more })
    }
    return contentWriter(status, body, localShare)(view, policies, decision, names)
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

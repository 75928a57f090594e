import { decisionEvents } from '../../limiter/events.js'
import type { Limiter } from '../../limiter/limiter.js'
import { clientLeft } from '../request/response.js'
import { askLimits } from '../rules/ask-limits.js'
import { ruleDecision, type Asked } from '../rules/rule-decision.js'
import { disconnected } from './action.js'
import type { Exchange, Stage } from './exchange.js'

/** Makes the stage that asks the limits of a judgement, and reads the decision from their answers. In a dry run nothing delays a request. */
export function decideStage<R, H>(limiter: Limiter, dryRun: boolean): Stage<R, H> {
  return function decide(exchange) {
    const { consumption, judgement } = exchange
    const { decision, denial } = decisionEvents
    // The events carry the request, and nothing else reads it.
    if (decision.hasSubscribers || denial.hasSubscribers) exchange.request = exchange.view.raw
    const others = judgement?.type === 'ask' ? judgement : undefined
    const asked = askLimits(limiter, consumption, others, exchange, !dryRun)
    if (!(asked instanceof Promise)) return readDecision(exchange, asked)
    return asked.then(
      (answers) => readDecision(exchange, answers),
      (error: unknown) => {
        if (error !== clientLeft) throw error
        exchange.action = disconnected
      },
    )
  }
}

function readDecision<R, H>(exchange: Exchange<R, H>, asked: Asked): void {
  const { judgement } = exchange
  exchange.part = asked.enforced
  if (judgement === undefined) {
    exchange.decision = asked.enforced?.decision
    return
  }
  const decision = ruleDecision(judgement, asked)
  // The application sees no decision of shadow rules alone.
  if (!decision.allowed || decision.applied.length > 0 || decision.tags.length > 0) {
    exchange.decision = decision
  }
}

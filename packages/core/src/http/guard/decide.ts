import { decisionEvents } from '../../limiter/events.js'
import type { Limiter } from '../../limiter/limiter.js'
import { clientLeft } from '../request/response.js'
import { askLimits } from '../rules/ask-limits.js'
import { ruleDecision, type LimitResults, type LimitResult } from '../rules/rule-decision.js'
import { disconnected, denied, handled, unlimited, type Guarded } from './action.js'
import type { Exchange, Stage } from './exchange.js'
import { after } from '../../awaitable.js'
import { warnOfFailure } from '../request/mistakes.js'
import type { RateLimitOptions } from '../options/options.js'
import type { RequestView } from '../request/view.js'
import {
  contentOf,
  contentWriter,
  problemContent,
  refusalContent,
  type Content,
} from '../response/denial.js'
import { noFields, type HeaderField } from '../response/fields.js'
import { fieldWriter, retryAfter } from '../response/header-fields.js'
import { itemFinder, publicNameOf, type PolicyItems } from '../response/policy-items.js'
import type { Outcome, RequestDecision } from '../rules/judgement.js'
import type { Settle } from './settlement.js'

/** Makes the stage that asks the limits of a judgement, and reads the decision from their answers. In a dry run nothing delays a request. */
export function decideStage<R, H>(limiter: Limiter, dryRun: boolean): Stage<R, H> {
  const mode = dryRun ? 'dryRun' : 'enforced'
  return function decide(exchange) {
    const { consumption, judgement } = exchange
    const { decision, denial } = decisionEvents
    // The events carry the request, and nothing else reads it.
    if (decision.hasSubscribers || denial.hasSubscribers) exchange.request = exchange.view.raw
    const others = judgement?.type === 'ask' ? judgement : undefined
    const asked = askLimits(limiter, consumption, others, exchange, mode)
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

function readDecision<R, H>(exchange: Exchange<R, H>, results: LimitResults): void {
  const { judgement } = exchange
  exchange.result = results.enforced
  if (judgement === undefined) {
    exchange.decision = results.enforced?.decision
    return
  }
  const decision = ruleDecision(judgement, results)
  // The application sees no decision of shadow rules alone.
  if (!decision.allowed || decision.applied.length > 0 || decision.tags.length > 0) {
    exchange.decision = decision
  }
}

/** Makes the stage that finds the action for a decision: the headers, and then continue, deny, or the handler of the application. */
export function answerStage<R, H>(
  { name }: Limiter,
  options: RateLimitOptions<R, H>,
  guarded: Guarded,
  settle: Settle | undefined,
): Stage<R, H> {
  const { dryRun = false, onDenied, onDecision, clock, statusCode = 429 } = options
  const { headers: styles = dryRun ? 'none' : 'draft', partitionKey = false } = options
  const itemsFor = itemFinder(name)
  const fieldsOf = fieldWriter(name, { styles, partitionKey, clock })
  const writeContent = denialWriter(options)

  return answer

  function answer(exchange: Exchange<R, H>): void | Promise<void> {
    const { view, response, earlier, result, decision } = exchange
    if (decision === undefined) {
      exchange.action = unlimited
      return undefined
    }
    if (onDecision !== undefined) tell(onDecision, view.raw, decision)
    const asked = result?.consumption
    const items = asked === undefined ? noItems : itemsFor(asked.policies, earlier, asked.rules)
    const fields =
      result === undefined || response.headersSent
        ? noFields
        : fieldsOf(items, result.consumption.policies, result.decision, result.consumption.keys)
    if (decision.allowed || dryRun) {
      exchange.action = { type: 'continue', decision, headers: fields }
      return undefined
    }
    return deny(exchange, decision, items, fields)
  }

  function deny(
    exchange: Exchange<R, H>,
    decision: RequestDecision,
    items: PolicyItems,
    fields: readonly HeaderField[],
  ): void | Promise<void> {
    const { view, response, result } = exchange
    const headers =
      result === undefined
        ? fields
        : [...fields, retryAfter(result.consumption.policies, result.decision)]
    if (onDenied !== undefined) {
      exchange.action = handled(onDenied, response, decision, headers, guarded, () => {
        if (result !== undefined) settle?.(response, result)
      })
      return undefined
    }
    const status = statusOf(decision.outcome, statusCode)
    const content = writeContent(view, status, decision, result, items)
    const violated = decision.deniedBy.map((policy) => publicNameOf(policy, items))
    return after(content, (known) => {
      exchange.action = denied(response, status, known, decision, headers, violated)
    })
  }
}

const noItems: PolicyItems = new Map()

/** Calls `onDecision`. Its error becomes a process warning and does not fail the request. */
function tell<R>(
  onDecision: (request: R, decision: RequestDecision) => unknown,
  request: R,
  decision: RequestDecision,
): void {
  try {
    const done = after(onDecision(request, decision), () => {})
    if (done instanceof Promise) done.catch(warnOfFailure)
  } catch (error) {
    warnOfFailure(error)
  }
}

/** The status of a denied request. Of the outcomes of rules, only `deny` has one of its own. */
function statusOf(outcome: Outcome | undefined, statusCode: number): number {
  return outcome?.type === 'deny' ? outcome.status : statusCode
}

/** Writes the body of a denial. Without a result, a rule refuses the request. */
type DenialWriter<R> = (
  view: RequestView<R>,
  status: number,
  decision: RequestDecision,
  result: LimitResult | undefined,
  items: PolicyItems,
) => Content | Promise<Content>

/** Makes the function that writes the body of a denial: that of the rule, that of the options, or a problem. A challenge is a member of the problem. */
function denialWriter<R, H>({ body, localShare = 1 }: RateLimitOptions<R, H>): DenialWriter<R> {
  const usualContent = contentWriter(body, localShare)
  return (view, status, decision, result, items) => {
    const { outcome } = decision
    if (outcome?.type === 'deny' && outcome.body !== undefined) {
      return contentOf(outcome.body, 'SLUICE_OPTION_INVALID')
    }
    const more = outcome?.type === 'challenge' ? { challenge: challengeOf(outcome) } : undefined
    if (result === undefined) return refusalContent(view, status, more)
    const denial = { status, policies: result.consumption.policies, decision, items }
    return more === undefined
      ? usualContent(view, denial)
      : problemContent(view, denial, localShare, more)
  }
}

function challengeOf({
  type: _type,
  ...challenge
}: Extract<Outcome, { type: 'challenge' }>): object {
  return challenge
}

import { decisionEvents } from '../../limiter/events.js'
import type { Limiter } from '../../limiter/limiter.js'
import { fieldWriter } from '../response/header-fields.js'
import {
  writable,
  joinFields,
  noFields,
  type EarlierHeaders,
  type HeaderField,
} from '../response/fields.js'
import { itemFinder, type PolicyItems } from '../response/policy-items.js'
import { retryAfter } from '../response/retry-after.js'
import { after, rescued } from '../awaitable.js'
import {
  denied,
  disconnected,
  handled,
  unlimited,
  type Action,
  type Flow,
  type Guarded,
} from '../guard/action.js'
import { whileConnected } from '../guard/consume.js'
import { createListener } from '../guard/listener.js'
import type { RateLimitOptions } from '../options/options.js'
import type { RequestView } from '../request/request-view.js'
import type { NodeResponse } from '../request/response.js'
import { carryOut, type CarriedOut } from './carry-out.js'
import { outcomeWriter, statusOf, type AnsweredPart } from './denial.js'
import type { Judgement, Rules } from './judgement.js'
import type { Part } from './rule-decision.js'
import { createRuleSettlement } from './settlement.js'

/** The flow of a request with rules: judge it, carry the judgement out, write the headers, and continue or deny. */
export function rulesFlow<R, H>(
  limiter: Limiter,
  options: RateLimitOptions<R, H>,
  rules: Rules<R>,
  guarded: Guarded,
): Flow<R, H> {
  const { dryRun = false, onDenied, clock } = options
  const { headers: styles = dryRun ? 'none' : 'draft', partitionKey = false } = options
  const callOnDecision = createListener(options)
  const itemsFor = itemFinder(limiter.name)
  const fieldsOf = fieldWriter(limiter.name, { styles, partitionKey, clock })
  const contentOf = outcomeWriter(options)
  const settle = createRuleSettlement(limiter, options.releaseOn)

  function judge(
    view: RequestView<R>,
    response: NodeResponse,
    earlier: EarlierHeaders,
  ): Action<H> | Promise<Action<H>> {
    return after(rules.judge(view.raw, view), (judgement) => {
      if (judgement.type === 'pass' && judgement.tags.length === 0) return unlimited
      return after(carriedOut(view, response, judgement), (result) =>
        result === undefined ? disconnected : act(view, response, earlier, result),
      )
    })
  }

  /** Returns undefined if the client disconnects during a delay. The request has then consumed nothing. */
  function carriedOut(
    view: RequestView<R>,
    response: NodeResponse,
    judgement: Judgement,
  ): CarriedOut | undefined | Promise<CarriedOut | undefined> {
    const onTaken = (part: Part): void => settle(response, part)
    const request = originOf(view.raw)
    if (dryRun) return carryOut(limiter, judgement, { request, onTaken })
    let hasLeft = false
    async function wait<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const result = await whileConnected(response, async (signal) => ({ of: await work(signal) }))
      if (result !== undefined) return result.of
      hasLeft = true
      throw new Error('the client has disconnected')
    }
    return rescued<CarriedOut | undefined>(
      () => carryOut(limiter, judgement, { request, onTaken, wait }),
      (error) => {
        if (hasLeft) return undefined
        throw error
      },
    )
  }

  function act(
    view: RequestView<R>,
    response: NodeResponse,
    earlier: EarlierHeaders,
    { decision, enforced }: CarriedOut,
  ): Action<H> | Promise<Action<H>> {
    const { allowed, outcome } = decision
    const isSeen = !allowed || decision.applied.length > 0 || decision.tags.length > 0
    if (isSeen) callOnDecision?.(view.raw, decision)
    const parts = enforced.map((part) => ({ ...part, items: itemsOf(part, earlier) }))
    const fields = fieldsOfAll(parts)
    if (allowed || dryRun) {
      const seen = isSeen ? decision : undefined
      return { type: 'continue', decision: seen, headers: writable(response, fields) }
    }
    const denying = parts.at(0)
    const headers = denying === undefined ? fields : [...fields, retryAfterOf(denying)]
    if (onDenied !== undefined) {
      return handled(onDenied, response, decision, headers, guarded, () => {
        if (denying !== undefined) settle(response, denying)
      })
    }
    return after(contentOf(view, decision, denying), (content) =>
      denied(response, statusOf(outcome), content, decision, headers),
    )
  }

  /** The fields of each part, joined as those of several limiters. */
  function fieldsOfAll(parts: readonly AnsweredPart[]): readonly HeaderField[] {
    if (parts.length === 0) return noFields
    if (parts.length === 1) return fieldsOfPart(parts[0])
    const written = new Map<string, string>()
    for (const part of parts) {
      const joined = joinFields((name) => written.get(name), fieldsOfPart(part))
      for (const [name, value] of joined) written.set(name, value)
    }
    return [...written]
  }

  function fieldsOfPart({ consumption, decision, items }: AnsweredPart): readonly HeaderField[] {
    return fieldsOf(items, consumption.policies, decision, consumption.keys)
  }

  function itemsOf({ consumption }: Part, earlier: EarlierHeaders): PolicyItems {
    return itemsFor(consumption.policies, earlier, consumption.rules)
  }

  return judge
}

function retryAfterOf({ consumption, decision }: Part): HeaderField {
  return retryAfter(consumption.policies, decision)
}

/** The request, only if decision events have a subscriber: the events carry it, and nothing else reads it. */
function originOf(request: unknown): unknown {
  const { decision, denial } = decisionEvents
  return decision.hasSubscribers || denial.hasSubscribers ? request : undefined
}

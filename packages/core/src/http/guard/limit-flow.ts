import type { Decision } from '../../limiter/decision.js'
import { resolveKeys, bindPolicies, type Keys } from '../../limiter/bound-policies.js'
import { isNotLimited } from '../../keys.js'
import type { Limiter } from '../../limiter/limiter.js'
import {
  denied,
  disconnected,
  handled,
  unlimited,
  type Action,
  type Flow,
  type Guarded,
} from './action.js'
import { readList } from '../lists/access-list.js'
import { createConsume } from './consume.js'
import { after } from '../awaitable.js'
import { byIp } from '../keys/by-ip.js'
import { contentWriter, refusalContent } from '../response/denial.js'
import { fieldWriter } from '../response/header-fields.js'
import { noFields, writable, type EarlierHeaders } from '../response/fields.js'
import { keyReader, placeholderKey } from '../keys/key-option.js'
import { createListener } from './listener.js'
import type { RateLimitOptions } from '../options/options.js'
import { termsOf, type ConsumeTerms, type Plan } from '../options/plan.js'
import { itemFinder } from '../response/policy-items.js'
import type { RequestView } from '../request/request-view.js'
import type { NodeResponse } from '../request/response.js'
import { retryAfter } from '../response/retry-after.js'
import { createSettlement } from './settlement.js'

/** The flow of a request with one key and policies, and the function that finds its key. */
interface LimitFlow<R, H> {
  readonly flow: Flow<R, H>
  keyOf(view: RequestView<R>): Keys | Promise<Keys>
}

/** Makes the flow of a request with one key and policies: lists, key, consumption, headers. */
export function limitFlow<R, H>(
  limiter: Limiter,
  options: RateLimitOptions<R, H>,
  plan: Plan<R>,
  guarded: Guarded,
): LimitFlow<R, H> {
  const { name } = limiter
  const { key = byIp(), dryRun = false, onDenied, clock } = options
  const { headers: styles = dryRun ? 'none' : 'draft', partitionKey = false } = options
  const { statusCode = 429, body } = options
  const ownPolicies = plan.perRequest ? undefined : plan.policies
  const allow = readList('allow', options.allow)
  const deny = readList('deny', options.deny)
  const readKey = keyReader(name, key)
  const terms = termsOf(name, plan, options)
  const consume = createConsume(limiter, options)
  const settle = createSettlement(limiter, options, ownPolicies)
  const callOnDecision = createListener(options)
  const itemsFor = itemFinder(name)
  const fieldsOf = fieldWriter(name, { styles, partitionKey, clock })
  const contentOf = contentWriter(body, options.localShare ?? 1)
  if (ownPolicies !== undefined) {
    resolveKeys(name, bindPolicies(name, ownPolicies), placeholderKey(key))
  }

  function keyOf(view: RequestView<R>): Keys | Promise<Keys> {
    return readKey(view.raw, view)
  }

  function flow(
    view: RequestView<R>,
    response: NodeResponse,
    earlier: EarlierHeaders,
  ): Action<H> | Promise<Action<H>> {
    if (deny?.hasAddress(view.address) === true) return forbid(view, response)
    const allowed = allow?.hasAddress(view.address) === true
    if (allowed && deny?.hasKeys !== true) return unlimited
    return after(keyOf(view), (key) => {
      if (isNotLimited(key)) return unlimited
      if (deny?.hasKey(key) === true) return forbid(view, response)
      if (allowed || allow?.hasKey(key) === true) return unlimited
      return decide({ view, response, earlier, key })
    })
  }

  function decide(exchange: Exchange<R>): Action<H> | Promise<Action<H>> {
    return typeof terms === 'function'
      ? after(terms(exchange.view.raw), (own) => consumeBy(own, exchange))
      : consumeBy(terms, exchange)
  }

  function consumeBy(terms: ConsumeTerms, exchange: Exchange<R>): Action<H> | Promise<Action<H>> {
    const { view, response, key } = exchange
    return after(consume(view.raw, response, key, terms), (decision) => {
      if (decision === undefined) return disconnected
      if (decision.allowed) settle?.(response, key, terms, decision)
      callOnDecision?.(view.raw, decision)
      return act(terms, exchange, decision)
    })
  }

  function act(
    terms: ConsumeTerms,
    { view, response, earlier, key }: Exchange<R>,
    decision: Decision,
  ): Action<H> | Promise<Action<H>> {
    const { policies } = terms
    const items = itemsFor(policies, earlier)
    const fields = fieldsOf(items, policies, decision, key)
    if (decision.allowed || dryRun) {
      return { type: 'continue', decision, headers: writable(response, fields) }
    }
    const headers = [...fields, retryAfter(policies, decision)]
    if (onDenied !== undefined) {
      return handled(onDenied, response, decision, headers, guarded, () =>
        settle?.(response, key, terms, decision),
      )
    }
    const denial = { status: statusCode, policies, decision, items }
    return after(contentOf(view, denial), (content) =>
      denied(response, statusCode, content, decision, headers),
    )
  }

  function forbid(view: RequestView<R>, response: NodeResponse): Action<H> {
    return dryRun
      ? unlimited
      : denied(response, 403, refusalContent(view, 403), undefined, noFields)
  }

  return { flow, keyOf }
}

/** A request whose key is known, and its response. */
interface Exchange<R> {
  readonly view: RequestView<R>
  readonly response: NodeResponse
  readonly earlier: EarlierHeaders
  readonly key: Keys
}

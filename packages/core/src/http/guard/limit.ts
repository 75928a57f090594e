import { isNotLimited } from '../../keys.js'
import type { Keys } from '../../limiter/arguments.js'
import type { Decision } from '../../limiter/decision.js'
import type { Limiter } from '../../limiter/limiter.js'
import { delayRequest } from '../../limiter/waits.js'
import type { KeyReader } from '../keys/key-option.js'
import type { Entries } from '../lists/access-list.js'
import type { RateLimitOptions } from '../options/options.js'
import { definedCost, type RequestPolicies } from '../options/request-policies.js'
import { atEnds, listen } from '../request/mistakes.js'
import { refusalContent, type BodyWriter } from '../response/denial.js'
import { noFields } from '../response/fields.js'
import { retryAfterSeconds, type FieldWriter } from '../response/header-fields.js'
import type {
  Counted,
  LimitResult,
  RequestContext,
  ResponseTerms,
} from '../response/limit-result.js'
import { noItems, publicNameOf, type ItemFinder } from '../response/policy-items.js'
import {
  denied,
  disconnected,
  errorFor,
  handled,
  unlimited,
  type Action,
  type Guard,
} from './action.js'
import { afterResponse, isOfGoneClient, noteDenial, whileConnected } from './after-response.js'
import {
  assertCountable,
  assertWithoutResponse,
  isCounted,
  isSuccess,
  keysToReset,
  type Counting,
} from './counting.js'

/** A limit of HTTP requests: its options, and what was read from them once. */
export interface Limit<R, H> extends RequestPolicies<R> {
  readonly name: string
  readonly limiter: Limiter
  readonly options: RateLimitOptions<R, H>
  readonly count: Counting
  /** The option that depends on the response. */
  readonly needed: string | undefined
  readonly allow: Entries | undefined
  readonly deny: Entries | undefined
  readonly keyOf: KeyReader<R>
  readonly itemsFor: ItemFinder
  readonly fieldsOf: FieldWriter
  readonly bodyOf: BodyWriter<R>
}

/**
 * Makes the function that each request of a limit passes, from top to bottom. Rules have lists and keys of their own, and decide by themselves.
 *
 * @param watch looks for mistakes of the application
 */
export function checkOf<R, H>(
  limit: Limit<R, H>,
  watch: (request: R) => void,
): Guard<R, H>['check'] {
  const { name, limiter, options, allow, deny, keyOf, itemsFor, fieldsOf, bodyOf } = limit
  const { skip, rules, onDecision, onDenied, statusCode = 429 } = options
  const { dryRun = false, releaseOn = 'done' } = options

  return async function limitRequest(view, response, earlier, seesResponse = true) {
    const context = { limiter, view, response, dryRun, releaseOn, seesResponse }
    watch(view.raw)
    noteDenial(response, false)
    try {
      // 1. Skip.
      if (skip !== undefined && (await skip(view.raw))) return unlimited

      let result: LimitResult | undefined
      if (rules === undefined) {
        // 2. The lists and the key.
        if (deny?.hasAddressOf(view, 'deny') === true) return forbidden(context)
        const isAllowed = allow?.hasAddressOf(view, 'allow') === true
        if (isAllowed && deny?.hasKeys !== true) return unlimited
        const key = await keyOf(view.raw, view)
        if (isNotLimited(key)) return unlimited
        if (deny?.hasKey(key) === true) return forbidden(context)
        if (isAllowed || allow?.hasKey(key) === true) return unlimited

        // 3. The decision.
        result = await decide(limit, context, key)
      } else {
        result = await rules.decide(context)
      }
      if (result === undefined) return unlimited
      const { decision, counted, answer } = result
      if (onDecision !== undefined) void listen(onDecision, view.raw, decision)

      // 4. The headers.
      const items = counted === undefined ? noItems : itemsFor(counted, earlier)
      const isSilent = counted === undefined || response.headersSent
      const fields = isSilent ? noFields : fieldsOf(items, counted)
      if (decision.allowed || dryRun) return { type: 'continue', decision, headers: fields }

      // 5. The denial.
      const headers = [...fields]
      const retryAfter = counted === undefined ? 0 : retryAfterSeconds(counted)
      if (counted !== undefined) headers.push(['Retry-After', `${retryAfter}`])
      if (onDenied !== undefined) {
        return handled(onDenied, response, decision, headers, name, result.proceed)
      }
      const status = answer?.status ?? statusCode
      const violated = decision.deniedBy.map((policy) => publicNameOf(policy, items))
      const denial = { status, decision, counted, retryAfter, violated, answer }
      const content = await bodyOf(view, denial)
      return denied(response, status, content, decision, headers, violated)
    } catch (error) {
      if (await isOfGoneClient(error, response)) return disconnected
      throw errorFor(name, error)
    }
  }
}

/** A client in the list `deny`. */
function forbidden<R, H>({ view, response, dryRun }: RequestContext<R>): Action<H> {
  return dryRun ? unlimited : denied(response, 403, refusalContent(view, 403), undefined, [], [])
}

/** Decides by the policies and the cost of the options. The request may wait. */
async function decide<R, H>(
  limit: Limit<R, H>,
  context: RequestContext<R>,
  key: Keys,
): Promise<LimitResult> {
  const { limiter, options, policiesFor } = limit
  const { view, response, dryRun, seesResponse } = context
  const request = view.raw
  const policies = policiesFor === undefined ? limit.policies : await policiesFor(request)
  if (policiesFor !== undefined) assertCountable(options, policies)
  const { cost: own = 1 } = options
  const given = typeof own === 'function' ? await own(request) : own
  const cost = typeof given === 'number' ? given : definedCost(limit.name, given)
  if (!seesResponse) assertWithoutResponse(limit.name, policies, limit.needed)
  const mode = dryRun ? 'dryRun' : undefined
  let decision: Decision
  let takeLater: (() => unknown) | undefined
  const ahead = limit.count.reserve ? undefined : await limiter.peek(key, { cost, policies })
  if (ahead?.allowed === true) {
    decision = ahead
    // Its denial denies no request.
    takeLater = () => limiter.consume(key, { cost, policies, request, mode: mode ?? 'shadow' })
  } else if (options.wait === undefined || dryRun) {
    decision = await limiter.consume(key, { cost, policies, request, mode })
    // A leaky queue delays what it allows.
    if (decision.allowed && decision.delayMs > 0 && !dryRun) {
      const allowed = decision
      decision = await whileConnected(response, (left) => delayRequest(limiter, allowed, left))
    }
  } else {
    const wait = { cost, policies, request, maxWait: options.wait.max }
    decision = await whileConnected(response, (signal) => limiter.acquire(key, { ...wait, signal }))
  }
  const counted = { decision, policies, keys: key }
  // The checks of a key function wait for the end of any request.
  const atEnd = seesResponse ? atEnds.get(view) : undefined
  if (atEnd !== undefined) afterResponse(context, undefined, atEnd)
  const { allowed, lease } = decision
  if (allowed && (limit.needed !== undefined || lease !== undefined)) {
    afterwards(context, { ...responseTerms(limit, counted), takeLater })
  }
  return { decision, counted, proceed: () => afterwards(context, responseTerms(limit, counted)) }
}

/** The changes that the response to a request makes to its counts, by the options. */
function responseTerms<R, H>({ options, count }: Limit<R, H>, counted: Counted): ResponseTerms {
  const { when } = count
  const { resetOn } = options
  const all = Object.keys(counted.decision.policies)
  const resets = resetOn === undefined ? [] : resetOn === 'success' ? all : resetOn.success
  if (when === 'all') return { ...counted, resets }
  return { ...counted, resets, uncounted: async (end) => ((await isCounted(when, end)) ? [] : all) }
}

/**
 * Does what follows a response: releases the lease, refunds the policies that do not count such a response or takes the units of a request that counts, and resets the
 * key after a success.
 */
export function afterwards<R>(
  context: RequestContext<R>,
  { decision, policies, keys, uncounted, resets, takeLater }: ResponseTerms,
): void {
  const { limiter } = context
  const { allowed, lease } = decision
  const mayCount = allowed && (uncounted !== undefined || takeLater !== undefined)
  if (lease === undefined && !mayCount && resets.length === 0) return
  afterResponse(context, lease, async (outcome) => {
    await lease?.release()
    const refunded = allowed ? ((await uncounted?.(outcome)) ?? []) : []
    if (takeLater === undefined) {
      if (refunded.length > 0) await limiter.refund(decision, { policies: refunded })
    } else if (refunded.length === 0) await takeLater()
    if (resets.length === 0 || !isSuccess(outcome)) return
    await limiter.reset(keysToReset(keys, policies, resets), { policies })
  })
}

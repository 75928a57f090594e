import type { Decision } from '../../limiter/decision.js'
import {
  resolveKeys,
  bindPolicies,
  type Keys,
  type Policies,
} from '../../limiter/bound-policies.js'
import { showClientText } from '../../errors/for-client.js'
import { sluiceErrorFrom } from '../../errors.js'
import { isNotLimited } from '../../keys.js'
import { createLimiter, type Limiter } from '../../limiter/limiter.js'
import { memoryStore } from '../../stores/memory/index.js'
import type { Store } from '../../stores/store.js'
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
import { after, rescued, type Awaitable } from '../awaitable.js'
import { byIp } from '../keys/by-ip.js'
import { checkOptions } from '../options/check-options.js'
import { contentWriter, refusalContent } from '../response/denial.js'
import { fieldWriter } from '../response/header-fields.js'
import { noFields, writable } from '../response/fields.js'
import { keyReader, placeholderKey } from '../keys/key-option.js'
import { createListener } from './listener.js'
import { watchRequests } from './mistakes.js'
import { claimName, withoutName } from '../options/names.js'
import type { RateLimitOptions } from '../options/options.js'
import { planOf, termsOf, type ConsumeTerms, type Plan } from '../options/plan.js'
import type { RequestView } from '../request/request-view.js'
import type { NodeResponse } from '../request/response.js'
import { retryAfter } from '../response/retry-after.js'
import { rulesFlow } from '../rules/flow.js'
import { createSettlement, grantsLeases } from './settlement.js'

/** Checks each request before its handler. */
export interface Guard<R, H> {
  /**
   * Returns the action for a request. The result is a promise only if the store or a function of the options returns one. Errors are thrown or
   * rejected, for the error handling of the framework; no error allows a request.
   */
  check(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>>
  /** Whether it may hold leases until the handler is done. If so, the adapter has to call `followHandler`. */
  readonly holds: boolean
}

/** A guard with one limiter. */
export interface LimiterGuard<R, H> extends Guard<R, H> {
  /** The limiter of this guard. If each request has its own policies, and with rules, a direct call has to pass `policies` too. */
  readonly limiter: Limiter
}

/**
 * Makes the flow that all adapters share: skip, lists, keys, consume, headers, then continue or deny; and settle after the response.
 *
 * @param route the name of the limiter if its options contain none: adapters pass it for the limiter of a route
 * @param madeAhead whether the caller knows that no request handler makes the guard
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function createGuard<R, H>(
  options: RateLimitOptions<R, H>,
  route?: string,
  madeAhead: boolean = route !== undefined,
): LimiterGuard<R, H> {
  checkOptions(options)
  const { clock, onStoreError, localShare, rules, skip } = options
  const stated = rules?.name ?? options.name ?? route
  const name = stated ?? withoutName
  const plan = planOf(options)
  const { policies } = plan
  const limiter = createLimiter<Store>({
    name,
    policies,
    store: options.store ?? memoryStore(),
    ...(clock === undefined ? {} : { clock }),
    ...(onStoreError === undefined ? {} : { onStoreError }),
    ...(localShare === undefined ? {} : { localShare }),
  })
  const watch = watchRequests(name, madeAhead)
  const flow =
    rules === undefined
      ? limitFlow(limiter, options, plan, guarded)
      : rulesFlow(limiter, options, rules, guarded)
  if (options.store !== undefined) {
    claimName(options.store, stated, plan.perRequest ? undefined : policies)
  }

  function check(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>> {
    return guarded(() => {
      watch(view.raw)
      return skip === undefined
        ? flow(view, response)
        : after(skip(view.raw), (skipped) => (skipped ? unlimited : flow(view, response)))
    })
  }

  function guarded<T>(call: () => Awaitable<T>): T | Promise<T> {
    return rescued(call, fail)
  }

  // Express ignores `throw undefined` and continues, and it reads `throw 'route'` as a command.
  function fail(error: unknown): never {
    if (typeof error === 'object' && error !== null) {
      showClientText(error)
      // oxlint-disable-next-line typescript/only-throw-error -- an error of the application is rethrown unchanged
      throw error
    }
    throw sluiceErrorFrom(error, 'SLUICE_THROWN', name, error)
  }

  return { check, limiter, holds: holdsUnits(options, policies) }
}

/** The flow of a request with one key and policies: lists, key, consumption, headers. */
function limitFlow<R, H>(
  limiter: Limiter,
  options: RateLimitOptions<R, H>,
  plan: Plan<R>,
  guarded: Guarded,
): Flow<R, H> {
  const { name } = limiter
  const { key = byIp(), dryRun = false, onDenied, clock } = options
  const { headers: styles = dryRun ? 'none' : 'draft', partitionKey = false } = options
  const { statusCode = 429, body } = options
  const ownPolicies = plan.perRequest ? undefined : plan.policies
  const allow = readList('allow', options.allow)
  const deny = readList('deny', options.deny)
  const keyOf = keyReader(name, key)
  const terms = termsOf(name, plan, options)
  const consume = createConsume(limiter, options)
  const settle = createSettlement(limiter, options, ownPolicies)
  const callOnDecision = createListener(options)
  const fieldsOf = fieldWriter(name, { styles, partitionKey, clock })
  const contentOf = contentWriter(statusCode, body, options.localShare ?? 1)
  if (ownPolicies !== undefined) {
    resolveKeys(name, bindPolicies(name, ownPolicies), placeholderKey(key))
  }

  function lookUp(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>> {
    if (deny?.hasAddress(view.address) === true) return forbid(view, response)
    const allowed = allow?.hasAddress(view.address) === true
    if (allowed && deny?.hasKeys !== true) return unlimited
    return after(keyOf(view.raw, view), (key) => {
      if (isNotLimited(key)) return unlimited
      if (deny?.hasKey(key) === true) return forbid(view, response)
      if (allowed || allow?.hasKey(key) === true) return unlimited
      return decide(view, response, key)
    })
  }

  function decide(
    view: RequestView<R>,
    response: NodeResponse,
    key: Keys,
  ): Action<H> | Promise<Action<H>> {
    return typeof terms === 'function'
      ? after(terms(view.raw), (own) => consumeBy(own, view, response, key))
      : consumeBy(terms, view, response, key)
  }

  function consumeBy(
    terms: ConsumeTerms,
    view: RequestView<R>,
    response: NodeResponse,
    key: Keys,
  ): Action<H> | Promise<Action<H>> {
    return after(consume(view.raw, response, key, terms), (decision) => {
      if (decision === undefined) return disconnected
      if (decision.allowed) settle?.(response, key, terms, decision)
      callOnDecision?.(view.raw, decision)
      return act(view, response, key, terms, decision)
    })
  }

  function act(
    view: RequestView<R>,
    response: NodeResponse,
    key: Keys,
    terms: ConsumeTerms,
    decision: Decision,
  ): Action<H> | Promise<Action<H>> {
    const { policies } = terms
    const fields = fieldsOf(policies, decision, key)
    if (decision.allowed || dryRun) {
      return { type: 'continue', decision, headers: writable(response, fields) }
    }
    const headers = [...fields, retryAfter(policies, decision)]
    if (onDenied !== undefined) {
      return handled(onDenied, response, decision, headers, guarded, () =>
        settle?.(response, key, terms, decision),
      )
    }
    return after(contentOf(view, policies, decision), (content) =>
      denied(response, statusCode, content, decision, headers),
    )
  }

  function forbid(view: RequestView<R>, response: NodeResponse): Action<H> {
    return dryRun
      ? unlimited
      : denied(response, 403, refusalContent(view, 403), undefined, noFields)
  }

  return lookUp
}

function holdsUnits<R, H>(
  { releaseOn, policies, rules }: RateLimitOptions<R, H>,
  planned: Policies,
): boolean {
  if (releaseOn === 'close') return false
  if (typeof policies === 'function' || rules !== undefined) return true
  return grantsLeases(planned)
}

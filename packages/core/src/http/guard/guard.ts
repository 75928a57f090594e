import type { Decision } from '../../limiter/decision.js'
import {
  resolveKeys,
  bindPolicies,
  type Keys,
  type Policies,
} from '../../limiter/bound-policies.js'
import { sluiceErrorFrom } from '../../errors.js'
import { isNotLimited } from '../../keys.js'
import { createLimiter, type Limiter } from '../../limiter/limiter.js'
import { memoryStore } from '../../stores/memory/index.js'
import type { Store } from '../../stores/store.js'
import { unlimited, type Action, type Deny, type Handle } from './action.js'
import { readList } from '../lists/access-list.js'
import { createConsume } from './consume.js'
import { after, isPromise, type Awaitable } from '../awaitable.js'
import { byIp } from '../keys/by-ip.js'
import { checkOptions } from '../options/check-options.js'
import { contentWriter, forbidden, type Content } from '../answer/denial.js'
import { fieldWriter } from '../answer/header-fields.js'
import { noFields, type HeaderField, type ResponseHeaders } from '../answer/joined-fields.js'
import { keyReader, placeholderKey } from '../keys/key-option.js'
import { createListener } from './listener.js'
import { watchRequests } from './mistakes.js'
import { claimName, withoutName } from '../options/names.js'
import type { RateLimitOptions } from '../options/options.js'
import { namedPolicies, planOf, termsReader, type ConsumeTerms } from '../options/plan.js'
import type { RequestView } from '../request/request-view.js'
import type { NodeResponse } from '../request/response.js'
import { retryAfter } from '../answer/retry-after.js'
import { createSettlement } from './settlement.js'

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
  /** The limiter of this guard. If each request has its own policies, a direct call has to pass `policies` too. */
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
  const { clock, onStoreError, localShare } = options
  const { skip, key = byIp(), dryRun = false, onDenied } = options
  const { headers: styles = dryRun ? 'none' : 'draft', partitionKey = false } = options
  const { statusCode = 429, body } = options
  const name = options.name ?? route ?? withoutName
  const plan = planOf(options)
  const ownPolicies = plan.perRequest ? undefined : plan.policies
  const limiter = createLimiter<Store>({
    name,
    policies: plan.policies,
    store: options.store ?? memoryStore(),
    ...(clock === undefined ? {} : { clock }),
    ...(onStoreError === undefined ? {} : { onStoreError }),
    ...(localShare === undefined ? {} : { localShare }),
  })
  const watch = watchRequests(name, madeAhead)
  const allow = readList('allow', options.allow)
  const deny = readList('deny', options.deny)
  const keyOf = keyReader(name, key)
  const termsOf = termsReader(name, plan, options)
  const consume = createConsume(limiter, options)
  const settle = createSettlement(limiter, options, ownPolicies)
  const callOnDecision = createListener(options)
  const fieldsOf = fieldWriter(name, { styles, partitionKey, clock })
  const contentOf = contentWriter(statusCode, body, localShare ?? 1)
  if (ownPolicies !== undefined) {
    resolveKeys(name, bindPolicies(name, ownPolicies), placeholderKey(key))
  }
  if (options.store !== undefined) claimName(options.store, options.name ?? route, ownPolicies)

  function check(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>> {
    return guarded(() => {
      watch(view.raw)
      return skip === undefined
        ? lookUp(view, response)
        : after(skip(view.raw), (skipped) => (skipped ? unlimited : lookUp(view, response)))
    })
  }

  /** Runs code that calls functions of the application. */
  function guarded<T>(call: () => Awaitable<T>): T | Promise<T> {
    try {
      const result = call()
      return isPromise(result) ? Promise.resolve(result).catch(fail) : result
    } catch (error) {
      return fail(error)
    }
  }

  // Express ignores `throw undefined` and continues, and it reads `throw 'route'` as a command.
  function fail(error: unknown): never {
    // oxlint-disable-next-line typescript/only-throw-error -- an error of the application is rethrown unchanged
    if (typeof error === 'object' && error !== null) throw error
    throw sluiceErrorFrom(error, 'SLUICE_THROWN', name, error)
  }

  function lookUp(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>> {
    if (deny?.hasAddress(view.address) === true) return forbid(view, response)
    const allowed = allow?.hasAddress(view.address) === true
    if (allowed && deny?.hasKeys !== true) return unlimited
    return after(keyOf(view), (key) => {
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
    return after(termsOf(view.raw), (terms) =>
      after(consume(view.raw, response, key, terms), (decision) => {
        if (decision === undefined) return disconnected
        if (decision.allowed) settle(response, key, terms, decision)
        callOnDecision(view.raw, decision)
        return act(view, response, key, terms, decision)
      }),
    )
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
      return handle(onDenied, response, key, terms, decision, writable(response, headers))
    }
    return after(contentOf(view, policies, decision), (content) =>
      denied(response, statusCode, content, decision, headers),
    )
  }

  function handle(
    handler: H,
    response: NodeResponse,
    key: Keys,
    terms: ConsumeTerms,
    decision: Decision,
    headers: readonly HeaderField[],
  ): Handle<H> {
    let proceeds = false
    return {
      type: 'handle',
      decision,
      headers,
      callHandler: (call) => guarded(() => call(handler)),
      proceed(written: ResponseHeaders) {
        if (proceeds) return
        proceeds = true
        if (!response.headersSent) written.removeHeader('Retry-After')
        settle(response, key, terms, decision)
      },
    }
  }

  function forbid(view: RequestView<R>, response: NodeResponse): Action<H> {
    return dryRun ? unlimited : denied(response, 403, forbidden(view), undefined, noFields)
  }

  return { check, limiter, holds: holdsUnits(options, plan.policies) }
}

function holdsUnits<R, H>(
  { releaseOn, policies }: RateLimitOptions<R, H>,
  planned: Policies,
): boolean {
  if (releaseOn === 'close') return false
  if (typeof policies === 'function') return true
  return Object.values(namedPolicies(planned)).some(({ kind }) => kind === 'concurrency')
}

/** The client has disconnected, so no response is sent. The status is for the application's log; nginx writes the same one. */
const disconnected: Deny = {
  type: 'deny',
  decision: undefined,
  headers: noFields,
  status: 499,
  body: '',
}

function denied(
  response: NodeResponse,
  status: number,
  { type, text }: Content,
  decision: Decision | undefined,
  fields: readonly HeaderField[],
): Deny {
  const headers = writable(response, [...fields, ['Content-Type', type]])
  return { type: 'deny', decision, headers, status, body: text }
}

/** No fields if the headers are sent already, as an earlier middleware may have done. */
function writable(response: NodeResponse, fields: readonly HeaderField[]): readonly HeaderField[] {
  return response.headersSent ? noFields : fields
}

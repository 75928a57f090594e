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
import { isPolicy } from '../../policy.js'
import { memoryStore } from '../../stores/memory/index.js'
import type { Store } from '../../stores/store.js'
import type { Action, Continue, Deny, Handle } from './action.js'
import { readList } from '../lists/access-list.js'
import { createAdmission } from './admission.js'
import { after, isPromise, type Awaitable } from '../awaitable.js'
import { byIp } from '../keys/by-ip.js'
import { checkOptions } from '../options/check-options.js'
import { contentWriter, refusal, type Content } from '../answer/denial.js'
import { fieldWriter } from '../answer/header-fields.js'
import type { HeaderField, ResponseHeaders } from '../answer/joined-fields.js'
import { keyReader, sampleKey } from '../keys/key-option.js'
import { createListener } from './listener.js'
import { watchRequests } from './mistakes.js'
import { claimName, withoutName } from '../options/names.js'
import type { RateLimitOptions } from '../options/options.js'
import { planOf } from '../options/plan.js'
import type { RequestView } from '../request/request-view.js'
import type { NodeResponse } from '../request/response.js'
import { retryAfter } from '../answer/retry-after.js'
import { createSettlement } from './settlement.js'
import { termsReader, type ConsumeTerms } from '../options/terms.js'

/** What stands in front of a handler. */
export interface Guard<R, H> {
  /**
   * Says what is to become of a request: at once where the store and all functions of the options answer at once, else by a promise.
   * What goes wrong is thrown or rejected, for the framework's own error handling; it never lets a request through.
   */
  check(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>>
  /** Whether it may hold something until the handler is done, so that `followHandler` tells it something. */
  readonly holds: boolean
}

/** A guard with one limiter. */
export interface LimiterGuard<R, H> extends Guard<R, H> {
  /** The limiter that decides for this guard. If each request brings its own policies, a call has to pass `policies` too. */
  readonly limiter: Limiter
}

/**
 * Makes the flow that every adapter shares: skip, lists, keys, consume, headers, then go on or answer; after the response, settle.
 *
 * @param route what the limiter is called where its options give it no name: an adapter passes it where it makes limiters for routes
 * @param madeAhead whether it is known that no request handler makes it
 * @throws SluiceError where an option is missing, unknown or wrong
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
  const known = plan.perRequest ? undefined : plan.policies
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
  const admit = createAdmission(limiter, options)
  const settle = createSettlement(limiter, options, known)
  const tell = createListener(options)
  const fieldsOf = fieldWriter(name, { styles, partitionKey, clock })
  const contentOf = contentWriter(statusCode, body, localShare ?? 1)
  if (known !== undefined) resolveKeys(name, bindPolicies(name, known), sampleKey(key))
  if (options.store !== undefined) claimName(options.store, options.name ?? route, known)

  // Each step goes on to the next in the same tick, unless a function of the options or the store answers by a promise.

  function check(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>> {
    return guarded(() => {
      watch(view.raw)
      return skip === undefined
        ? lookUp(view, response)
        : after(skip(view.raw), (skipped) => (skipped ? unlimited : lookUp(view, response)))
    })
  }

  /** Calls what calls functions of the application. */
  function guarded<T>(call: () => Awaitable<T>): T | Promise<T> {
    try {
      const result = call()
      return isPromise(result) ? Promise.resolve(result).catch(fail) : result
    } catch (error) {
      return fail(error)
    }
  }

  // Express goes on after `throw undefined`, and somewhere else after `throw 'route'`.
  function fail(error: unknown): never {
    // oxlint-disable-next-line typescript/only-throw-error -- an application's own error passes as it is
    if (typeof error === 'object' && error !== null) throw error
    throw sluiceErrorFrom(error, 'SLUICE_THROWN', name, error)
  }

  function lookUp(view: RequestView<R>, response: NodeResponse): Action<H> | Promise<Action<H>> {
    if (deny?.hasAddress(view.address) === true) return refuse(view, response)
    const allowed = allow?.hasAddress(view.address) === true
    if (allowed && deny?.hasKeys !== true) return unlimited
    return after(keyOf(view), (key) => {
      if (isNotLimited(key)) return unlimited
      if (deny?.hasKey(key) === true) return refuse(view, response)
      if (allowed || allow?.hasKey(key) === true) return unlimited
      return ask(view, response, key)
    })
  }

  function ask(
    view: RequestView<R>,
    response: NodeResponse,
    key: Keys,
  ): Action<H> | Promise<Action<H>> {
    return after(termsOf(view.raw), (terms) =>
      after(admit(view.raw, response, key, terms), (decision) => {
        if (decision === undefined) return wentAway
        if (decision.allowed) settle(response, key, terms, decision)
        tell(view.raw, decision)
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
    let goesOn = false
    return {
      type: 'handle',
      decision,
      headers,
      answer: (call) => guarded(() => call(handler)),
      goOn(written: ResponseHeaders) {
        if (goesOn) return
        goesOn = true
        if (!response.headersSent) written.removeHeader('Retry-After')
        settle(response, key, terms, decision)
      },
    }
  }

  function refuse(view: RequestView<R>, response: NodeResponse): Action<H> {
    return dryRun ? unlimited : denied(response, 403, refusal(view), undefined, none)
  }

  return { check, limiter, holds: holdsUnits(options, plan.policies) }
}

function holdsUnits<R, H>(
  { releaseOn, policies }: RateLimitOptions<R, H>,
  planned: Policies,
): boolean {
  if (releaseOn === 'close') return false
  // A function may give any policies.
  if (typeof policies === 'function') return true
  const all = isPolicy(planned) ? [planned] : Object.values(planned)
  return all.some(({ kind }) => kind === 'concurrency')
}

/** The request is none of the limiter's business. */
const unlimited: Continue = { type: 'continue', decision: undefined, headers: [] }

const none: readonly HeaderField[] = []

/** Nobody is left to answer. The status, which some servers write for it, is for the application's own log. */
const wentAway: Deny = { type: 'deny', decision: undefined, headers: none, status: 499, body: '' }

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

/** What can still be written: whoever stood before us may have sent the headers already. */
function writable(response: NodeResponse, fields: readonly HeaderField[]): readonly HeaderField[] {
  return response.headersSent ? none : fields
}

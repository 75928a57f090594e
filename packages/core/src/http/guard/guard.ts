import type { Keys, Policies } from '../../limiter/bound-policies.js'
import { showClientText } from '../../errors/for-client.js'
import { sluiceError, sluiceErrorFrom } from '../../errors.js'
import { makeLimiter, type Limiter } from '../../limiter/limiter.js'
import { claimNames } from '../../limiter/names.js'
import { memoryStore } from '../../stores/memory/index.js'
import type { Store } from '../../stores/store.js'
import { unlimited, type Action } from './action.js'
import { after, rescued, type Awaitable } from '../awaitable.js'
import { checkOptions } from '../options/check-options.js'
import { limitFlow } from './limit-flow.js'
import { watchRequests } from './mistakes.js'
import { guardNames, withoutName } from '../options/names.js'
import type { RateLimitOptions } from '../options/options.js'
import { planOf } from '../options/plan.js'
import type { RequestView } from '../request/request-view.js'
import type { EarlierHeaders } from '../response/fields.js'
import type { NodeResponse } from '../request/response.js'
import { rulesFlow } from '../rules/flow.js'
import { grantsLeases } from './settlement.js'

/** Checks each request before its handler. */
export interface Guard<R, H> {
  /**
   * Returns the action for a request. The result is a promise only if the store or a function of the options returns one. Errors are thrown or
   * rejected, for the error handling of the framework; no error allows a request.
   *
   * @param earlier the headers that the response has already
   */
  check(
    view: RequestView<R>,
    response: NodeResponse,
    earlier: EarlierHeaders,
  ): Action<H> | Promise<Action<H>>
  /** Whether it may hold leases until the handler is done. If so, the adapter has to call `followHandler`. */
  readonly holds: boolean
}

/** A guard with one limiter. */
export interface LimiterGuard<R, H> extends Guard<R, H> {
  /** The limiter of this guard. If each request has its own policies, and with rules, a direct call has to pass `policies` too. */
  readonly limiter: Limiter
  /**
   * The key or the keys under which a request counts, as the methods of the limiter take them. A promise if the function `key` returns one. Errors are
   * those of `check`.
   *
   * @throws SluiceError SLUICE_KEY_PER_RULE with rules
   */
  keyOf(view: RequestView<R>): Keys | Promise<Keys>
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
  const { limiter, names } = makeLimiter<Store>({
    name,
    policies,
    store: options.store ?? memoryStore(),
    ...(clock === undefined ? {} : { clock }),
    ...(onStoreError === undefined ? {} : { onStoreError }),
    ...(localShare === undefined ? {} : { localShare }),
  })
  const watch = watchRequests(name, madeAhead)
  const { flow, keyOf } =
    rules === undefined
      ? limitFlow(limiter, options, plan, guarded)
      : { flow: rulesFlow(limiter, options, rules, guarded), keyOf: keyOfRules }
  // Last, because a limiter whose options are wrong must not keep a name.
  if (options.store !== undefined) {
    const own = guardNames(stated, plan.perRequest ? undefined : policies)
    claimNames(limiter, options.store, [...own, ...names])
  }

  function check(
    view: RequestView<R>,
    response: NodeResponse,
    earlier: EarlierHeaders,
  ): Action<H> | Promise<Action<H>> {
    return guarded(() => {
      watch(view.raw)
      return skip === undefined
        ? flow(view, response, earlier)
        : after(skip(view.raw), (skipped) => (skipped ? unlimited : flow(view, response, earlier)))
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

  return {
    check,
    limiter,
    keyOf: (view) => guarded(() => keyOf(view)),
    holds: holdsUnits(options, policies),
  }
}

function keyOfRules(): never {
  throw sluiceError('SLUICE_KEY_PER_RULE')
}

function holdsUnits<R, H>(
  { releaseOn, policies, rules }: RateLimitOptions<R, H>,
  planned: Policies,
): boolean {
  if (releaseOn === 'close') return false
  if (typeof policies === 'function' || rules !== undefined) return true
  return grantsLeases(planned)
}

import type { Policies } from '../../limiter/bound-policies.js'
import type { Keys } from '../../limiter/arguments.js'
import { showClientText } from '../../errors/for-client.js'
import { sluiceError, sluiceErrorFrom } from '../../errors.js'
import { makeLimiter, type Limiter } from '../../limiter/limiter.js'
import { claimNames, type NameUse } from '../../limiter/names.js'
import { memoryStore } from '../../stores/memory/index.js'
import { namedPolicies } from '../../policy.js'
import type { Store } from '../../stores/store.js'
import { unlimited, type Action } from './action.js'
import { answerStage, decideStage } from './decide.js'
import { after, rescued, type Awaitable } from '../../awaitable.js'
import { checkOptions } from '../options/check-options.js'
import { Exchange, runStages, type Stage } from './exchange.js'
import {
  mayHaveLease,
  judgeByLimit,
  judgeByRules,
  unseenConsumptions,
  unseenOptions,
} from './judge.js'
import { watchRequests } from '../request/mistakes.js'
import type { RateLimitOptions } from '../options/options.js'
import type { OptionReaders } from '../../options/readers.js'
import { requestPoliciesOf, type RequestPolicies } from '../options/request-policies.js'
import type { RequestView } from '../request/view.js'
import type { EarlierHeaders } from '../response/fields.js'
import type { GuardedResponse } from '../request/response.js'
import { createSettlement } from './settlement.js'

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
    response: GuardedResponse,
    earlier: EarlierHeaders,
  ): Action<H> | Promise<Action<H>>
  /** Whether it may hold leases until the handler is done. If so, the adapter has to call `followHandler`. */
  readonly holds: boolean
  /** Whether the end of an exchange can change what was counted, or releases a lease. If so, a response that is not Node's has to be reported. */
  readonly settles: boolean
}

/** A guard with one limiter. */
export interface LimiterGuard<R, H> extends Guard<R, H> {
  /**
   * Like `check`, for a place that sees no response.
   *
   * @throws SluiceError SLUICE_RESPONSE_UNSEEN if a limit depends on the response
   */
  checkUnseen(
    view: RequestView<R>,
    response: GuardedResponse,
    earlier: EarlierHeaders,
  ): Action<H> | Promise<Action<H>>
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
 * Makes the guard that all adapters share. A request passes its stages: skip, then the lists and the key or the rules, then the limits, then the answer.
 * After the response, it is settled.
 *
 * @param route the name of the limiter if its options contain none: adapters pass it for the limiter of a route
 * @param madeAhead whether the caller knows that no request handler makes the guard
 * @param seesResponse whether the framework shows the response. If not, the guard has to be asked by `checkUnseen`
 * @param own the options that only the adapter has
 * @throws SluiceError if an option is missing, unknown or wrong
 */
export function createGuard<R, H>(
  options: RateLimitOptions<R, H>,
  route?: string,
  madeAhead: boolean = route !== undefined,
  seesResponse: boolean = true,
  own?: OptionReaders,
): LimiterGuard<R, H> {
  checkOptions(options, own)
  const { clock, onStoreError, localShare, rules, skip } = options
  const stated = rules?.name ?? options.name ?? route
  const name = stated ?? withoutName
  const requestPolicies = requestPoliciesOf(options)
  const { policies } = requestPolicies
  const refuseUnseen = unseenOptions<R, H>(name, options, policies)
  if (!seesResponse) refuseUnseen()
  const { limiter, names } = makeLimiter<Store>({
    name,
    policies,
    store: options.store ?? memoryStore(),
    ...(clock === undefined ? {} : { clock }),
    ...(onStoreError === undefined ? {} : { onStoreError }),
    ...(localShare === undefined ? {} : { localShare }),
  })
  const watch = watchRequests(name, madeAhead)
  const judge =
    rules === undefined ? judgeByLimit(name, options, requestPolicies) : judgeByRules<R, H>(rules)
  const settle = isSettled(options, requestPolicies)
    ? createSettlement(limiter, options)
    : undefined
  const judging = [...(skip === undefined ? [] : [skipStage<R, H>(skip)]), judge.judge]
  const deciding = [
    decideStage<R, H>(limiter, options.dryRun ?? false),
    answerStage(limiter, options, guarded, settle),
  ]
  const stages: readonly Stage<R, H>[] = [...judging, ...deciding]
  const unseenStages: readonly Stage<R, H>[] = [
    refuseUnseen,
    ...judging,
    unseenConsumptions(name),
    ...deciding,
  ]
  // Last, because a limiter whose options are wrong must not keep a name.
  if (options.store !== undefined) {
    const own = guardNames(stated, requestPolicies.perRequest ? undefined : policies)
    claimNames(limiter, options.store, [...own, ...names])
  }

  function check(
    view: RequestView<R>,
    response: GuardedResponse,
    earlier: EarlierHeaders,
  ): Action<H> | Promise<Action<H>> {
    try {
      watch(view.raw)
      const action = runStages(stages, new Exchange<R, H>(view, response, earlier, settle))
      return action instanceof Promise ? action.catch(fail) : action
    } catch (error) {
      return fail(error)
    }
  }

  function checkUnseen(
    view: RequestView<R>,
    response: GuardedResponse,
    earlier: EarlierHeaders,
  ): Action<H> | Promise<Action<H>> {
    return guarded(() => {
      watch(view.raw)
      return runStages(unseenStages, new Exchange<R, H>(view, response, earlier, undefined))
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
    checkUnseen,
    limiter,
    keyOf: (view) => guarded(() => judge.keyOf(view)),
    holds: holdsUnits(options, policies),
    settles: settle !== undefined,
  }
}

function skipStage<R, H>(skip: (request: R) => Awaitable<boolean>): Stage<R, H> {
  return (exchange) =>
    after(skip(exchange.view.raw), (skipped) => {
      if (skipped) exchange.action = unlimited
    })
}

/** Whether the response can change what a request has counted, or ends a lease. */
function isSettled<R, H>(
  { count = 'all', resetOn }: RateLimitOptions<R, H>,
  { perRequest, policies }: RequestPolicies<R>,
): boolean {
  return perRequest || count !== 'all' || resetOn !== undefined || mayHaveLease(policies)
}

function holdsUnits<R, H>(
  { releaseOn, policies, rules }: RateLimitOptions<R, H>,
  planned: Policies,
): boolean {
  if (releaseOn === 'close') return false
  if (typeof policies === 'function' || rules !== undefined) return true
  return mayHaveLease(planned)
}

/**
 * The names of a `rateLimit`, besides those of every limiter. Two of them with the same name and the same policies count together, as two processes do.
 * Other numbers are a mistake, because both would count together by different limits. So are two without a name.
 *
 * @param name undefined if the options contain none
 * @param policies undefined if each request has its own
 */
function guardNames(name: string | undefined, policies: Policies | undefined): NameUse[] {
  const claimed = name ?? withoutName
  const use: NameUse = {
    name: JSON.stringify(['rateLimit', claimed]),
    content: '',
    conflictWith() {
      if (name !== undefined) return undefined
      const expected =
        'a name to each limiter of this store: another limiter has no name either, or is called "default", and both would count together'
      return sluiceError('SLUICE_OPTION_MISSING', 'rateLimit', 'name', expected)
    },
  }
  if (policies === undefined) return [use]
  const content = textOf(policies)
  const ofPolicies: NameUse = {
    name: JSON.stringify(['policies', claimed]),
    content,
    conflictWith: (other) =>
      other === content ? undefined : sluiceError('SLUICE_NAME_TAKEN', claimed),
  }
  return [use, ofPolicies]
}

/** The name of a limiter whose options contain no name. */
const withoutName = 'default'

/** Equal policies have equal texts, in any order. */
function textOf(policies: Policies): string {
  return JSON.stringify(
    Object.entries(namedPolicies(policies)).sort(([a], [b]) => (a < b ? -1 : 1)),
  )
}

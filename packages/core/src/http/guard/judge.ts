import { grantsLeases } from '../../algorithms/kind.js'
import { isNotLimited } from '../../keys.js'
import { bindPolicies, type Policies } from '../../limiter/bound-policies.js'
import { costOf, resolveKeys, type Keys } from '../../limiter/arguments.js'
import { sluiceError } from '../../errors.js'
import { requestError } from '../../errors/request-error.js'
import { millisecondsOf } from '../../options/durations.js'
import { namedPolicies } from '../../policy.js'
import { after, rescued } from '../../awaitable.js'
import { byIp } from '../keys/by-ip.js'
import { keyReader, placeholderKey } from '../keys/key-option.js'
import { readList, type Entries } from '../lists/access-list.js'
import type { RateLimitOptions } from '../options/options.js'
import {
  policiesAndCostOf,
  type PoliciesAndCost,
  type RequestPolicies,
} from '../options/request-policies.js'
import { warnOfFailure } from '../request/mistakes.js'
import type { RequestView } from '../request/view.js'
import { refusalContent } from '../response/denial.js'
import { noFields } from '../response/fields.js'
import type { AppliedRule, Consumption, Outcome, Rules } from '../rules/judgement.js'
import { denied, unlimited } from './action.js'
import type { Exchange, Judge, Stage } from './exchange.js'

/**
 * Judges each request by one key and policies: it asks one consumption.
 *
 * @throws SluiceError SLUICE_OPTION_INVALID if `resetOn` names an unknown policy; and the errors of a wrong key or cost
 */
export function judgeByLimit<R, H>(
  name: string,
  options: RateLimitOptions<R, H>,
  requestPolicies: RequestPolicies<R>,
): Judge<R, H> {
  const { key: keyOption = byIp(), dryRun = false } = options
  const allow = readList('allow', options.allow)
  const deny = readList('deny', options.deny)
  const readKey = keyReader(name, keyOption)
  const policiesAndCost = policiesAndCostOf(name, requestPolicies, options)
  const rulesOf = ruleMaker(options)
  const asked = typeof policiesAndCost === 'function' ? undefined : askedBy(policiesAndCost)
  if (!requestPolicies.perRequest) {
    assertNames(options.resetOn, Object.keys(namedPolicies(requestPolicies.policies)))
    const bound = bindPolicies(name, requestPolicies.policies)
    resolveKeys(name, bound, placeholderKey(keyOption))
    if (typeof options.cost !== 'function') costOf(name, bound, bound, options.cost)
  }

  function keyOf(view: RequestView<R>): Keys | Promise<Keys> {
    return readKey(view.raw, view)
  }

  function findKey(exchange: Exchange<R, H>): void | Promise<void> {
    const { view } = exchange
    if (deny !== undefined && isListed('deny', deny, view)) return forbid(exchange)
    const isAllowed = allow !== undefined && isListed('allow', allow, view)
    if (isAllowed && deny?.hasKeys !== true) {
      exchange.action = unlimited
      return undefined
    }
    const key = readKey(view.raw, view)
    return key instanceof Promise
      ? key.then((found) => ask(exchange, found, isAllowed))
      : ask(exchange, key, isAllowed)
  }

  function ask(exchange: Exchange<R, H>, key: Keys, isAllowed: boolean): void | Promise<void> {
    if (isNotLimited(key)) exchange.action = unlimited
    else if (deny?.hasKey(key) === true) forbid(exchange)
    else if (isAllowed || allow?.hasKey(key) === true) exchange.action = unlimited
    else if (asked !== undefined) {
      const { policies, cost, rules } = asked
      exchange.consumption = { keys: key, policies, cost, rules }
    } else if (typeof policiesAndCost === 'function') {
      return after(policiesAndCost(exchange.view.raw), (own) => {
        exchange.consumption = { keys: key, ...askedBy(own) }
      })
    }
    return undefined
  }

  function askedBy({ policies, cost }: PoliciesAndCost): Omit<Consumption, 'keys'> {
    return { policies, cost, rules: rulesOf(policies) }
  }

  function forbid(exchange: Exchange<R, H>): void {
    const { view, response } = exchange
    exchange.action = dryRun
      ? unlimited
      : denied(response, 403, refusalContent(view, 403), undefined, noFields, [])
  }

  return { judge: findKey, keyOf }
}

/** Whether a list contains the address of a request. */
function isListed(option: 'allow' | 'deny', list: Entries, view: RequestView<unknown>): boolean {
  const { address } = view
  const isFound = list.hasAddress(address)
  if (isFound !== undefined) return isFound
  throw requestError('SLUICE_ADDRESS_MISSING', address, view.addressAdvice, option)
}

/** Judges each request by the rules that apply to it. */
export function judgeByRules<R, H>(rules: Rules<R>): Judge<R, H> {
  return {
    judge: (exchange) =>
      after(rules.judge(exchange.view.raw, exchange.view), (judgement) => {
        if (judgement.type === 'pass' && judgement.tags.length === 0) exchange.action = unlimited
        exchange.judgement = judgement
        exchange.consumption = judgement.type === 'ask' ? judgement.enforced[0] : undefined
      }),
    keyOf() {
      throw requestError('SLUICE_KEY_PER_RULE')
    },
  }
}

/** Makes the function that finds the rules of policies, which are the same for all policies of a limit, except that `resetOn` can name some. */
function ruleMaker<R, H>({
  wait,
  count = 'all',
  resetOn,
}: RateLimitOptions<R, H>): (policies: Policies) => ReadonlyMap<string, AppliedRule> {
  const maxMs = wait === undefined ? undefined : millisecondsOf(wait.max)
  const outcome: Outcome =
    maxMs === undefined ? { type: 'deny', status: 429 } : { type: 'delay', maxMs }
  // A function decides by itself, in the settlement.
  const counts = typeof count === 'function' ? 'all' : count
  const names = typeof resetOn === 'object' ? resetOn.success : undefined
  const known = new WeakMap<Policies, ReadonlyMap<string, AppliedRule>>()

  return function rulesOf(policies) {
    let rules = known.get(policies)
    if (rules === undefined) {
      rules = new Map(
        Object.keys(namedPolicies(policies)).map((rule) => {
          const resetOnSuccess = resetOn !== undefined && names?.includes(rule) !== false
          return [rule, { rule, outcome, counts, resetOnSuccess }]
        }),
      )
      known.set(policies, rules)
    }
    return rules
  }
}

function assertNames<R, H>(
  resetOn: RateLimitOptions<R, H>['resetOn'],
  known: readonly string[],
): void {
  const names = typeof resetOn === 'object' ? resetOn.success : []
  const stray = names.find((name) => !known.includes(name))
  if (stray === undefined) return
  const expected = `names of its policies: ${known.map((name) => JSON.stringify(name)).join(', ')}`
  throw sluiceError('SLUICE_OPTION_INVALID', 'resetOn', 'success', stray, expected)
}

/** Whether a decision by these policies can have a lease. */
export function mayHaveLease(policies: Policies): boolean {
  return Object.values(namedPolicies(policies)).some(grantsLeases)
}

/**
 * Makes the stage before the others of a check that sees no response. It refuses options that depend on the response, before anything is taken.
 *
 * @throws SluiceError SLUICE_RESPONSE_UNSEEN, at each call of the stage
 */
export function unseenOptions<R, H>(
  limiter: string,
  { count = 'all', resetOn }: RateLimitOptions<R, H>,
  policies: Policies,
): () => void {
  const options = count === 'all' ? resetOn && '"resetOn"' : '"count"'
  const needed = options ?? (mayHaveLease(policies) ? aConcurrency : undefined)
  return function refuseOptions() {
    if (needed !== undefined) throw requestError('SLUICE_RESPONSE_UNSEEN', limiter, needed)
  }
}

const aConcurrency = 'a policy of "concurrency"'

/**
 * Makes the stage before the limits are asked. It refuses policies and rules that a request has of its own, if they depend on the response. The request does
 * not wait for late shadow rules: these are not asked, and the error is a warning.
 */
export function unseenConsumptions<R, H>(limiter: string): Stage<R, H> {
  function seen(asked: readonly Consumption[]): readonly Consumption[] {
    for (const one of asked) {
      const needed = neededBy(one)
      if (needed !== undefined) throw requestError('SLUICE_RESPONSE_UNSEEN', limiter, needed)
    }
    return asked
  }

  return function refuseConsumptions(exchange) {
    const { consumption, judgement } = exchange
    if (consumption !== undefined) seen([consumption])
    if (judgement?.type !== 'ask') return
    seen([...judgement.tagging, ...judgement.shadow])
    if (judgement.lateShadow === undefined) return
    const lateShadow = judgement.lateShadow.then(
      (late) => rescued(() => seen(late), warnOfSkipped),
      // An error of a value for shadow rules is not that of the request.
      noConsumptions,
    )
    exchange.judgement = { ...judgement, lateShadow }
  }
}

function warnOfSkipped(error: unknown): readonly Consumption[] {
  warnOfFailure(error)
  return noConsumptions()
}

const noConsumptions = (): readonly Consumption[] => []

function neededBy({ policies, rules }: Consumption): string | undefined {
  if (mayHaveLease(policies)) return aConcurrency
  for (const { rule, counts, resetOnSuccess } of rules.values()) {
    if (counts !== 'all') return `"count" of the rule ${JSON.stringify(rule)}`
    if (resetOnSuccess) return `"resetOn" of the rule ${JSON.stringify(rule)}`
  }
  return undefined
}

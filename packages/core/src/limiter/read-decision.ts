import { Kept } from '../stores/kept.js'
import { exemptMs, isExempt } from '../stores/override.js'
import {
  costAt,
  type LimiterPolicy,
  type DecisionRequest,
  type State,
  type Store,
  type StoreResult,
} from '../stores/store.js'
import { counts } from './limiter-policies.js'
import type { Decision, Status, Verdict } from './decision.js'
import { MadeDecision, receiptOf, receiptsOf, withReceipts } from './receipt.js'
import { longest, policyStatusOf, putByName, verdictOf } from './verdict.js'

export const noNames: readonly string[] = Object.freeze([])

/** Decisions of one policy, and of several, which have records of verdicts with other names. */
const kept = new Kept<Decision>()
const keptCombined = new Kept<Decision>()

/** The decision about a request. The states are those after it. */
export function decisionOf(request: DecisionRequest, result: StoreResult): Decision<never> {
  const { policies, cost } = request
  const { allowed, states } = result
  // Whether the states contain the units. While everything is allowed without counts, a peek is answered as a consumption is.
  const areTaken = allowed && (request.verb === 'consume' || result.source === 'open')
  if (policies.length !== 1) return combinedDecision(request, result, areTaken)
  const { name } = policies[0]
  const verdict = verdictOf(policies[0], states[0], costAt(cost, 0), areTaken)
  const decision = new MadeDecision(
    allowed,
    verdict.limit,
    verdict.remaining,
    verdict.retryAfterMs,
    verdict.resetMs,
    allowed ? verdict.delayMs : 0,
    allowed ? noNames : [name],
    // A literal, because most policies have this name.
    name === 'default' ? { default: verdict } : { [name]: verdict },
    result.source ?? 'store',
    request,
    result,
  )
  kept.offer(decision)
  return states[0].override === undefined ? decision : withExemption(decision, policies, states)
}

function combinedDecision(
  request: DecisionRequest,
  result: StoreResult,
  areTaken: boolean,
): Decision<never> {
  const { policies, cost } = request
  const { allowed, states, source = 'store' } = result
  if (policies.length === 0) return withoutPolicies(request, result)
  const verdicts = policies.map((one, i) => verdictOf(one, states[i], costAt(cost, i), areTaken))
  let { limit, remaining, retryAfterMs, resetMs, delayMs } = verdicts[0]
  for (let i = 1; i < verdicts.length; i++) {
    const verdict = verdicts[i]
    if (verdict.remaining < remaining) {
      limit = verdict.limit
      remaining = verdict.remaining
    }
    retryAfterMs = longest(retryAfterMs, verdict.retryAfterMs)
    if (verdict.resetMs > resetMs) resetMs = verdict.resetMs
    if (verdict.delayMs > delayMs) delayMs = verdict.delayMs
  }
  const hasOverride = states.some(({ override }) => override !== undefined)
  if (hasOverride && !allowed) retryAfterMs = waitPastExemptions(retryAfterMs, request, states)
  const decision = new MadeDecision(
    allowed,
    limit,
    remaining,
    retryAfterMs,
    resetMs,
    allowed ? delayMs : 0,
    allowed ? noNames : policies.filter((_, i) => !verdicts[i].allowed).map(({ name }) => name),
    byName(policies, verdicts),
    source,
    request,
    result,
  )
  keptCombined.offer(decision)
  return hasOverride ? withExemption(decision, policies, states) : decision
}

/** The wait of a denial. If an exemption ends before the other policies allow the request, its policy has to allow it as well. */
function waitPastExemptions(
  wait: number | null,
  { policies, cost }: DecisionRequest,
  states: readonly State[],
): number | null {
  const exempt = [...states.keys()].filter((i) => isExempt(states[i]))
  exempt.sort((a, b) => exemptMs(states[a]) - exemptMs(states[b]))
  return exempt.reduce((waitMs, i) => {
    if (waitMs === null || waitMs < exemptMs(states[i])) return waitMs
    const state = { ...states[i], override: undefined }
    return longest(waitMs, verdictOf(policies[i], state, costAt(cost, i), false).retryAfterMs)
  }, wait)
}

/** One value for each policy, by its name. A literal takes less time than a loop. */
export function byName<T>(
  policies: readonly LimiterPolicy[],
  values: readonly T[],
): Record<string, T> {
  const nameAt = (i: number): string => policies[i].name
  if (policies.length === 1) return { [nameAt(0)]: values[0] }
  if (policies.length === 2) return { [nameAt(0)]: values[0], [nameAt(1)]: values[1] }
  if (policies.length === 3) {
    return { [nameAt(0)]: values[0], [nameAt(1)]: values[1], [nameAt(2)]: values[2] }
  }
  const named: Record<string, T> = {}
  for (let i = 0; i < policies.length; i++) putByName(named, policies[i].name, values[i])
  return named
}

/** The decision with `exempt` if all policies that count are exempt. */
function withExemption(
  decision: Decision<never>,
  policies: readonly LimiterPolicy[],
  states: readonly State[],
): Decision<never> {
  if (!states.some(isExempt)) return decision
  const areExempt = policies.every((policy, i) => isExempt(states[i]) || !counts(policy))
  return areExempt ? Object.assign(decision, { exempt: true } as const) : decision
}

function withoutPolicies(request: DecisionRequest, result: StoreResult): Decision<never> {
  return new MadeDecision(true, Infinity, Infinity, 0, 0, 0, noNames, {}, 'store', request, result)
}

/** The counts of each policy, read from the states after a peek of cost 0. */
export function statusOf(
  { policies }: DecisionRequest,
  { states, source = 'store' }: StoreResult,
): Status {
  const named: Record<string, Status['policies'][string]> = {}
  policies.forEach((policy, i) => {
    putByName(named, policy.name, policyStatusOf(policy, states[i]))
  })
  return { source, policies: named }
}

/** The denial of a request that the store would allow too late for its caller, if it does at all. It has no lease, and a refund of it refunds nothing. */
export function deniedLate<S extends Store>(
  decision: Decision,
  retryAfterMs: number | null,
  deniedBy: readonly string[] = decision.deniedBy,
): Decision<S> {
  const { lease: _lease, exempt: _exempt, ...numbers } = decision
  const late = { ...numbers, allowed: false, retryAfterMs, delayMs: 0, deniedBy }
  const receipt = receiptOf(decision)
  if (receipt === undefined) return late
  const { request, result } = receipt
  return withReceipts(late, () => [{ request, result: { ...result, allowed: false } }])
}

/** The same decision once its delay is over. All other numbers are those of the moment at which it was made. */
export function withoutDelay<S extends Store>(decision: Decision<S>): Decision<S> {
  const receipts = receiptsOf(decision)
  if (receipts === undefined || decision.delayMs === 0) return decision
  const started: Record<string, Verdict> = {}
  for (const [name, verdict] of Object.entries(decision.policies)) {
    putByName(started, name, { ...verdict, delayMs: 0 })
  }
  return withReceipts({ ...decision, delayMs: 0, policies: started }, () => receipts)
}

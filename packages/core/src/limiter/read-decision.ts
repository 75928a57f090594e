import { blockedMs, exemptMs, isExempt } from '../stores/override.js'
import {
  costAt,
  type LimiterPolicy,
  type DecisionRequest,
  type State,
  type Store,
  type StoreResult,
} from '../stores/store.js'
import type { Policy } from '../policy.js'
import { counts } from './limiter-policies.js'
import type { Decision, Status, Verdict } from './decision.js'
import { MadeDecision, receiptOf, receiptsOf, withReceipts } from './receipt.js'
import { longest, putByName, verdictOf } from './verdict.js'

export const noNames: readonly string[] = Object.freeze([])

/** The decision about a request. The states are those after it. */
export function decisionOf(request: DecisionRequest, result: StoreResult): Decision<never> {
  const { policies, cost } = request
  if (policies.length !== 1) return combinedDecision(request, result)
  const policy = policies[0]
  const verdict = verdictOf(policy, result.states[0], costAt(cost, 0), areTaken(request, result))
  // A literal, because most policies have this name.
  const verdicts = policy.name === 'default' ? { default: verdict } : { [policy.name]: verdict }
  const { limit, remaining, retryAfterMs, resetMs, delayMs } = verdict
  return made(request, result, verdicts, limit, remaining, retryAfterMs, resetMs, delayMs)
}

/** Whether the states contain the units. While everything is allowed without counts, a peek is answered as a consumption is. */
function areTaken({ verb }: DecisionRequest, { allowed, source }: StoreResult): boolean {
  return allowed && (verb === 'consume' || source === 'open')
}

function combinedDecision(request: DecisionRequest, result: StoreResult): Decision<never> {
  const { policies, cost } = request
  const { states } = result
  if (policies.length === 0) return withoutPolicies(request, result)
  const taken = areTaken(request, result)
  const verdicts: Record<string, Verdict> = {}
  let [limit, remaining, resetMs, delayMs] = [Infinity, Infinity, 0, 0]
  let retryAfterMs: number | null = 0
  for (let i = 0; i < policies.length; i++) {
    const verdict = verdictOf(policies[i], states[i], costAt(cost, i), taken)
    if (i === 0 || verdict.remaining < remaining) ({ limit, remaining } = verdict)
    retryAfterMs = longest(retryAfterMs, verdict.retryAfterMs)
    resetMs = Math.max(resetMs, verdict.resetMs)
    delayMs = Math.max(delayMs, verdict.delayMs)
    putByName(verdicts, policies[i].name, verdict)
  }
  return made(request, result, verdicts, limit, remaining, retryAfterMs, resetMs, delayMs)
}

function made(
  request: DecisionRequest,
  result: StoreResult,
  verdicts: Readonly<Record<string, Verdict>>,
  limit: number,
  remaining: number,
  retryAfterMs: number | null,
  resetMs: number,
  delayMs: number,
): Decision<never> {
  const { policies } = request
  const { allowed, states, source = 'store' } = result
  const decision: Decision<never> = new MadeDecision(
    allowed,
    limit,
    remaining,
    retryAfterMs,
    resetMs,
    allowed ? delayMs : 0,
    allowed ? noNames : deniedNames(policies, verdicts),
    verdicts,
    source,
    request,
    result,
  )
  if ((kept.decisions = (kept.decisions + 1) & 63) === 0) kept.decision = decision
  if (states.length === 1 && !isExempt(states[0])) return decision
  if (!states.some(isExempt) || !areExempt(policies, states)) return decision
  return Object.assign(decision, { exempt: true } as const)
}

/**
 * One decision of many stays alive, and with it its request and states: at a full garbage collection V8 discards code that depends on the hidden class of objects
 * of which none is alive, and the next thousands of decisions would take twenty times as long.
 */
const kept: { decision: Decision | undefined; decisions: number } = {
  decision: undefined,
  decisions: 0,
}

function withoutPolicies(request: DecisionRequest, result: StoreResult): Decision<never> {
  return new MadeDecision(true, Infinity, Infinity, 0, 0, 0, noNames, {}, 'store', request, result)
}

function deniedNames(
  policies: readonly LimiterPolicy[],
  verdicts: Readonly<Record<string, Verdict>>,
): readonly string[] {
  return policies.map(({ name }) => name).filter((name) => !verdicts[name].allowed)
}

/** Whether all policies that count are exempt. */
function areExempt(policies: readonly LimiterPolicy[], states: readonly State[]): boolean {
  return policies.every((policy, i) => isExempt(states[i]) || !counts(policy))
}

/** The counts of each policy, read from the states after a peek of cost 0. */
export function statusOf(
  { policies }: DecisionRequest,
  { states, source = 'store' }: StoreResult,
): Status {
  const named: Record<string, Status['policies'][string]> = {}
  policies.forEach((policy, i) => {
    const { used, limit, remaining, resetMs } = verdictOf(policy, states[i], 0, false)
    const set = { blockedMs: blockedMs(states[i]), exemptMs: exemptMs(states[i]) }
    putByName(named, policy.name, { used, limit, remaining, resetMs, ...set })
  })
  return { source, policies: named }
}

/** The denial of a request that the store would allow too late for its caller. It has no lease, and a refund of it refunds nothing. */
export function deniedLate<S extends Store>(
  decision: Decision,
  retryAfterMs: number | null,
  deniedBy: readonly string[],
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

/** A policy by which a decision was made, and the block that it found or started. */
export interface DecidedBy {
  readonly name: string
  readonly policy: Policy
  /** The wait until the block of the key ends; 0 without a block. */
  readonly blockedMs: number
}

/** The policies of a decision. Empty for a copy of a decision, and for the decision of another copy of this package. */
export function decidedPolicies(decision: Decision): readonly DecidedBy[] {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return []
  const { request, result } = receipt
  return request.policies.map(({ name, policy }, i) => {
    return { name, policy, blockedMs: blockedMs(result.states[i]) }
  })
}

import type { Rule } from '../../algorithms/kind.js'
import type { Decision, HeldLease } from '../decision.js'
import { PlainDecision, receiptOf, withReceipt } from '../receipts/receipt.js'
import {
  costAt,
  type BoundPolicy,
  type DecisionRequest,
  type Outcome,
  type Reply,
  type Source,
  type Store,
  type StoreRequest,
} from '../../stores/store.js'
import { longest, putByName, verdictOf, type Verdict } from './verdict.js'

/** Releases or renews the lease of a request. */
export type ChangeLease<S extends Store> = (
  request: StoreRequest,
  verb: 'release' | 'renew',
  source: Source,
) => Reply<S, boolean>

/** Reads the decision of one request from its outcome. */
export function decisionOf<S extends Store>(
  outcome: Outcome,
  request: DecisionRequest,
  changeLease: ChangeLease<S>,
): Decision<S> {
  const isLeased = outcome.allowed && request.verb === 'consume' && request.lease.id !== ''
  const lease = isLeased ? heldLeaseOf(outcome, request, changeLease) : undefined
  return withReceipt(readingOf(outcome, request, lease), { request, outcome })
}

export function heldLeaseOf<S extends Store>(
  { states, source = 'store' }: Outcome,
  request: DecisionRequest,
  changeLease: ChangeLease<S>,
): HeldLease<S> | undefined {
  const at = request.entries.findIndex(hasLeases)
  if (at === -1 || costAt(request.cost, at) === 0) return undefined
  const lengths = request.entries
    .filter(hasLeases)
    .map(({ steps, params }) => steps.windowMs(params))
  return {
    id: request.lease.id,
    token: request.entries[at].steps.token?.(states[at].row) ?? 0,
    lengthMs: Math.min(...lengths),
    release: () => changeLease(request, 'release', source),
    renew: () => changeLease(request, 'renew', source),
  }
}

/** Whether the policy grants leases. */
export function hasLeases({ steps }: Rule): boolean {
  return steps.token !== undefined
}

/** The denial of a request that the store would allow too late for its caller. It has no lease, and a refund of it refunds nothing. */
export function deniedLate<S extends Store>(
  decision: Decision,
  retryAfterMs: number | null,
  deniedBy: readonly string[],
): Decision<S> {
  const { lease: _lease, ...numbers } = decision
  const late = { ...numbers, allowed: false, retryAfterMs, delayMs: 0, deniedBy }
  const receipt = receiptOf(decision)
  if (receipt === undefined) return late
  const { request, outcome } = receipt
  return withReceipt(late, { request, outcome: { ...outcome, allowed: false } })
}

/**
 * The same decision with the numbers of a later outcome, at which the delay of its request is over. Its receipt and its lease stay the same.
 */
export function asOf<S extends Store>(decision: Decision<S>, later: Outcome): Decision<S> {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return decision
  const { limit, remaining, resetMs, policies } = readingOf(
    { ...later, allowed: true },
    receipt.request,
    undefined,
  )
  const started: Record<string, Verdict> = {}
  for (const [name, verdict] of Object.entries(policies)) {
    putByName(started, name, { ...verdict, delayMs: 0 })
  }
  const numbers = { limit, remaining, resetMs, delayMs: 0, policies: started }
  return withReceipt({ ...decision, ...numbers }, receipt)
}

export const noNames: readonly string[] = Object.freeze([])

/** Reads the fields of a decision from an outcome. */
function readingOf<S extends Store>(
  outcome: Outcome,
  request: DecisionRequest,
  lease: HeldLease<S> | undefined,
): Decision<S> {
  const { allowed, entries = request.entries, states, source = 'store' } = outcome
  // With `onStoreError: 'allow'` neither a consumption nor a peek is denied while the store is unavailable.
  const taken = allowed && (request.verb === 'consume' || source === 'open')
  const verdicts = entries.map((entry, i) =>
    verdictOf(entry, states[i], costAt(request.cost, i), taken),
  )
  const decision = summaryOf(allowed, entries, verdicts, source)
  return lease === undefined ? decision : { ...decision, lease }
}

/** Combines the verdicts of all policies into a decision, to which `addReceipt` can add a receipt. */
export function summaryOf(
  allowed: boolean,
  entries: readonly BoundPolicy[],
  verdicts: readonly Verdict[],
  source: Source,
): Decision<never> {
  let { limit, remaining, retryAfterMs, resetMs, delayMs } =
    verdicts.length > 0 ? verdicts[0] : noPolicy
  for (let i = 1; i < verdicts.length; i++) {
    const verdict = verdicts[i]
    if (verdict.remaining < remaining) {
      remaining = verdict.remaining
      limit = verdict.limit
    }
    retryAfterMs = longest(retryAfterMs, verdict.retryAfterMs)
    if (verdict.resetMs > resetMs) resetMs = verdict.resetMs
    if (verdict.delayMs > delayMs) delayMs = verdict.delayMs
  }
  return new PlainDecision(
    allowed,
    limit,
    remaining,
    retryAfterMs,
    resetMs,
    allowed ? delayMs : 0,
    allowed ? noNames : entries.filter((_, i) => !verdicts[i].allowed).map(({ name }) => name),
    byName(entries, verdicts),
    source,
  )
}

/** The numbers of a decision without any policy. */
const noPolicy = { limit: Infinity, remaining: Infinity, retryAfterMs: 0, resetMs: 0, delayMs: 0 }

/** The verdicts by the names of their policies. A literal takes less time than a loop, and no name in it can set the prototype. */
function byName(
  entries: readonly BoundPolicy[],
  verdicts: readonly Verdict[],
): Record<string, Verdict> {
  switch (entries.length) {
    case 2:
      return { [entries[0].name]: verdicts[0], [entries[1].name]: verdicts[1] }
    case 3:
      return {
        [entries[0].name]: verdicts[0],
        [entries[1].name]: verdicts[1],
        [entries[2].name]: verdicts[2],
      }
    default: {
      const named: Record<string, Verdict> = {}
      for (let i = 0; i < entries.length; i++) putByName(named, entries[i].name, verdicts[i])
      return named
    }
  }
}

import type { Rule } from '../algorithms/kind.js'
import { receiptOf, withReceipt } from './receipts/receipt.js'
import type {
  BoundPolicy,
  DecisionRequest,
  Outcome,
  Reply,
  Source,
  Store,
  StoreRequest,
} from '../stores/store.js'
import { putByName, verdictOf, type Verdict } from './verdict.js'

/**
 * The result of one request, allowed or denied: a plain object. Each time in it is the shortest wait in whole milliseconds, provided that no other
 * request is counted in the meantime.
 */
export interface Decision<S extends Store = Store> {
  readonly allowed: boolean
  /** The quota of the policy that has the least remaining. */
  readonly limit: number
  /** The units that remain after this decision: the smallest number of all policies. */
  readonly remaining: number
  /** 0 if allowed; else how long until all policies would allow the same cost, or null if they never can. */
  readonly retryAfterMs: number | null
  /** How long until every quota is full. */
  readonly resetMs: number
  /**
   * The delay that a leaky queue asks for; 0 otherwise. `acquire`, `limited` and the HTTP adapters have already delayed the request by it, and
   * the other numbers are then those of the moment at which the delay ended.
   */
  readonly delayMs: number
  /** The names of the policies that deny; empty if allowed. */
  readonly deniedBy: readonly string[]
  /** The verdict of each policy, by its name. */
  readonly policies: Readonly<Record<string, Verdict>>
  /** Where the decision was made. */
  readonly source: Source
  /** The lease of an allowed request, if one of the policies is `concurrency` and the cost is not 0. */
  readonly lease?: HeldLease<S>
}

/** A lease as its holder sees it. It expires after the policy's `lease`, unless it is renewed. */
export interface HeldLease<S extends Store = Store> {
  /** Another process can release or renew the lease by its id: `limiter.release(key, id)`. */
  readonly id: string
  /**
   * A fencing token: greater than the token of every lease that was granted before for the same key, also of those that have ended. The guarded
   * resource can refuse a token that is smaller than the greatest one it has seen. It thereby refuses a holder that does not know that its lease
   * has ended. If there are several `concurrency` policies, it is the token of the first one.
   */
  readonly token: number
  /** How long the lease lasts after it was granted or last renewed. */
  readonly lengthMs: number
  /** Releases the lease. True if it was held, false if it had expired or been released. It never releases the lease of another request. */
  release(): Reply<S, boolean>
  /** Renews the lease: its time starts again. True if it was held; if not, it stays ended: false. */
  renew(): Reply<S, boolean>
}

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

function heldLeaseOf<S extends Store>(
  { states, source = 'store' }: Outcome,
  request: DecisionRequest,
  changeLease: ChangeLease<S>,
): HeldLease<S> | undefined {
  const at = request.entries.findIndex(hasLeases)
  if (at === -1 || request.cost === 0) return undefined
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

/** The same decision with the numbers of a later outcome. Its receipt, its lease and its delay stay the same. */
export function asOf<D extends Decision>(decision: D, later: Outcome): D {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return decision
  const { limit, remaining, resetMs, policies } = readingOf(
    { ...later, allowed: true },
    receipt.request,
    undefined,
  )
  const delayed: Record<string, Verdict> = {}
  for (const [name, verdict] of Object.entries(policies)) {
    putByName(delayed, name, { ...verdict, delayMs: decision.policies[name].delayMs })
  }
  return withReceipt({ ...decision, limit, remaining, resetMs, policies: delayed }, receipt)
}

export const nobody: readonly string[] = Object.freeze([])

/** Reads the fields of a decision from an outcome. */
function readingOf<S extends Store>(
  outcome: Outcome,
  request: DecisionRequest,
  lease: HeldLease<S> | undefined,
): Decision<S> {
  const { allowed, entries = request.entries, states, source = 'store' } = outcome
  // With `onStoreError: 'allow'` neither a consumption nor a peek is denied while the store is unavailable.
  const taken = allowed && (request.verb === 'consume' || source === 'open')
  const verdicts = entries.map((entry, i) => verdictOf(entry, states[i], request.cost, taken))
  const decision = summaryOf(allowed, entries, verdicts, source)
  return lease === undefined ? decision : { ...decision, lease }
}

/** Combines the verdicts of all policies into the decision. */
export function summaryOf(
  allowed: boolean,
  entries: readonly BoundPolicy[],
  verdicts: readonly Verdict[],
  source: Source,
): Omit<Decision, 'lease'> {
  const policies: Record<string, Verdict> = {}
  let deniedBy: string[] | undefined
  let limit = Infinity
  let remaining = Infinity
  let retryAfterMs: number | null = 0
  let resetMs = 0
  let delayMs = 0
  for (let i = 0; i < entries.length; i++) {
    const { name } = entries[i]
    const verdict = verdicts[i]
    putByName(policies, name, verdict)
    if (verdict.remaining < remaining) {
      remaining = verdict.remaining
      limit = verdict.limit
    }
    if (!verdict.allowed) (deniedBy ??= []).push(name)
    retryAfterMs = longest(retryAfterMs, verdict.retryAfterMs)
    resetMs = Math.max(resetMs, verdict.resetMs)
    if (allowed) delayMs = Math.max(delayMs, verdict.delayMs)
  }
  return {
    allowed,
    limit,
    remaining,
    retryAfterMs,
    resetMs,
    delayMs,
    deniedBy: deniedBy ?? nobody,
    policies,
    source,
  }
}

/** The longer of two waits. Null means forever, and is the longest. */
export function longest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b)
}

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

/** The answer to one request: a plain value, a denial included. Waits are the smallest whole ones, if nothing else happens. */
export interface Decision<S extends Store = Store> {
  readonly allowed: boolean
  /** The quota of the policy that has least remaining. */
  readonly limit: number
  /** The least that any of the policies has remaining, after this decision. */
  readonly remaining: number
  /** 0 if allowed, else how long until the same cost would be admitted by all; null if it never can be. */
  readonly retryAfterMs: number | null
  /** How long until every quota is full. */
  readonly resetMs: number
  /**
   * How long a leaky queue asks to hold the request; 0 otherwise. `acquire`, `limited` and the HTTP adapters have held it for so long already,
   * and the other numbers are those of the moment at which it was let go.
   */
  readonly delayMs: number
  /** The names of the policies that deny; empty if allowed. */
  readonly deniedBy: readonly string[]
  /** Each policy's own verdict, by its name. */
  readonly policies: Readonly<Record<string, Verdict>>
  /** Who decided. */
  readonly source: Source
  /** What an admitted request holds until it is released, where one of the policies is `concurrency` and the cost is not 0. */
  readonly lease?: HeldLease<S>
}

/** A lease as its holder sees it. It ends by itself after the policy's `lease`, unless it is renewed. */
export interface HeldLease<S extends Store = Store> {
  /** By this it can be released or renewed from elsewhere: `limiter.release(key, id)`. */
  readonly id: string
  /**
   * A fencing token: greater than that of every lease granted before for the same key, ended ones included. What the lease guards can refuse
   * a token smaller than the greatest it has seen, and with it a holder whose lease has ended without its knowledge. Of several
   * `concurrency` policies it is the first one's.
   */
  readonly token: number
  /** How long it lasts from its grant, or from when it was last renewed. */
  readonly lengthMs: number
  /** Ends the lease. True if it was still held, false if it had ended or was released before: another's lease is never touched. */
  release(): Reply<S, boolean>
  /** Starts its time anew. True if it was still held; false if not, and then it stays ended. */
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
  const holds = outcome.allowed && request.verb === 'consume' && request.lease.id !== ''
  const lease = holds ? heldLeaseOf(outcome, request, changeLease) : undefined
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

/** Whether what is taken by this rule is held under a lease. */
export function hasLeases({ steps }: Rule): boolean {
  return steps.token !== undefined
}

/** The denial of a request that the store would allow, but not in time for its caller. It holds nothing, and gives nothing back. */
export function deniedLate<S extends Store>(
  decision: Decision,
  retryAfterMs: number | null,
  deniedBy: readonly string[],
): Decision<S> {
  const { lease: _given, ...numbers } = decision
  const late = { ...numbers, allowed: false, retryAfterMs, delayMs: 0, deniedBy }
  const receipt = receiptOf(decision)
  if (receipt === undefined) return late
  const { request, outcome } = receipt
  return withReceipt(late, { request, outcome: { ...outcome, allowed: false } })
}

/** The same decision with the numbers of a later outcome. What it took and holds, and how long it was held, stay as they were. */
export function asOf<D extends Decision>(decision: D, later: Outcome): D {
  const receipt = receiptOf(decision)
  if (receipt === undefined) return decision
  const { limit, remaining, resetMs, policies } = readingOf(
    { ...later, allowed: true },
    receipt.request,
    undefined,
  )
  const held: Record<string, Verdict> = {}
  for (const [name, verdict] of Object.entries(policies)) {
    putByName(held, name, { ...verdict, delayMs: decision.policies[name].delayMs })
  }
  return withReceipt({ ...decision, limit, remaining, resetMs, policies: held }, receipt)
}

export const nobody: readonly string[] = Object.freeze([])

/** What one outcome says about a request, in plain fields. */
function readingOf<S extends Store>(
  outcome: Outcome,
  request: DecisionRequest,
  lease: HeldLease<S> | undefined,
): Decision<S> {
  const { allowed, entries = request.entries, states, source = 'store' } = outcome
  // If the limiter was told to allow, nobody is denied: neither what is consumed, nor what a peek asks about.
  const taken = allowed && (request.verb === 'consume' || source === 'open')
  const verdicts = entries.map((entry, i) => verdictOf(entry, states[i], request.cost, taken))
  const decision = summaryOf(allowed, entries, verdicts, source)
  return lease === undefined ? decision : { ...decision, lease }
}

/** The decision of all policies, from the verdict of each. */
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

/** The longer of two waits; null, for ever, is longer than any. */
export function longest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b)
}

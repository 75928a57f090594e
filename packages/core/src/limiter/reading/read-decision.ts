import type { Rule } from '../../algorithms/kind.js'
import { AnsweredPolicy } from '../../stores/compiled-policies.js'
import {
  costAt,
  type BoundPolicy,
  type Reply,
  type Source,
  type State,
  type Store,
} from '../../stores/store.js'
import type { Decision, HeldLease } from '../decision.js'
import type { Receipt } from '../receipts/call-receipt.js'
import { PlainDecision, receiptOf, receiptsOf, withReceipt } from '../receipts/receipt.js'
import { longest, putByName, verdictReader, type Verdict } from './verdict.js'

/** Releases or renews the lease that a call was granted. */
export type ChangeLease<S extends Store> = (
  receipt: Receipt,
  verb: 'release' | 'renew',
) => Reply<S, boolean>

/** The lease of an allowed consumption, if a policy has leases and the cost is not 0. */
export function heldLeaseOf<S extends Store>(
  receipt: Receipt,
  changeLease: ChangeLease<S>,
): HeldLease<S> | undefined {
  const { cost, states } = receipt
  const { policies, lease } = receipt.call
  const at = policies.findIndex(hasLeases)
  if (at === -1 || costAt(cost, at) === 0) return undefined
  const lengths = policies.filter(hasLeases).map(({ steps, params }) => steps.windowMs(params))
  return {
    id: lease.id,
    token: policies[at].steps.token?.(states[at].row) ?? 0,
    lengthMs: Math.min(...lengths),
    release: () => changeLease(receipt, 'release'),
    renew: () => changeLease(receipt, 'renew'),
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
  return receipt === undefined ? late : withReceipt(late, receipt.denied)
}

/**
 * The same decision with the numbers of later states, at which the delay of its request is over. Its receipts and its lease stay the same.
 *
 * @param policies the policies that the states belong to: those of the decision, or those that replaced them in the meantime
 */
export function asOf<S extends Store>(
  decision: Decision<S>,
  policies: readonly BoundPolicy[],
  states: readonly State[],
): Decision<S> {
  const receipts = receiptsOf(decision)
  if (receipts === undefined) return decision
  const verdicts = policies.map((policy, i): Verdict => {
    const answered = new AnsweredPolicy(policy)
    answered.read(states[i])
    const verdict = verdictReader(policy).read(answered, costAt(receipts[0].cost, i), true)
    return { ...verdict, delayMs: 0 }
  })
  const {
    limit,
    remaining,
    resetMs,
    policies: started,
  } = summaryOf(true, policies, verdicts, decision.source)
  const numbers = { limit, remaining, resetMs, delayMs: 0, policies: started }
  return withReceipt({ ...decision, ...numbers }, { receipts })
}

export const noNames: readonly string[] = Object.freeze([])

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

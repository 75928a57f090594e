import { AnsweredPolicy, type DecidedPolicy } from '../stores/compiled-policies.js'
import {
  costAt,
  isExempt,
  type BoundPolicy,
  type Source,
  type State,
  type Store,
} from '../stores/store.js'
import type { Policy } from '../policy.js'
import type { Decision, Verdict } from './decision.js'
import { PlainDecision, receiptOf, receiptsOf, withReceipt } from './receipt.js'
import { usualReading } from '../algorithms/algorithm.js'
import type { ResolvedPolicy } from '../algorithms/kind.js'

/** The denial of a request that the store would allow too late for its caller. It has no lease, and a refund of it refunds nothing. */
export function deniedLate<S extends Store>(
  decision: Decision,
  retryAfterMs: number | null,
  deniedBy: readonly string[],
): Decision<S> {
  const { lease: _lease, exempt: _exempt, ...numbers } = decision
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
  policies: readonly BoundPolicy[],
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
    allowed ? noNames : policies.filter((_, i) => !verdicts[i].allowed).map(({ name }) => name),
    byName(policies, verdicts),
    source,
  )
}

/** The numbers of a decision without any policy. */
const noPolicy = { limit: Infinity, remaining: Infinity, retryAfterMs: 0, resetMs: 0, delayMs: 0 }

/** The verdicts by the names of their policies. A literal takes less time than a loop, and no name in it can set the prototype. */
function byName(
  policies: readonly BoundPolicy[],
  verdicts: readonly Verdict[],
): Record<string, Verdict> {
  switch (policies.length) {
    case 2:
      return { [policies[0].name]: verdicts[0], [policies[1].name]: verdicts[1] }
    case 3:
      return {
        [policies[0].name]: verdicts[0],
        [policies[1].name]: verdicts[1],
        [policies[2].name]: verdicts[2],
      }
    default: {
      const named: Record<string, Verdict> = {}
      for (let i = 0; i < policies.length; i++) putByName(named, policies[i].name, verdicts[i])
      return named
    }
  }
}

/** The part of a policy's state that its verdict depends on. */
type Decided = Omit<DecidedPolicy, 'sideState'>

/**
 * Reads a verdict from a state as the decision left it.
 *
 * @param taken whether the row contains the units of this request, unless it is exempt. If so, the request was allowed, and its wait is 0.
 */
type ReadVerdict = (decided: Decided, cost: number, taken: boolean) => Verdict

/** Reads the verdicts of one policy. */
export interface VerdictReader {
  /** The quota. */
  readonly limit: number
  /** Whether the policy delays requests. */
  readonly delays: boolean
  readonly read: ReadVerdict
}

/** Reads the steps from their objects once, because the property lookups for each decision take longer than the steps themselves. */
export function verdictReader({ steps, params }: ResolvedPolicy): VerdictReader {
  const { wait: waitOf, delay: delayOf } = steps
  const limit = steps.quota(params)
  const delays = delayOf !== usualReading.delay

  function read(decided: Decided, cost: number, taken: boolean): Verdict {
    const { row, now, blockedUntil } = decided
    const exempt = isExempt(decided)
    const wait = taken || exempt ? 0 : waitOf(row, params, now, cost)
    const delay =
      delays && wait === 0 && !exempt ? delayOf(row, params, now, cost, taken && cost > 0) : 0
    const verdict = verdictFrom(decided, limit, wait, delay)
    return blockedUntil > now ? blockedVerdict(verdict, blockedUntil - now, taken) : verdict
  }

  return { limit, delays, read }
}

function verdictFrom(decided: Decided, limit: number, wait: number, delayMs: number): Verdict {
  const used = compact(decided.used)
  const remaining = used < limit ? limit - used : 0
  return {
    allowed: wait === 0,
    used,
    limit,
    remaining,
    retryAfterMs: wait === Infinity ? null : compact(wait),
    nextMs: remaining < limit ? compact(decided.next) : 0,
    // A quota of 0 is always full, also if units of an earlier, larger quota still count.
    resetMs: limit === 0 ? 0 : Math.max(0, compact(decided.full - decided.now)),
    delayMs: compact(delayMs),
  }
}

/** The verdict for a key that is blocked. If the units were taken, the request itself started the block. */
function blockedVerdict(verdict: Verdict, blockedMs: number, taken: boolean): Verdict {
  const { limit, retryAfterMs, remaining, nextMs, resetMs, delayMs } = verdict
  const nextUnblockedMs = remaining > 0 ? blockedMs : Math.max(blockedMs, nextMs)
  return {
    ...verdict,
    allowed: taken,
    remaining: 0,
    retryAfterMs: taken ? 0 : longest(blockedMs, retryAfterMs),
    // With a quota of 0, `remaining` never increases.
    nextMs: limit === 0 ? 0 : nextUnblockedMs,
    resetMs: Math.max(blockedMs, resetMs),
    delayMs: taken ? delayMs : 0,
  }
}

/** The longer of two waits. Null means forever, and is the longest. */
export function longest(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : Math.max(a, b)
}

/** The same number. V8 keeps a small integer in the field of an object itself, and allocates memory for any other number. */
export function compact(number: number): number {
  const integer = number | 0
  return integer === number ? integer : number
}

/** Sets an own property, whatever its name is. */
export function putByName<T>(named: Record<string, T>, name: string, value: T): void {
  // An assignment to this name would set the prototype.
  if (name === '__proto__') Object.defineProperty(named, name, { value, enumerable: true })
  else named[name] = value
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
  const { states } = receipt
  return receipt.call.policies.map(({ name, policy }, i) => {
    const { blockedUntil, now } = states[i]
    return { name, policy, blockedMs: Math.max(0, blockedUntil - now) }
  })
}

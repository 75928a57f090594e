import { hasLeases } from '../algorithms/kind.js'
import type { CompiledPolicies } from '../stores/compiled-policies.js'
import { costAt, isExempt, noLease, type BoundPolicy, type Cost } from '../stores/store.js'
import { counts } from './bound-policies.js'
import type { Decision, Status, Verdict } from './decision.js'
import { leaseFor } from './leases.js'
import {
  noNames,
  summaryOf,
  compact,
  putByName,
  verdictReader,
  type VerdictReader,
} from './read-decision.js'
import {
  Receipt,
  statesBefore,
  addReceipt,
  PlainDecision,
  widestDecision,
  type DecidedCall,
  type JoinedKeys,
} from './receipt.js'

/** A list of policies, compiled once: all that a decision by them needs. */
export class Plan<C extends Pick<CompiledPolicies, 'decided'> = CompiledPolicies> {
  readonly policies: readonly BoundPolicy[]
  readonly hasLeases: boolean
  readonly compiled: C
  readonly #readers: readonly VerdictReader[]
  readonly #names: readonly string[]
  /** The call of each plain consumption, so that none has to make one. */
  readonly #consumption: DecidedCall
  readonly #kept = new Kept()

  constructor(policies: readonly BoundPolicy[], compiled: C) {
    this.policies = policies
    this.hasLeases = policies.some(hasLeases)
    this.compiled = compiled
    this.#consumption = {
      verb: 'consume',
      policies,
      lease: noLease,
      now: undefined,
      source: 'store',
    }
    this.#readers = policies.map(verdictReader)
    this.#names = Object.freeze(policies.map(({ name }) => name))
  }

  /** The call of a consumption or a peek by these policies. */
  callOf(
    verb: DecidedCall['verb'],
    owner: string | undefined,
    now: number | undefined,
  ): DecidedCall {
    if (verb === 'consume' && now === undefined && !this.hasLeases) return this.#consumption
    const { policies } = this
    return { verb, policies, lease: leaseFor(policies, owner, undefined), now, source: 'store' }
  }

  /** The counts of each policy, read from the states after a peek of cost 0. */
  statusOf(source: Status['source']): Status {
    const policies: Status['policies'] = {}
    this.compiled.decided.forEach((decided, i) => {
      const { used, limit, remaining, resetMs } = this.#readers[i].read(decided, 0, false)
      const { blockedUntil, now } = decided
      const blockedMs = Math.max(0, blockedUntil - now)
      const exemptMs = Math.max(0, -blockedUntil - now)
      const status = { used, limit, remaining, resetMs, blockedMs, exemptMs }
      putByName(policies, this.#names[i], status)
    })
    return { source, policies }
  }

  /** Reads the decision about a call from the states after it. */
  // In one function, because V8 inlines no function of more than 460 bytes of bytecode, and at most 920 bytes into one. So this function is not inlined
  // into those that call it, and has these 920 bytes for its own callees.
  read(call: DecidedCall, key: JoinedKeys, cost: Cost, allowed: boolean): Decision<never> {
    const { decided } = this.compiled
    // While everything is allowed without counts, a peek is answered as a consumption is.
    const taken = allowed && (call.verb === 'consume' || call.source === 'open')
    if (decided.length !== 1) return this.#summary(call, key, cost, allowed, taken)
    const only = decided[0]
    const reader = this.#readers[0]
    let verdict: Verdict
    let exempt = false
    // Most decisions are allowed without a delay. The verdict is as `reader` would read it.
    if (taken && !reader.delays && only.blockedUntil === 0) {
      const { limit } = reader
      const used = compact(only.used)
      const remaining = used < limit ? limit - used : 0
      verdict = {
        allowed: true,
        used,
        limit,
        remaining,
        retryAfterMs: 0,
        nextMs: remaining < limit ? compact(only.next) : 0,
        resetMs: limit === 0 ? 0 : Math.max(0, compact(only.full - only.now)),
        delayMs: 0,
      }
    } else {
      verdict = reader.read(only, typeof cost === 'number' ? cost : cost[0], taken)
      exempt = isExempt(only)
    }
    const { limit, remaining, retryAfterMs, resetMs, delayMs } = verdict
    const name = this.#names[0]
    const decision = new PlainDecision(
      allowed,
      limit,
      remaining,
      retryAfterMs,
      resetMs,
      allowed ? delayMs : 0,
      allowed ? noNames : this.#names,
      name === 'default' ? { default: verdict } : { [name]: verdict },
      call.source,
    )
    if (exempt) markExempt(decision)
    const receipt = new Receipt(call, key, cost, allowed, only, undefined)
    return this.#kept.keepSome(addReceipt(decision, receipt))
  }

  /** The decision by no policy, or by several. */
  #summary(
    call: DecidedCall,
    key: JoinedKeys,
    cost: Cost,
    allowed: boolean,
    taken: boolean,
  ): Decision<never> {
    const { decided } = this.compiled
    if (decided.length === 0) return withoutPolicies(call, key, cost)
    const readers = this.#readers
    const first = readers[0].read(decided[0], costAt(cost, 0), taken)
    const second = readers[1].read(decided[1], costAt(cost, 1), taken)
    // Literals for two and three policies, because V8 reserves memory for seventeen more elements when an array grows.
    const verdicts =
      decided.length === 2
        ? [first, second]
        : [first, second, readers[2].read(decided[2], costAt(cost, 2), taken)]
    for (let i = 3; i < decided.length; i++) {
      verdicts.push(readers[i].read(decided[i], costAt(cost, i), taken))
    }
    const decision = summaryOf(allowed, this.policies, verdicts, call.source)
    if (this.#areExempt()) markExempt(decision)
    const last = decided[decided.length - 1]
    const receipt = new Receipt(call, key, cost, allowed, last, statesBefore(decided))
    return this.#kept.keepSome(addReceipt(decision, receipt))
  }

  /** Whether all policies that count are exempt. */
  #areExempt(): boolean {
    const { decided } = this.compiled
    let hasExempt = false
    for (let i = 0; i < decided.length; i++) {
      if (isExempt(decided[i])) hasExempt = true
      else if (counts(this.policies[i])) return false
    }
    return hasExempt
  }
}

/** Only exempt decisions get this property, so that all others keep their hidden class. */
function markExempt(decision: Decision<never>): void {
  Object.assign(decision, { exempt: true })
}

/** A call without any policy is allowed, and its refund refunds nothing. */
function withoutPolicies(call: DecidedCall, key: JoinedKeys, cost: Cost): Decision<never> {
  const nothing = { row: [], now: 0, sideState: undefined }
  const receipt = new Receipt(call, key, cost, true, nothing, undefined)
  return addReceipt(summaryOf(true, [], [], call.source), receipt)
}

/**
 * Keeps a recent decision alive. V8 discards optimized code at a full garbage collection if no object with a hidden class that the code depends on is
 * alive, so without it each such collection would make the next decisions several times slower.
 */
class Kept {
  decision = widestDecision
  #decisions = 0

  /** Keeps one decision of many, because a reference from an old object to a new one takes time. */
  keepSome(decision: Decision<never>): Decision<never> {
    this.#decisions = (this.#decisions + 1) & 63
    if (this.#decisions === 0) this.decision = decision
    return decision
  }
}

import type { CompiledPolicies } from '../stores/compiled-policies.js'
import { costAt, noLease, type BoundPolicy, type Cost } from '../stores/store.js'
import type { Decision } from './decision.js'
import { leaseFor } from './leases/requested-lease.js'
import { hasLeases, noNames, summaryOf } from './reading/read-decision.js'
import { verdictReader, type VerdictReader } from './reading/verdict.js'
import { CallReceipt, statesBefore, type DecidedCall } from './receipts/call-receipt.js'
import { addReceipt, PlainDecision } from './receipts/receipt.js'

/** One key for all policies, or one for each, in the form in which the store counts them. */
export type JoinedKeys = string | readonly string[]

/** A list of policies, compiled once: all that a decision by them needs. */
export class Plan {
  readonly policies: readonly BoundPolicy[]
  readonly hasLeases: boolean
  readonly #compiled: CompiledPolicies
  readonly #readers: readonly VerdictReader[]
  readonly #names: readonly string[]
  /** The call of each plain consumption, so that none has to make one. */
  readonly #consumption: DecidedCall
  readonly #kept = new Kept()

  constructor(policies: readonly BoundPolicy[], compiled: CompiledPolicies) {
    this.policies = policies
    this.hasLeases = policies.some(hasLeases)
    this.#compiled = compiled
    this.#consumption = { verb: 'consume', entries: policies, lease: noLease, now: undefined }
    this.#readers = policies.map(verdictReader)
    this.#names = Object.freeze(policies.map(({ name }) => name))
  }

  consume(key: JoinedKeys, cost: Cost, owner?: string, now?: number): Decision {
    const isPlain = now === undefined && !this.hasLeases
    return this.#decide(isPlain ? this.#consumption : this.#call('consume', owner, now), key, cost)
  }

  peek(key: JoinedKeys, cost: Cost, now?: number): Decision {
    return this.#decide(this.#call('peek', undefined, now), key, cost)
  }

  #call(
    verb: DecidedCall['verb'],
    owner: string | undefined,
    now: number | undefined,
  ): DecidedCall {
    const { policies: entries } = this
    return { verb, entries, lease: leaseFor(entries, owner, undefined), now }
  }

  // In one function, because V8 inlines no function of more than 460 bytes of bytecode, and at most 920 bytes into one. So this function is not inlined
  // into those that call it, and has these 920 bytes for its own callees.
  #decide(call: DecidedCall, key: JoinedKeys, cost: Cost): Decision {
    const { decided } = this.#compiled
    const allowed = this.#compiled.decide(call, key, cost)
    if (decided.length !== 1) return this.#summary(call, key, cost, allowed)
    const only = decided[0]
    const taken = allowed && call.verb === 'consume'
    const verdict = this.#readers[0](only, typeof cost === 'number' ? cost : cost[0], taken)
    const { limit, remaining, retryAfterMs, resetMs, delayMs } = verdict
    const name = this.#names[0]
    const decision: Decision = new PlainDecision(
      allowed,
      limit,
      remaining,
      retryAfterMs,
      resetMs,
      allowed ? delayMs : 0,
      allowed ? noNames : this.#names,
      name === 'default' ? { default: verdict } : { [name]: verdict },
      'store',
    )
    const receipt = new CallReceipt(call, key, cost, allowed, only, undefined)
    return this.#kept.keepSome(addReceipt(decision, receipt))
  }

  /** The decision by no policy, or by several. */
  #summary(call: DecidedCall, key: JoinedKeys, cost: Cost, allowed: boolean): Decision {
    const { decided } = this.#compiled
    if (decided.length === 0) return withoutPolicies(call, cost)
    const readers = this.#readers
    const taken = allowed && call.verb === 'consume'
    const first = readers[0](decided[0], costAt(cost, 0), taken)
    const second = readers[1](decided[1], costAt(cost, 1), taken)
    // Literals for two and three policies, because V8 reserves memory for seventeen more elements when an array grows.
    const verdicts =
      decided.length === 2
        ? [first, second]
        : [first, second, readers[2](decided[2], costAt(cost, 2), taken)]
    for (let i = 3; i < decided.length; i++) {
      verdicts.push(readers[i](decided[i], costAt(cost, i), taken))
    }
    const decision = summaryOf(allowed, this.policies, verdicts, 'store')
    const last = decided[decided.length - 1]
    const receipt = new CallReceipt(call, key, cost, allowed, last, statesBefore(decided))
    return this.#kept.keepSome(addReceipt(decision, receipt))
  }
}

/** A call without any policy is allowed, and its refund refunds nothing. */
function withoutPolicies(call: DecidedCall, cost: Cost): Decision {
  const request = { ...call, keys: [], cost }
  return addReceipt(summaryOf(true, [], [], 'store'), {
    request,
    outcome: { allowed: true, states: [] },
  })
}

/**
 * Keeps a recent decision alive. V8 discards optimized code at a full garbage collection if no object with a hidden class that the code depends on is
 * alive, so without it each such collection would make the next decisions several times slower.
 */
class Kept {
  decision: Decision | undefined
  #decisions = 0

  /** Keeps one decision of many, because a reference from an old object to a new one takes time. */
  keepSome(decision: Decision): Decision {
    this.#decisions = (this.#decisions + 1) & 63
    if (this.#decisions === 0) this.decision = decision
    return decision
  }
}

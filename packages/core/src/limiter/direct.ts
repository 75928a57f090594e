import { joinKey } from '../keys.js'
import { isCount, isRecord } from '../options/predicates.js'
import type { BoundPolicy, DirectConsume, State, SyncStore } from '../stores/store.js'
import { isKey, type Keys, type Policies } from './bound-policies.js'
import type { ConsumeOptions } from './calls.js'
import type { Decision } from './decision.js'
import { noNames, summaryOf } from './reading/read-decision.js'
import { decisionEvents } from './events.js'
import { DirectReceipt, takenState } from './receipts/direct-receipt.js'
import { addReceipt, PlainDecision } from './receipts/receipt.js'
import { verdictReader, type Verdict, type VerdictReader } from './reading/verdict.js'

/**
 * `consume` without the request and the outcome that the general way creates for each call. Returns undefined if only the general way can decide
 * the call, or throw the right error.
 */
export type ConsumeDirectly = (
  key: Keys,
  options: ConsumeOptions | undefined,
) => Decision | undefined

/**
 * Creates `ConsumeDirectly` for a store that has a direct way. It decides calls with one key for all policies and no options other than `cost` and
 * `policies`. Each list of policies is compiled once, and the compiled form is kept as long as the list.
 *
 * @param entriesFor binds the policies of a call to the limiter; undefined means the limiter's own policies
 */
export function createDirectWay(
  store: SyncStore,
  entriesFor: (policies: Policies | undefined) => readonly BoundPolicy[],
): ConsumeDirectly {
  const compiled = new WeakMap<readonly BoundPolicy[], Compiled>()
  let own: Compiled | undefined
  let last: { readonly policies: Policies | undefined; readonly way: Way | undefined } | undefined
  let lastOptions: ConsumeOptions | undefined

  function compiledFor(policies: Policies | undefined): Compiled {
    const entries = entriesFor(policies)
    let known = compiled.get(entries)
    if (known === undefined) {
      known = { way: wayOf(entries, store.compile?.(entries)) }
      compiled.set(entries, known)
    }
    return known
  }

  function consumeWith(key: Keys, options: ConsumeOptions): Decision | undefined {
    // A server often passes the same options object for each request.
    if (options !== lastOptions && !areSimple(options)) return undefined
    lastOptions = options
    const { cost = 1, policies } = options
    if (cost !== 1 && !isCount(cost)) return undefined
    if (last === undefined || last.policies !== policies) {
      last = { policies, way: compiledFor(policies).way }
    }
    return decide(last.way, key, cost)
  }

  return function consumeDirectly(key, options) {
    if (options !== undefined) return consumeWith(key, options)
    own ??= compiledFor(undefined)
    return decide(own.way, key, 1)
  }
}

interface Compiled {
  readonly way: Way | undefined
}

/** Whether the direct way supports these options. The general way checks all others and throws for invalid ones. */
function areSimple(options: ConsumeOptions): boolean {
  if (!isRecord(options)) return false
  for (const name in options) if (name !== 'cost' && name !== 'policies') return false
  return true
}

function decide(way: Way | undefined, key: Keys, cost: number): Decision | undefined {
  if (way === undefined || isObserved()) return undefined
  const joined = typeof key === 'string' || isKey(key) ? joinKey(key) : undefined
  return joined === undefined ? undefined : way.consume(joined, cost)
}

function isObserved(): boolean {
  return decisionEvents.decision.hasSubscribers || decisionEvents.denial.hasSubscribers
}

/** The direct way of one list of policies. */
interface Way {
  consume(key: string, cost: number): Decision | undefined
}

function wayOf(
  entries: readonly BoundPolicy[],
  direct: DirectConsume | undefined,
): Way | undefined {
  if (direct === undefined) return undefined
  return entries.length === 1
    ? new OnePolicy(entries, direct)
    : new SeveralPolicies(entries, direct)
}

class OnePolicy implements Way {
  readonly #entries: readonly BoundPolicy[]
  readonly #direct: DirectConsume
  readonly #read: VerdictReader
  readonly #name: string
  readonly #deniedBy: readonly string[]
  readonly #kept = new Kept()

  constructor(entries: readonly BoundPolicy[], direct: DirectConsume) {
    this.#entries = entries
    this.#direct = direct
    this.#read = verdictReader(entries[0])
    this.#name = entries[0].name
    this.#deniedBy = Object.freeze([this.#name])
  }

  consume(key: string, cost: number): Decision | undefined {
    const direct = this.#direct
    const allowed = direct.decide(key, cost)
    if (allowed === undefined) return undefined
    const state = direct.states[0]
    const verdict = this.#read(state, cost, allowed)
    const name = this.#name
    const decision: Decision = new PlainDecision(
      allowed,
      verdict.limit,
      verdict.remaining,
      verdict.retryAfterMs,
      verdict.resetMs,
      verdict.delayMs,
      allowed ? noNames : this.#deniedBy,
      name === 'default' ? { default: verdict } : { [name]: verdict },
      'store',
    )
    const receipt = new DirectReceipt(this.#entries, key, cost, state.now, state.row, noStates)
    return this.#kept.keepSome(addReceipt(decision, receipt))
  }
}

class SeveralPolicies implements Way {
  readonly #entries: readonly BoundPolicy[]
  readonly #direct: DirectConsume
  readonly #readers: readonly VerdictReader[]
  /** The verdicts of the last decision, in one list for all decisions. */
  readonly #verdicts: Verdict[] = []
  readonly #kept = new Kept()

  constructor(entries: readonly BoundPolicy[], direct: DirectConsume) {
    this.#entries = entries
    this.#direct = direct
    this.#readers = entries.map(verdictReader)
  }

  consume(key: string, cost: number): Decision | undefined {
    const { states } = this.#direct
    const allowed = this.#direct.decide(key, cost)
    if (allowed === undefined) return undefined
    const verdicts = this.#verdicts
    for (let i = 0; i < states.length; i++) {
      verdicts[i] = this.#readers[i](states[i], cost, allowed)
    }
    const decision = summaryOf(allowed, this.#entries, verdicts, 'store')
    const { now, row } = states[0]
    const others = [takenState(states[1])]
    for (let i = 2; i < states.length; i++) others.push(takenState(states[i]))
    const receipt = new DirectReceipt(this.#entries, key, cost, now, row, others)
    return this.#kept.keepSome(addReceipt(decision, receipt))
  }
}

const noStates: readonly State[] = []

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

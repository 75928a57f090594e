import { joinKey } from '../keys.js'
import { isCount, isRecord } from '../options/predicates.js'
import type { BoundPolicy, DirectConsume, SyncStore } from '../stores/store.js'
import { isKey, type Keys, type Policies } from './bound-policies.js'
import type { ConsumeOptions } from './calls.js'
import type { Decision } from './decision.js'
import { noNames, summaryOf } from './reading/read-decision.js'
import { decisionEvents } from './events.js'
import { DirectReceipt, takenBefore } from './receipts/direct-receipt.js'
import { addReceipt, PlainDecision } from './receipts/receipt.js'
import { verdictReader, type VerdictReader } from './reading/verdict.js'

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
  let last:
    | { readonly policies: Policies | undefined; readonly way: DirectPolicies | undefined }
    | undefined
  let lastOptions: ConsumeOptions | undefined

  function compiledFor(policies: Policies | undefined): Compiled {
    const entries = entriesFor(policies)
    let known = compiled.get(entries)
    if (known === undefined) {
      const direct = store.compile?.(entries)
      known = { way: direct && new DirectPolicies(entries, direct) }
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
  readonly way: DirectPolicies | undefined
}

/** Whether the direct way supports these options. The general way checks all others and throws for invalid ones. */
function areSimple(options: ConsumeOptions): boolean {
  if (!isRecord(options)) return false
  for (const name in options) if (name !== 'cost' && name !== 'policies') return false
  return true
}

function decide(way: DirectPolicies | undefined, key: Keys, cost: number): Decision | undefined {
  if (way === undefined || isObserved()) return undefined
  const joined = typeof key === 'string' || isKey(key) ? joinKey(key) : undefined
  return joined === undefined ? undefined : way.consume(joined, cost)
}

function isObserved(): boolean {
  return decisionEvents.decision.hasSubscribers || decisionEvents.denial.hasSubscribers
}

/** The direct way of one list of policies. */
class DirectPolicies {
  readonly #entries: readonly BoundPolicy[]
  readonly #direct: DirectConsume
  readonly #readers: readonly VerdictReader[]
  /** The reader of the first policy, its name, and a list of this name. */
  readonly #read: VerdictReader
  readonly #name: string
  readonly #names: readonly string[]
  readonly #kept = new Kept()

  constructor(entries: readonly BoundPolicy[], direct: DirectConsume) {
    this.#entries = entries
    this.#direct = direct
    this.#readers = entries.map(verdictReader)
    this.#read = this.#readers[0]
    this.#name = entries[0].name
    this.#names = Object.freeze([this.#name])
  }

  // In one function, because V8 inlines no function of more than 460 bytes of bytecode, and at most 920 bytes into one. So this function is not inlined
  // into those that call it, and has these 920 bytes for its own callees.
  consume(key: string, cost: number): Decision | undefined {
    const { states } = this.#direct
    const allowed = this.#direct.decide(key, cost)
    if (allowed === undefined) return undefined

    const first = this.#read(states[0], cost, allowed)
    if (states.length === 1) {
      const { limit, remaining, retryAfterMs, resetMs, delayMs } = first
      const name = this.#name
      const decision: Decision = new PlainDecision(
        allowed,
        limit,
        remaining,
        retryAfterMs,
        resetMs,
        delayMs,
        allowed ? noNames : this.#names,
        name === 'default' ? { default: first } : { [name]: first },
        'store',
      )
      const receipt = new DirectReceipt(this.#entries, key, cost, states[0], undefined)
      return this.#kept.keepSome(addReceipt(decision, receipt))
    }

    const readers = this.#readers
    const second = readers[1](states[1], cost, allowed)
    // Literals for two and three policies, because V8 reserves memory for seventeen more elements when an array grows.
    const verdicts =
      states.length === 2 ? [first, second] : [first, second, readers[2](states[2], cost, allowed)]
    for (let i = 3; i < states.length; i++) verdicts.push(readers[i](states[i], cost, allowed))
    const decision = summaryOf(allowed, this.#entries, verdicts, 'store')
    const last = states[states.length - 1]
    const receipt = new DirectReceipt(this.#entries, key, cost, last, takenBefore(states))
    return this.#kept.keepSome(addReceipt(decision, receipt))
  }
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

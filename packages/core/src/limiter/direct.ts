import { joinKey } from '../keys.js'
import { isCount, isRecord } from '../options/predicates.js'
import type { BoundPolicy, DirectConsume, State, SyncStore } from '../stores/store.js'
import { isKey, type Keys, type Policies } from './bound-policies.js'
import type { ConsumeOptions } from './calls.js'
import type { Decision } from './decision.js'
import { noNames, summaryOf } from './reading/read-decision.js'
import { decisionEvents } from './events.js'
import { noLease } from './leases/requested-lease.js'
import {
  addReceipt,
  PlainDecision,
  withReceipt,
  type LazyReceipt,
  type Receipt,
} from './receipts/receipt.js'
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
  const compiled = new WeakMap<readonly BoundPolicy[], { readonly way: Way | undefined }>()
  let last: { readonly policies: Policies | undefined; readonly way: Way | undefined } | undefined
  let lastOptions: ConsumeOptions | undefined

  function wayFor(policies: Policies | undefined): Way | undefined {
    const entries = entriesFor(policies)
    let known = compiled.get(entries)
    if (known === undefined) {
      const direct = store.compile?.(entries)
      known = { way: direct === undefined ? undefined : new Way(entries, direct) }
      compiled.set(entries, known)
    }
    return known.way
  }

  return function consumeDirectly(key, options) {
    let cost = 1
    let policies: Policies | undefined
    if (options !== undefined) {
      // A server often passes the same options object for each request.
      if (options !== lastOptions && !areSimple(options)) return undefined
      lastOptions = options
      if (options.cost !== undefined) cost = options.cost
      policies = options.policies
      if (cost !== 1 && !isCount(cost)) return undefined
    }
    if ((typeof key !== 'string' && !isKey(key)) || isObserved()) return undefined
    const joined = joinKey(key)
    if (joined === undefined) return undefined
    if (last === undefined || last.policies !== policies) last = { policies, way: wayFor(policies) }
    return last.way?.consume(joined, cost)
  }
}

/** Whether the direct way supports these options. The general way checks all others and throws for invalid ones. */
function areSimple(options: ConsumeOptions): boolean {
  if (!isRecord(options)) return false
  for (const name in options) if (name !== 'cost' && name !== 'policies') return false
  return true
}

function isObserved(): boolean {
  return decisionEvents.decision.hasSubscribers || decisionEvents.denial.hasSubscribers
}

/** The direct way of one list of policies. */
class Way {
  readonly #entries: readonly BoundPolicy[]
  readonly #direct: DirectConsume
  readonly #readers: readonly VerdictReader[]
  /** The verdicts of the last decision, in one list for all decisions. */
  readonly #verdicts: Verdict[] = []
  /** The name of the only policy; undefined if there are several. */
  readonly #only: string | undefined
  readonly #deniedByOnly: readonly string[]
  /** The numbers of a receipt: the cost, then the time and the row of each policy. */
  readonly #numbers: number[]
  /**
   * A recent decision. It is kept because V8 discards optimized code at a full garbage collection if no object with a hidden class that the code
   * depends on is alive. Without it, each such collection would make the next decisions several times slower.
   */
  kept: Decision | undefined
  #decisions = 0

  constructor(entries: readonly BoundPolicy[], direct: DirectConsume) {
    this.#entries = entries
    this.#direct = direct
    this.#readers = entries.map(verdictReader)
    this.#only = entries.length === 1 ? entries[0].name : undefined
    this.#deniedByOnly = Object.freeze(entries.map(({ name }) => name))
    const count = direct.states.reduce((sum, { row }) => sum + 1 + row.length, 1)
    // Initialized with fractions, so that V8 stores all elements as doubles.
    this.#numbers = Array.from({ length: count }, () => 0.5)
  }

  consume(key: string, cost: number): Decision | undefined {
    const allowed = this.#direct.decide(key, cost)
    if (allowed === undefined) return undefined
    const decision =
      this.#only === undefined
        ? withReceipt(this.#decision(allowed, cost), this.#receipt(key, cost))
        : addReceipt(this.#onlyDecision(this.#only, allowed, cost), this.#receipt(key, cost))
    // Not every decision is kept, because a reference from an old object to a new one takes time.
    this.#decisions = (this.#decisions + 1) & 63
    if (this.#decisions === 0) this.kept = decision
    return decision
  }

  #onlyDecision(name: string, allowed: boolean, cost: number): Decision {
    const verdict = this.#readers[0](this.#direct.states[0], 0, cost, allowed)
    return new PlainDecision(
      allowed,
      verdict.limit,
      verdict.remaining,
      verdict.retryAfterMs,
      verdict.resetMs,
      verdict.delayMs,
      allowed ? noNames : this.#deniedByOnly,
      name === 'default' ? { default: verdict } : { [name]: verdict },
      'store',
    )
  }

  #decision(allowed: boolean, cost: number): Decision {
    const { states } = this.#direct
    const verdicts = this.#verdicts
    for (let i = 0; i < states.length; i++) {
      verdicts[i] = this.#readers[i](states[i], 0, cost, allowed)
    }
    return summaryOf(allowed, this.#entries, verdicts, 'store')
  }

  #receipt(key: string, cost: number): LazyReceipt {
    return new DirectReceipt(this, key, this.#noted(cost))
  }

  #noted(cost: number): readonly number[] {
    const { states } = this.#direct
    const numbers = this.#numbers
    numbers[0] = cost
    let at = 1
    for (let i = 0; i < states.length; i++) {
      const { row, now } = states[i]
      numbers[at++] = now
      for (let cell = 0; cell < row.length; cell++) numbers[at++] = row[cell]
    }
    return numbers.slice()
  }

  /** Makes the receipt of a decision from its recorded numbers. */
  receiptOf(allowed: boolean, key: string, numbers: readonly number[]): Receipt {
    const entries = this.#entries
    let at = 1
    const states = this.#direct.states.map(({ row }): State => {
      const now = numbers[at]
      const cells = numbers.slice(at + 1, at + 1 + row.length)
      at += 1 + row.length
      return { row: cells, blockedUntil: 0, now }
    })
    const keys = entries.map(() => key)
    const about = { entries, keys, now: undefined, lease: noLease, cost: numbers[0] }
    return { request: { verb: 'consume', ...about }, outcome: { allowed, states } }
  }
}

class DirectReceipt implements LazyReceipt {
  // Private only in TypeScript: V8 initializes `#` fields by a function of its own, which uses part of the limit of what it inlines into a decision.
  private readonly way: Way
  private readonly key: string
  private readonly numbers: readonly number[]

  constructor(way: Way, key: string, numbers: readonly number[]) {
    this.way = way
    this.key = key
    this.numbers = numbers
  }

  receiptOf(allowed: boolean): Receipt {
    return this.way.receiptOf(allowed, this.key, this.numbers)
  }
}

import type { Row } from '../algorithms/algorithm.js'
import { stateOf, type Call, type SideState } from '../stores/compiled-policies.js'
import type { BoundPolicy, Cost, Source, State, Store } from '../stores/store.js'
import type { Decision, Verdict } from './decision.js'

/** The common part of many calls of a plan. */
export interface DecidedCall extends Call {
  readonly policies: readonly BoundPolicy[]
  readonly source: Source
}

/** One key for all policies, or one for each, in the form in which the store counts them. */
export type JoinedKeys = string | readonly string[]

/** The state of a policy after a decision. The next decision has a new row. */
interface DecidedState {
  readonly row: Row
  readonly now: number
  readonly sideState: SideState | undefined
}

/** A linked list, which is created faster than an array. */
interface DecidedList extends DecidedState {
  readonly before: DecidedList | undefined
}

/** The states of all policies before the last one. */
export function statesBefore(states: readonly DecidedState[]): DecidedList | undefined {
  let last: DecidedList | undefined
  for (let i = 0; i < states.length - 1; i++) {
    const { row, now, sideState } = states[i]
    last = { row, now, sideState, before: last }
  }
  return last
}

/** The receipts of a decision: one for each call of a limiter that it combines. */
export interface Receipts {
  readonly receipts: readonly Receipt[]
}

/** A call that was decided, its result, and the states after it: that of the last policy, and those before. A refund needs all of it. */
// Its fields are declared only, because V8 runs their definitions as a function of their own.
export class Receipt implements Receipts, DecidedList {
  declare readonly call: DecidedCall
  declare readonly key: JoinedKeys
  declare readonly cost: Cost
  declare readonly allowed: boolean
  declare readonly row: Row
  declare readonly now: number
  declare readonly sideState: SideState | undefined
  declare readonly before: DecidedList | undefined

  constructor(
    call: DecidedCall,
    key: JoinedKeys,
    cost: Cost,
    allowed: boolean,
    { row, now, sideState }: DecidedState,
    before: DecidedList | undefined,
  ) {
    this.call = call
    this.key = key
    this.cost = cost
    this.allowed = allowed
    this.row = row
    this.now = now
    this.sideState = sideState
    this.before = before
  }

  get receipts(): readonly Receipt[] {
    return [this]
  }

  /** The key of each policy. */
  get keys(): readonly string[] {
    const { key, call } = this
    return typeof key === 'string' ? call.policies.map(() => key) : key
  }

  /** The state of each policy. */
  get states(): readonly State[] {
    if (this.call.policies.length === 0) return []
    const states = [stateOf(this)]
    for (let decided = this.before; decided !== undefined; decided = decided.before) {
      states.unshift(stateOf(decided))
    }
    return states
  }

  /** The receipt of the same call if it was denied instead: a refund of it refunds nothing. */
  get denied(): Receipt {
    const { call, key, cost, before } = this
    return new Receipt(call, key, cost, false, this, before)
  }
}

/** The receipts of a decision; undefined for any other value. A decision that took nothing also has a receipt, and its refund refunds nothing. */
export function receiptsOf(value: unknown): readonly Receipt[] | undefined {
  return typeof value === 'object' && value !== null ? WithReceipts.receiptsOf(value) : undefined
}

/** The receipt of the first call that a decision combines. */
export function receiptOf(value: unknown): Receipt | undefined {
  return receiptsOf(value)?.[0]
}

/** Adds its receipts to a decision that `PlainDecision` made. */
export function addReceipt<D extends Decision>(decision: D, receipts: Receipts): D {
  // oxlint-disable-next-line eslint/no-new -- the constructor returns the decision
  new WithReceipts(decision, receipts)
  return decision
}

/** A copy of a decision, with a receipt. */
export function withReceipt<S extends Store>(
  decision: Decision<S>,
  receipts: Receipts,
): Decision<S> {
  return addReceipt(plainCopy(decision), receipts)
}

/** A copy of a decision, without its receipt, to which `addReceipt` can add another. */
export function plainCopy<S extends Store>(decision: Decision<S>): Decision<S> {
  const { allowed, limit, remaining, retryAfterMs, resetMs, delayMs } = decision
  const { deniedBy, policies, source, exempt, lease } = decision
  const copy: Decision<S> = new PlainDecision(
    allowed,
    limit,
    remaining,
    retryAfterMs,
    resetMs,
    delayMs,
    deniedBy,
    policies,
    source,
  )
  if (exempt !== undefined) Object.assign(copy, { exempt })
  return lease === undefined ? copy : Object.assign(copy, { lease })
}

function setFields(
  this: Mutable<Decision>,
  allowed: boolean,
  limit: number,
  remaining: number,
  retryAfterMs: number | null,
  resetMs: number,
  delayMs: number,
  deniedBy: readonly string[],
  policies: Readonly<Record<string, Verdict>>,
  source: Source,
): void {
  this.allowed = allowed
  this.limit = limit
  this.remaining = remaining
  this.retryAfterMs = retryAfterMs
  this.resetMs = resetMs
  this.delayMs = delayMs
  this.deniedBy = deniedBy
  this.policies = policies
  this.source = source
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

interface PlainConstructor {
  new (...fields: Parameters<typeof setFields>): Decision<never>
  prototype: object
}

/**
 * Makes a plain object for which V8 reserves the memory of a private field. To add a private field to an object literal takes longer than the rest of a
 * decision in memory. It is a function because the prototype of a class cannot be `Object.prototype`.
 */
export const PlainDecision: PlainConstructor = plainConstructor()

function plainConstructor(): PlainConstructor {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- TypeScript has no type for a function that is a constructor
  const constructor = setFields as unknown as PlainConstructor
  constructor.prototype = Object.prototype
  return constructor
}

/**
 * A decision whose fields contain no numbers. V8 notes for each field of a hidden class what was ever stored in it. After only small integers, one number
 * that is larger, such as the wait until the next month, would make each later decision of the process allocate memory for this field, and take half as
 * long again. After a small integer and an object, V8 stores small integers in the field itself for ever.
 */
export const widestDecision: Decision<never> = /* @__PURE__ */ (() => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- no caller sees this decision
  const noNumber = null as unknown as number
  return [0, noNumber].map(decisionOfOnly)[1]
})()

function decisionOfOnly(n: number): Decision<never> {
  const verdict: Verdict = {
    allowed: true,
    used: n,
    limit: n,
    remaining: n,
    retryAfterMs: n,
    nextMs: n,
    resetMs: n,
    delayMs: n,
  }
  return new PlainDecision(true, n, n, n, n, n, [], { default: verdict }, 'store')
}

/** Its constructor returns the argument, so that a derived class adds its private field to that object. */
// oxlint-disable-next-line typescript/no-extraneous-class -- only a class can be extended
class ReturnsArgument {
  constructor(value: Decision) {
    return value
  }
}

/**
 * Adds the receipts as a private field of the decision. The decision remains a plain object, also for `console.log`, and neither a copy nor its JSON
 * contains them. A WeakMap would take several times as long.
 */
class WithReceipts extends ReturnsArgument {
  #receipts: Receipts

  constructor(decision: Decision, receipts: Receipts) {
    super(decision)
    this.#receipts = receipts
  }

  static receiptsOf(value: object): readonly Receipt[] | undefined {
    return #receipts in value ? value.#receipts.receipts : undefined
  }
}

import type { DecisionRequest, Outcome, Source, Store } from '../../stores/store.js'
import type { Decision } from '../decision.js'
import type { Verdict } from '../reading/verdict.js'

/** The request and the outcome of a decision. A refund needs both. */
export interface Receipt {
  readonly request: DecisionRequest
  readonly outcome: Outcome
  /** The receipts of the other requests, if the decision combines several. */
  readonly others?: readonly Receipt[]
}

/** A receipt that is made when it is needed. Most decisions are never refunded. */
export interface LazyReceipt {
  /** The receipt. Each read makes another one. */
  readonly receipt: Receipt
}

/** The receipt of a decision; undefined for any other value. A decision that took nothing also has a receipt, and its refund refunds nothing. */
export function receiptOf(value: unknown): Receipt | undefined {
  return typeof value === 'object' && value !== null ? Receipted.receiptOf(value) : undefined
}

/** Adds a receipt to a decision that `PlainDecision` made. */
export function addReceipt<D extends Decision>(decision: D, receipt: Receipt | LazyReceipt): D {
  // oxlint-disable-next-line eslint/no-new -- the constructor returns the decision
  new Receipted(decision, receipt)
  return decision
}

/** A copy of a decision, with a receipt. */
export function withReceipt<S extends Store>(
  decision: Decision<S>,
  receipt: Receipt | LazyReceipt,
): Decision<S> {
  return addReceipt(plainCopy(decision), receipt)
}

/** A copy of a decision, without its receipt, to which `addReceipt` can add another. */
export function plainCopy<S extends Store>(decision: Decision<S>): Decision<S> {
  const { allowed, limit, remaining, retryAfterMs, resetMs, delayMs } = decision
  const { deniedBy, policies, source, lease } = decision
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

/** Its constructor returns the argument, so that a derived class adds its private field to that object. */
// oxlint-disable-next-line typescript/no-extraneous-class -- only a class can be extended
class ReturnsArgument {
  constructor(value: Decision) {
    return value
  }
}

/**
 * Adds the receipt as a private field of the decision. The decision remains a plain object, also for `console.log`, and neither a copy nor its JSON
 * contains the receipt. A WeakMap would take several times as long.
 */
class Receipted extends ReturnsArgument {
  #receipt: Receipt | LazyReceipt

  constructor(decision: Decision, receipt: Receipt | LazyReceipt) {
    super(decision)
    this.#receipt = receipt
  }

  static receiptOf(value: object): Receipt | undefined {
    if (!(#receipt in value)) return undefined
    // Made only once, because a request is recognized by its identity when it is refunded again.
    if ('receipt' in value.#receipt) value.#receipt = value.#receipt.receipt
    return value.#receipt
  }
}

import type { DecisionRequest, Outcome } from '../../stores/store.js'

/** The request and the outcome of a decision. A refund needs both. */
export interface Receipt {
  readonly request: DecisionRequest
  readonly outcome: Outcome
}

/**
 * Makes the receipt of a decision from its key and its numbers. Most decisions are never refunded, so the direct way keeps only these two, and makes
 * the request and the outcome when they are needed.
 */
export interface ReceiptMaker {
  receiptOf(allowed: boolean, key: string, numbers: readonly number[]): Receipt
}

/** The receipt of a decision; undefined for any other value. A decision that took nothing also has a receipt, and its refund refunds nothing. */
export function receiptOf(value: unknown): Receipt | undefined {
  return typeof value === 'object' && value !== null ? Receipted.receiptOf(value) : undefined
}

/** Adds a receipt to a decision. */
export function withReceipt<D extends Receipts>(decision: D, receipt: Receipt): D {
  // oxlint-disable-next-line eslint/no-new -- the constructor returns the decision
  new Receipted(decision, receipt, '', none)
  return decision
}

/** Adds to a decision the parts from which its receipt can be made. */
export function withReceiptParts<D extends Receipts>(
  decision: D,
  maker: ReceiptMaker,
  key: string,
  numbers: readonly number[],
): D {
  // oxlint-disable-next-line eslint/no-new -- the constructor returns the decision
  new Receipted(decision, maker, key, numbers)
  return decision
}

interface Receipts {
  readonly allowed: boolean
}

const none: readonly number[] = []

/** Its constructor returns the argument, so that a derived class adds its private fields to that object. */
// oxlint-disable-next-line typescript/no-extraneous-class -- only a class can be extended
class Given {
  constructor(value: Receipts) {
    return value
  }
}

/**
 * Adds the receipt as private fields of the decision. The decision remains a plain object, also for `console.log`, and neither a copy nor its JSON
 * contains the receipt. A WeakMap would take several times as long.
 */
class Receipted extends Given {
  #receipt: Receipt | ReceiptMaker
  readonly #key: string
  readonly #numbers: readonly number[]
  /** The field of the decision. */
  declare readonly allowed: boolean

  constructor(
    decision: Receipts,
    receipt: Receipt | ReceiptMaker,
    key: string,
    numbers: readonly number[],
  ) {
    super(decision)
    this.#receipt = receipt
    this.#key = key
    this.#numbers = numbers
  }

  static receiptOf(value: object): Receipt | undefined {
    if (!(#receipt in value)) return undefined
    if ('receiptOf' in value.#receipt) {
      // Made only once, because `markGiven` recognizes a request by its identity.
      value.#receipt = value.#receipt.receiptOf(value.allowed, value.#key, value.#numbers)
    }
    return value.#receipt
  }
}

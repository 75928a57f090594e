import type { DecisionRequest, Outcome } from '../../stores/store.js'

/** What a consumption took, and where: what is needed to refund it. */
export interface Receipt {
  readonly request: DecisionRequest
  readonly outcome: Outcome
}

/**
 * Makes the receipt of a decision from its key and its numbers. Most decisions are never refunded, so the direct way keeps these two and no
 * request and outcome.
 */
export interface ReceiptMaker {
  receiptOf(allowed: boolean, key: string, numbers: readonly number[]): Receipt
}

/** The receipt of a decision, undefined for anything else. A decision that took nothing has one too; a refund of it refunds nothing. */
export function receiptOf(value: unknown): Receipt | undefined {
  return typeof value === 'object' && value !== null ? Receipted.receiptOf(value) : undefined
}

/** Gives a decision its receipt. */
export function withReceipt<D extends Receipts>(decision: D, receipt: Receipt): D {
  // oxlint-disable-next-line eslint/no-new -- it is the decision itself
  new Receipted(decision, receipt, '', none)
  return decision
}

/** Gives a decision what its receipt can be made of. */
export function withReceiptParts<D extends Receipts>(
  decision: D,
  maker: ReceiptMaker,
  key: string,
  numbers: readonly number[],
): D {
  // oxlint-disable-next-line eslint/no-new -- it is the decision itself
  new Receipted(decision, maker, key, numbers)
  return decision
}

interface Receipts {
  readonly allowed: boolean
}

const none: readonly number[] = []

/** Returns what it is given: a class that extends it adds its private fields to that object. */
// oxlint-disable-next-line typescript/no-extraneous-class -- only a class can be extended
class Given {
  constructor(value: Receipts) {
    return value
  }
}

/**
 * Hides the receipt in private fields of the decision. The decision stays a plain object, also for `console.log`, and neither a copy nor
 * JSON has the receipt. A WeakMap would cost several times as much.
 */
class Receipted extends Given {
  #receipt: Receipt | ReceiptMaker
  readonly #key: string
  readonly #numbers: readonly number[]
  /** Of the decision. */
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
      // Made once: it is refunded once.
      value.#receipt = value.#receipt.receiptOf(value.allowed, value.#key, value.#numbers)
    }
    return value.#receipt
  }
}

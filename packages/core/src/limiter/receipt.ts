import type { DecisionRequest, Source, StoreResult } from '../stores/store.js'
import type { Decision, Verdict } from './decision.js'

/** The request of a decision and its result, which its refund needs. */
export interface Receipt {
  readonly request: DecisionRequest
  readonly result: StoreResult
}

/** A decision with its receipt in a private field: neither a copy nor its JSON contains it. */
// The fields are declared only, because V8 runs their definitions as a function of their own.
export class MadeDecision implements Decision<never> {
  declare readonly allowed: boolean
  declare readonly limit: number
  declare readonly remaining: number
  declare readonly retryAfterMs: number | null
  declare readonly resetMs: number
  declare readonly delayMs: number
  declare readonly deniedBy: readonly string[]
  declare readonly policies: Readonly<Record<string, Verdict>>
  declare readonly source: Source
  readonly #request: DecisionRequest | undefined
  readonly #result: StoreResult | undefined
  /** For a decision that combines others, or none. */
  readonly #receipts: (() => readonly Receipt[]) | undefined

  constructor(
    allowed: boolean,
    limit: number,
    remaining: number,
    retryAfterMs: number | null,
    resetMs: number,
    delayMs: number,
    deniedBy: readonly string[],
    policies: Readonly<Record<string, Verdict>>,
    source: Source,
    request: DecisionRequest | undefined,
    result: StoreResult | undefined,
    receipts?: () => readonly Receipt[],
  ) {
    this.allowed = allowed
    this.limit = limit
    this.remaining = remaining
    this.retryAfterMs = retryAfterMs
    this.resetMs = resetMs
    this.delayMs = delayMs
    this.deniedBy = deniedBy
    this.policies = policies
    this.source = source
    this.#request = request
    this.#result = result
    this.#receipts = receipts
  }

  static receiptsOf(value: object): readonly Receipt[] | undefined {
    if (!(#receipts in value)) return undefined
    const [request, result] = [value.#request, value.#result]
    if (request === undefined || result === undefined) return value.#receipts?.()
    return [{ request, result }]
  }
}

// So that `console.log` prints a decision as any other object.
Reflect.deleteProperty(MadeDecision.prototype, 'constructor')

/** The receipts of a decision; undefined for any other value. A decision that took nothing also has one, and its refund refunds nothing. */
export function receiptsOf(value: unknown): readonly Receipt[] | undefined {
  return typeof value === 'object' && value !== null ? MadeDecision.receiptsOf(value) : undefined
}

/** The receipt of the first call that a decision combines. */
export function receiptOf(value: unknown): Receipt | undefined {
  return receiptsOf(value)?.[0]
}

/** A decision with the same fields, and these receipts. */
export function withReceipts<D extends Decision>(
  decision: D,
  receipts: () => readonly Receipt[],
): D {
  const none = undefined
  const made = new MadeDecision(true, 0, 0, 0, 0, 0, [], {}, 'store', none, none, receipts)
  return Object.assign(made, decision)
}

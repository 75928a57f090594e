import type { Decision } from '../limiter/decision.js'
import { brand, isBranded, messageOf, SluiceError } from '../errors.js'

const deniedErrorBrand = Symbol.for('@sluice/core:DeniedError')

/** What a limited function rejects with when it is denied and nobody said what to do then. Its code is SLUICE_DENIED. */
export class DeniedError extends SluiceError {
  readonly decision: Decision

  constructor(limiter: string, decision: Decision) {
    const { deniedBy, retryAfterMs } = decision
    super('SLUICE_DENIED', messageOf('SLUICE_DENIED', limiter, deniedBy, retryAfterMs))
    this.decision = decision
  }

  static {
    brand(this.prototype, deniedErrorBrand)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== DeniedError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return isBranded(value, deniedErrorBrand)
  }
}

import type { Decision } from '../limiter/decision.js'
import { brand, isBranded, messageOf, SluiceError } from '../errors.js'

const deniedErrorBrand = Symbol.for('@sluice/core:DeniedError')

/** The error with which a denied call of a limited function rejects, unless `onDenied` returns a value. Its code is SLUICE_DENIED. */
export class DeniedError extends SluiceError {
  /** The decision that denied the call. */
  readonly decision: Decision

  constructor(limiter: string, decision: Decision) {
    const { deniedBy, retryAfterMs } = decision
    super('SLUICE_DENIED', messageOf('SLUICE_DENIED', limiter, deniedBy, retryAfterMs))
    this.decision = decision
    brand(this, deniedErrorBrand)
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    if (this !== DeniedError) return Function.prototype[Symbol.hasInstance].call(this, value)
    return isBranded(value, deniedErrorBrand)
  }
}

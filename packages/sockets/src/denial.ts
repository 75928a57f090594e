import type { Decision } from '@sluice/core'
import { firmWaitOf } from '@sluice/core/internal'

/** A decision, or the error that kept the limit from one. */
export type Answer = Decision | Failure

/** An error of the limit: of a function of its options, or of the limiter. */
export class Failure {
  readonly error: unknown

  constructor(error: unknown) {
    this.error = error
  }
}

/** The data that a denied client receives. */
export interface Denial {
  /** `RATE_LIMITED`, or `RATE_LIMIT_FAILED` if an error kept the limit from a decision. */
  readonly code: 'RATE_LIMITED' | 'RATE_LIMIT_FAILED'
  /** The wait after which the same cost is allowed, if nothing else happens. Null if it never is, or if that is unknown. */
  readonly retryAfterMs: number | null
}

/** In place of a wait that nobody can know: a lease may be released at any moment. */
const soonMs = 1000

/** The denial of a socket whose events or messages wait for too many decisions. */
export const tooManyWait: Denial = { code: 'RATE_LIMITED', retryAfterMs: soonMs }

export function denialOf(answer: Answer): Denial {
  return answer instanceof Failure
    ? { code: 'RATE_LIMIT_FAILED', retryAfterMs: null }
    : { code: 'RATE_LIMITED', retryAfterMs: waitOf(answer) }
}

/** The wait of a denied client, without leases; null if the cost can never fit. */
export function waitOf(decision: Decision): number | null {
  const firmMs = firmWaitOf(decision)
  return firmMs === 0 ? soonMs : firmMs
}

/** The error with which a middleware of socket.io denies. Its client receives the message and the data. */
export class DenialError extends Error {
  override readonly name = 'DenialError'
  readonly data: Denial

  constructor(data: Denial) {
    super(data.code === 'RATE_LIMITED' ? 'Too many requests.' : 'The rate limit failed.')
    this.data = data
  }
}

import type { Decision } from '../../limiter/decision.js'
import type { Outcome } from './judgement.js'

/** The decision on an HTTP request. With `rules`, it is a `RuleDecision`, which has all of these fields; without, they are absent. */
export interface RequestDecision extends Decision {
  /** The rule that decided the outcome; undefined if the request is allowed. */
  readonly rule?: string | undefined
  readonly outcome?: Outcome | undefined
  /** The rules that were asked. */
  readonly applied?: readonly string[]
  /** The tags of the request. */
  readonly tags?: readonly string[]
  /** The version of the rules that decided. */
  readonly rules?: string
}

import type { Decision } from '../../limiter/decision.js'
import type { Outcome } from './judgement.js'

/**
 * The decision on an HTTP request, as the application finds it. With the option `rules` it is a `RuleDecision`, whose fields are all set; without it, the
 * fields of rules are absent.
 */
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

import type { Costs, Decision, Keys, Policies } from '@sluice/core'
import type { Outcome } from '@sluice/core/http'

/** The rules that apply to one request. */
export type RuleMatch = Pass | Refuse | Ask

interface Judged {
  /** The version of the rules that judged. All parts of a judgement belong to one version. */
  readonly version: string
  /** The tags that the request has before any store is asked. */
  readonly tags: readonly string[]
}

/** No rule limits the request. */
export interface Pass extends Judged {
  readonly type: 'pass'
}

/** A rule refuses the request without asking the store. */
export interface Refuse extends Judged {
  readonly type: 'refuse'
  readonly rule: string
  readonly outcome: Outcome
}

/** Limits apply. */
export interface Ask extends Judged {
  readonly type: 'ask'
  /** The rules of `enforced` and `tagging`, in the order of the document. */
  readonly applied: readonly string[]
  /** At most one consumption, with all rules that can deny the request: it counts in all of them or in none. */
  readonly enforced: readonly [] | readonly [LimitCheck]
  /** Asked if `enforced` allows, each by itself. A denial adds the tag of its rule, and the request continues. */
  readonly tagging: readonly LimitCheck[]
  /** Asked if `enforced` allows, and not awaited. Nothing of it reaches the response. */
  readonly shadow: readonly LimitCheck[]
  /** The same for shadow rules that wait for a value of the application. The request does not wait for them. */
  readonly lateShadow?: PromiseLike<readonly LimitCheck[]>
}

/** One call of `limiter.consume`. Its policies are named after the counts of the rules. */
export interface LimitCheck {
  readonly keys: Keys
  /** The same object for the same set of rules, so that the limiter binds it once. */
  readonly policies: Policies
  readonly cost: Costs
  /** The outcome of a denial, by the name of the policy, in the order of the document. */
  readonly rules: ReadonlyMap<string, AppliedRule>
  /** Called with the decision, for the statistics of the rules. */
  onDecision?(decision: Decision): void
  /** Called if no decision was made, because the store failed. */
  onError?(error: unknown): void
}

/** A rule as it applies to one request. */
export interface AppliedRule {
  readonly rule: string
  readonly outcome: Outcome
  /** Which responses count. The units of others are refunded after the response. */
  readonly counts: 'all' | 'failures' | 'successes'
  /** Whether a successful response resets the count. */
  readonly resetOnSuccess: boolean
  /**
   * The name of the policy in headers and problem bodies. Two policies of a response must not have the same one.
   *
   * @default the policy's own name
   */
  readonly publicName?: string
}

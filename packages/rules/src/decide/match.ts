import type { Costs, Decision, Keys, Policies } from '@sluice/core'
import type { Outcome } from './outcome.js'

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
  /**
   * The checks that can deny the request, in this order: those of rules that are decided by themselves, and at most one of all others, which counts in all
   * of them or in none. The decision describes the last one, or the one that denies.
   */
  readonly enforced: readonly LimitCheck[]
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

export type Counts = 'all' | 'failures' | 'successes' | readonly number[]

/** Whether a request takes the units of a check after the response. */
export function takesLater({ rules }: LimitCheck): boolean {
  const [first] = rules.values()
  return first.reserves === false
}

/** A rule as it applies to one request. */
export interface AppliedRule {
  readonly rule: string
  readonly outcome: Outcome
  /** Which responses count, by their success or by a list of statuses. The units of others are refunded after the response. */
  readonly counts: Counts
  /** False if a request takes its units after the response. All rules of one check have the same value. */
  readonly reserves?: boolean
  /** Whether requests that another limit denies count as well. */
  readonly countsDenied?: boolean
  /** Whether a successful response resets the count. */
  readonly resetOnSuccess: boolean
  /**
   * The name of the policy in headers and problem bodies. Two policies of a response must not have the same one.
   *
   * @default the policy's own name
   */
  readonly publicName?: string
}

import type { Policies } from '../../limiter/bound-policies.js'
import type { Keys, Costs } from '../../limiter/arguments.js'
import type { Decision } from '../../limiter/decision.js'
import type { DenialBody } from '../response/denial.js'
import type { Awaitable } from '../../awaitable.js'
import type { RequestView } from '../request/view.js'

/** Judges requests. `rateLimit({ rules })` asks once for each request, so that one set of rules decides all of it. */
export interface Rules<R> {
  /** The name of the limiter, and so the namespace of the counts. */
  readonly name: string
  /** Finds the rules that apply to a request. An error fails the request. */
  judge(request: R, view: RequestView<R>): Awaitable<Judgement>
}

/** The rules that apply to one request. */
export type Judgement = Pass | Refuse | Ask

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
  readonly enforced: readonly [] | readonly [Consumption]
  /** Asked if `enforced` allows, each by itself. A denial adds the tag of its rule, and the request continues. */
  readonly tagging: readonly Consumption[]
  /** Asked if `enforced` allows, and not awaited. Nothing of it reaches the response. */
  readonly shadow: readonly Consumption[]
  /** The same for shadow rules that wait for a value of the application. The request does not wait for them. */
  readonly lateShadow?: PromiseLike<readonly Consumption[]>
}

/** One call of `limiter.consume`. With rules, its policies are named after the counts of the rules; a limit without rules is one consumption, too. */
export interface Consumption {
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

/** The treatment of a request that a rule denies. */
export type Outcome =
  | { readonly type: 'deny'; readonly status: number; readonly body?: DenialBody }
  | { readonly type: 'delay'; readonly maxMs: number }
  | { readonly type: 'challenge'; readonly kind: string; readonly [detail: string]: unknown }
  | { readonly type: 'tag'; readonly tag: string }

/** A decision, and the rules that made it. */
export interface RuleDecision extends Decision {
  /** The rule that decided the outcome; undefined if the request is allowed. */
  readonly rule: string | undefined
  /** The outcome of that rule. */
  readonly outcome: Outcome | undefined
  /** The rules that were asked, in the order of the document, without shadow rules. */
  readonly applied: readonly string[]
  /** The tags of the request. */
  readonly tags: readonly string[]
  /** The version of the rules that decided. */
  readonly rules: string
}

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

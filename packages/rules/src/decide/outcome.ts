import type { Decision } from '@sluice/core'
import type { DenialBody } from '@sluice/core/http'

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

/** The fields that a decision by rules has, besides those of any decision. */
export type RuleFields = Omit<RuleDecision, keyof Decision>

declare module '@sluice/core/http' {
  /** The decision on an HTTP request. With the option `rules`, it has all fields of a `RuleDecision`. */
  interface RequestDecision extends Partial<RuleFields> {}
}

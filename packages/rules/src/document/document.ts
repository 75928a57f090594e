/** A value in a document. */
export type Scalar = string | number | boolean

/** A document of rules. */
export interface RulesDocument {
  /** The version of the format. */
  readonly version: 1
  /** The name of the limiter, and so the namespace of the counts. */
  readonly name: string
  /** An IANA time zone for schedules and calendar windows without one. If it is absent, each of them needs its own. */
  readonly zone?: string
  /**
   * Whether paths that differ in letter case are different paths. Most frameworks do not distinguish them.
   *
   * @default false
   */
  readonly caseSensitive?: boolean
  /** The declared values of requests, by name. */
  readonly values?: Readonly<Record<string, ValueDeclaration>>
  /** Lists that predicates refer to as `$name`. */
  readonly lists?: Readonly<Record<string, ListDeclaration>>
  /** Times that `during` and `by: schedule` refer to. */
  readonly schedules?: Readonly<Record<string, ScheduleDeclaration>>
  /** Searched from the top. Every limit that matches applies; `allow`, `deny` and `challenge` end the search. */
  readonly rules: readonly RuleDeclaration[]
  /** Requests, and the rules that have to apply to them. */
  readonly tests?: readonly TestDeclaration[]
}

export type ValueType = 'string' | 'number' | 'integer' | 'boolean'

/** A type, a type that may be absent, or all values that are possible. */
export type ValueDeclaration =
  | ValueType
  | `${ValueType}?`
  | readonly (string | number)[]
  | { readonly oneOf: readonly (string | number)[]; readonly optional?: boolean }

export interface ListDeclaration {
  readonly kind: 'address' | 'text'
  /** One entry a line; `#` begins a comment. */
  readonly file?: string
  readonly entries?: readonly (string | number)[]
}

/** A stretch of each day, half-open, by the clocks of its zone. It may cross midnight. */
export interface ScheduleDeclaration {
  /** Such as `mon-fri` or `sun`. A stretch belongs to the day on which it begins. */
  readonly days?: readonly string[]
  readonly from?: string
  readonly to?: string
  /** Dates on which it does not begin. */
  readonly except?: readonly string[]
  /** An IANA time zone. Required if the document has no `zone`. */
  readonly zone?: string
}

/** The expected value of a field, a list of expected values, or operators that all have to hold. */
export type Predicate = Scalar | readonly Scalar[] | Operators

export interface Operators {
  /** A list, as `$name`. */
  readonly in?: string
  readonly from?: number
  readonly to?: number
  readonly above?: number
  readonly below?: number
  readonly prefix?: string | readonly string[]
  readonly suffix?: string | readonly string[]
  readonly contains?: string | readonly string[]
  /** A regular expression of RE2 that is found in the first 2,048 characters. */
  readonly matches?: string
  readonly present?: boolean
  readonly not?: Predicate
}

/** Predicates by field, all of which have to hold. `any`, `all` and `not` nest. */
export interface When {
  readonly any?: readonly When[]
  readonly all?: readonly When[]
  readonly not?: When
  readonly [field: string]: Predicate | When | readonly When[] | undefined
}

/** A policy as its builder takes it. */
export interface PolicyDeclaration {
  readonly kind: string
  readonly [option: string]: unknown
}

/** A choice by a value, or by the schedules that are active. */
export interface By<T> {
  readonly by: string
  readonly else?: T
  readonly [value: string]: T | string | undefined
}

export type KeyPartDeclaration = string | { readonly first: readonly string[] }

export interface OverridesDeclaration {
  /** The field whose value has limits of its own. */
  readonly of: string
  readonly entries?: Readonly<Record<string, OverrideDeclaration>>
}

/** A limit in place of the rule's own, no limit, or a whole policy. */
export type OverrideDeclaration = number | 'unlimited' | PolicyDeclaration

export interface DenyDeclaration {
  readonly status?: number
  readonly body?: string | Readonly<Record<string, unknown>>
}

export interface ChallengeDeclaration {
  readonly kind: string
  readonly [detail: string]: unknown
}

export type ThenDeclaration =
  | 'allow'
  | 'deny'
  | { readonly deny: DenyDeclaration }
  | { readonly challenge: ChallengeDeclaration }
  | { readonly tag: string }

export type OverDeclaration =
  | 'deny'
  | { readonly deny: DenyDeclaration }
  | { readonly delay: string | number }
  | { readonly challenge: ChallengeDeclaration }
  | { readonly tag: string }

/** Which responses count, and when. A rule with `reserve` or `denied` is decided by itself, before the others. */
export interface CountsDeclaration {
  /** The responses with one of these statuses. Pass `status` or `when`. */
  readonly status?: number | readonly number[]
  readonly when?: 'all' | 'failures' | 'successes'
  /**
   * Whether a request takes its units at the start. If false, it is decided by what has counted so far, and takes its units after the response if it counts.
   *
   * @default true
   */
  readonly reserve?: boolean
  /**
   * Whether requests that another limit denies count too, as attempts.
   *
   * @default false
   */
  readonly denied?: boolean
}

export interface RuleDeclaration {
  /** 1 to 64 characters. The name of its count, which the headers of responses contain. */
  readonly id: string
  /** Absent: every request. */
  readonly when?: When
  /** The action for a request that matches, instead of a limit. */
  readonly then?: ThenDeclaration
  /**
   * The fields whose values count together. An empty list is one count for all requests.
   *
   * @default 'ip'
   */
  readonly key?: KeyPartDeclaration | readonly KeyPartDeclaration[]
  /** A number, a choice of numbers, or a declared value as `$name`. */
  readonly limit?: number | string | By<number>
  readonly window?: string | number
  /** @default 'slidingWindow' */
  readonly algorithm?: 'slidingWindow' | 'fixedWindow' | 'slidingLog' | 'gcra'
  readonly policy?: PolicyDeclaration | By<PolicyDeclaration>
  /** Named policies, which all have to allow the request. */
  readonly policies?: Readonly<Record<string, PolicyDeclaration | By<PolicyDeclaration>>>
  /**
   * The action for a request that is over the limit.
   *
   * @default 'deny'
   */
  readonly over?: OverDeclaration
  /**
   * Units that a request takes: a number, or a value as `$name`.
   *
   * @default 1
   */
  readonly cost?: number | string
  /**
   * Which responses count. The units of others are refunded after the response.
   *
   * @default 'all'
   */
  readonly counts?: 'all' | 'failures' | 'successes' | CountsDeclaration
  readonly resetOn?: 'success'
  /** Of the rules of one group, only the first that matches applies. */
  readonly group?: string
  /**
   * The name of the count. Rules with one count share it if their keys are equal.
   *
   * @default the id
   */
  readonly count?: string
  readonly overrides?: OverridesDeclaration
  /**
   * Whether headers and bodies of responses name the count. If not, they say `limit`; a document's further such counts are `limit-2`, `limit-3` and so on.
   *
   * @default true
   */
  readonly expose?: boolean
  /** Counts and reports, and never changes a response. */
  readonly shadow?: boolean
  /** @default true */
  readonly enabled?: boolean
  readonly note?: string
}

/** A request: its method (default: GET), path with its query (default: /), ip, host and route, headers and cookies as `header.name`, and declared values. */
export type TestRequest = Readonly<Record<string, Scalar>>

export interface TestDeclaration {
  readonly request: TestRequest
  /** The time of the request, such as `2026-10-01T02:00:00+08:00`. Without it, the current time. */
  readonly at?: string
  /** The limits that apply, in the order of the document, shadow rules included. No rule may refuse the request. */
  readonly applies?: readonly string[]
  /** The rule that refuses the request. */
  readonly refuses?: string
  /** The rule whose `then: allow` exempts the request from the limits below it. */
  readonly allows?: string
  /** The tags of the rules with `then: { tag: … }`. */
  readonly tags?: readonly string[]
}

/** The answer of `GET api/view`. All times called `…At` are milliseconds since the epoch. */
export interface View {
  /** When it was made. */
  readonly at: number
  readonly role: Role
  /** Whether the texts of keys are those of `mask`, as for the role `read`. Such a text may be that of several keys, and of none. */
  readonly isMasked?: true
  /** The processes that take part, this one included. */
  readonly processes: number
  readonly share: ShareView
  readonly limiters: readonly LimiterView[]
  readonly rules?: RulesView
  readonly stores: readonly StoreView[]
}

/** The rights of a visitor: to look and see no keys, or to look, see keys and act. */
export type Role = 'read' | 'write'

/** How far the view contains the data of other processes. */
export interface ShareView {
  /** `none`: there is no option `share`, so only this process is shown. `failed`: Redis did not answer, so only this process is shown. */
  readonly state: 'none' | 'ok' | 'failed'
  /** Processes whose data cannot be merged, because they have another version of this package. */
  readonly notMerged: number
  /** Processes with a newer version of this package: of their data, those that this version does not know are left out. Absent if there is none. */
  readonly newer?: number
  /** The prefix of `redisView`, if the store has another one: no key that the limiters have counted begins with it, so the search finds none. */
  readonly wrongPrefix?: string
  readonly error?: string
}

/** The decisions of one limiter, in the last hour. */
export interface LimiterView {
  readonly name: string
  /** Whether it was passed to `createDashboard`, so that its keys can be acted upon. Other limiters are shown only. */
  readonly canAct: boolean
  /** Its policies in the order in which they were first seen; with rules, the counts of the rules. */
  readonly policies: readonly PolicyView[]
  readonly series: Series
  readonly top: { readonly requests: TopKeys; readonly denials: TopKeys }
  /** Keys that are denied now, or were a moment ago, most denials first. At most as many as the request asks for with `rows`. */
  readonly denied: readonly DeniedKey[]
  /** The number of keys that are denied, with those that are not listed. Of those, a key that several processes deny can count several times. */
  readonly deniedTotal: number
}

/** Counts in steps of 10 s, oldest first, 360 of them; the last one is the current step. */
export interface Series {
  readonly startsAt: number
  readonly stepMs: number
  /** Also requests that a dry run would deny. */
  readonly allowed: readonly number[]
  readonly denied: readonly number[]
  readonly exempt: readonly number[]
  /** Denials that deny no request: of shadow rules, of rules that add a tag, and of dry runs. */
  readonly wouldDeny: readonly number[]
}

/** The denials of one policy. */
export interface PolicyView {
  readonly name: string
  /** In the steps of the series of its limiter. */
  readonly denied: readonly number[]
  /** The same, of denials that deny no request. Absent if there is none. */
  readonly wouldDeny?: readonly number[]
  readonly limit?: number
}

/** The most frequent keys of the last minutes, most frequent first. */
export interface TopKeys {
  /** At most as many as the request asks for with `rows`. */
  readonly keys: readonly TopKey[]
  /** The number of keys that a request can ask for, at most 50. */
  readonly total: number
  /** The most often that any further key can have occurred. */
  readonly unlisted: number
  /** When the counts began: five to ten minutes before, or when the process started. */
  readonly sinceAt: number
}

/** A key that occurred at most `count` times, and at least `count - error` times. */
export interface TopKey {
  /** As it is counted; for the role `read`, as `mask` shows it. Always shown as text. */
  readonly key: string
  readonly count: number
  readonly error: number
}

/** A key that is denied. */
export interface DeniedKey {
  /** As it is counted; for the role `read`, as `mask` shows it. Always shown as text. */
  readonly key: string
  /** Policies (or counts of rules) that deny it. */
  readonly policies: readonly string[]
  /** When it is allowed again by what its last denial said; null: never with that cost. It may have passed, by at most ten seconds. */
  readonly untilAt: number | null
  /** Denials since it was first denied without a pause. */
  readonly denials: number
  readonly firstDeniedAt: number
  readonly lastDeniedAt: number
  readonly source: 'store' | 'local' | 'ahead' | 'fallback' | 'open' | 'closed'
  /** Whether it is denied by a block, automatic or by hand, and not by its quota. */
  readonly isBlocked: boolean
}

/** A store that has failed since the processes started. */
export interface StoreView {
  readonly name: string
  /** `open`: no calls are sent to it. `fallback`: limiters decide without it. */
  readonly state: 'ok' | 'open' | 'fallback'
  readonly sinceAt: number | null
  /** Failed calls of the last hour. */
  readonly errors: number
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: number }
}

/** The rules that are in use. */
export interface RulesView {
  readonly name: string
  readonly version: string
  readonly loadedAt: number
  readonly from: string
  /** Why the rules are not those of their source, and since when. */
  readonly refused?: { readonly at: number; readonly code: string; readonly message: string }
  /** The first 1,000 of them. */
  readonly rules: readonly RuleView[]
}

/** A rule, and its counters since it was first loaded. */
export interface RuleView {
  readonly id: string
  readonly description?: string
  readonly shadow: boolean
  readonly enabled: boolean
  readonly stats: Readonly<Record<RuleCounter, number>>
}

/** The counters of a rule, in the order in which processes share them. */
export const ruleCounters = [
  'matched',
  'asked',
  'allowed',
  'denied',
  'near',
  'shadowDenied',
  'refused',
  'errors',
] as const

/** A counter of a rule. */
export type RuleCounter = (typeof ruleCounters)[number]

/** The answer of `GET api/key`: the counts of one key. */
export interface KeyView {
  readonly limiter: string
  /** As it is counted; for the role `read`, as `mask` shows it. Always shown as text. */
  readonly key: string
  /** Whether something is counted for the key, or it is blocked or exempt. If not, no store has seen it, or its counts have expired. */
  readonly isCounted: boolean
  /** The place of the counts: `store`, or `fallback` while the store is unavailable. */
  readonly source: string
  readonly policies: readonly KeyPolicyView[]
  /** The rules that count by these policies, if there are rules. */
  readonly rules?: readonly { readonly id: string; readonly description?: string }[]
}

/** The counts of one policy of a key. */
export interface KeyPolicyView {
  readonly name: string
  readonly used: number
  readonly limit: number
  readonly remaining: number
  readonly resetMs: number
  readonly blockedMs: number
  readonly exemptMs: number
  /** The units that are left of its grant. Absent without one. */
  readonly granted?: number
  /**
   * The limit depends on the request, and that of the key's last one is not known: `limit` and `remaining` are those of another key's. Absent if the limit is that of
   * the key.
   */
  readonly isUncertain?: true
}

/** The answer of `GET api/search`: blocked keys of the part of the store that was searched. */
export interface SearchView {
  readonly keys: readonly KeyView[]
  /** Where the next request continues; null at the end. */
  readonly cursor: string | null
  /** The keys of the limiter in this part, blocked or not. */
  readonly scanned: number
}

/** The answer of `POST api/act`, besides `ok: true`. */
export interface ActView {
  /** The counts after the act. */
  readonly key: KeyView
  /** Whether the store had counts of the key before. If not, the act may concern no client. */
  readonly wasCounted: boolean
}

/** An act on a key. */
export type Act =
  | 'block'
  | 'unblock'
  | 'reset'
  | 'penalize'
  | 'exempt'
  | 'unexempt'
  | 'grant'
  | 'ungrant'

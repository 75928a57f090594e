// The data that the page receives. The URLs are relative to the page.

/** `GET api/view`. All times named `…At` are milliseconds since the epoch. */
export interface View {
  readonly at: number
  readonly role: 'read' | 'write'
  /** Processes whose data are in it, this one included. */
  readonly processes: number
  /** `none`: only this process, because there is no option `share`. `failed`: only this process, because Redis did not answer. */
  readonly share: {
    readonly state: 'none' | 'ok' | 'failed'
    /** Processes of another version: counted, not merged. */
    readonly notMerged: number
    readonly error?: string
  }
  readonly limiters: readonly LimiterView[]
  readonly rules?: RulesView
  readonly stores: readonly StoreView[]
}

export interface LimiterView {
  readonly name: string
  /** Whether its keys can be acted upon. */
  readonly canAct: boolean
  readonly policies: readonly PolicyView[]
  readonly series: Series
  readonly top: { readonly requests: TopKeys; readonly denials: TopKeys }
  /** Keys that are denied now, most denials first. */
  readonly denied: readonly DeniedKey[]
}

/** Counts in steps, oldest first. The last one is the current step. */
export interface Series {
  readonly startsAt: number
  readonly stepMs: number
  readonly allowed: readonly number[]
  readonly denied: readonly number[]
  readonly exempt: readonly number[]
}

export interface PolicyView {
  readonly name: string
  /** In the steps of the series of its limiter. */
  readonly denied: readonly number[]
  readonly limit?: number
}

export interface TopKeys {
  readonly keys: readonly TopKey[]
  /** The most often that a key can have occurred which is not listed. */
  readonly unlisted: number
  /** When the counts began. */
  readonly sinceAt: number
}

export interface TopKey {
  readonly id: string
  readonly key: string
  readonly count: number
  readonly error: number
}

export interface DeniedKey {
  readonly id: string
  readonly key: string
  readonly policies: readonly string[]
  /** Null: never with the cost of its last request. */
  readonly untilAt: number | null
  readonly denials: number
  readonly firstDeniedAt: number
  readonly lastDeniedAt: number
  readonly source: 'store' | 'local' | 'fallback' | 'open' | 'closed'
  /** By a block, and not by its quota. */
  readonly isBlocked: boolean
}

export interface StoreView {
  readonly name: string
  readonly state: 'ok' | 'open' | 'fallback'
  readonly sinceAt: number | null
  /** In the last hour. */
  readonly errors: number
  readonly lastError?: { readonly code: string; readonly message: string; readonly at: number }
}

export interface RulesView {
  readonly name: string
  readonly version: string
  readonly loadedAt: number
  readonly from: string
  readonly refused?: { readonly at: number; readonly code: string; readonly message: string }
  readonly rules: readonly RuleView[]
}

export interface RuleView {
  readonly id: string
  readonly description?: string
  readonly shadow: boolean
  readonly enabled: boolean
  readonly stats: Readonly<
    Record<
      'matched' | 'asked' | 'allowed' | 'denied' | 'near' | 'shadowDenied' | 'refused' | 'errors',
      number
    >
  >
}

/** `GET api/key`. */
export interface KeyView {
  readonly limiter: string
  readonly id: string
  readonly key: string
  readonly source: string
  readonly policies: readonly KeyPolicy[]
  readonly rules?: readonly { readonly id: string; readonly description?: string }[]
}

export interface KeyPolicy {
  readonly name: string
  readonly used: number
  readonly limit: number
  readonly remaining: number
  readonly resetMs: number
  readonly blockedMs: number
  readonly exemptMs: number
}

/** `GET api/search`. */
export interface Found {
  readonly keys: readonly KeyView[]
  readonly cursor: string | null
  readonly scanned: number
}

/** The body of `POST api/act`. A key is named by its `id`, or by its text. */
export interface Act {
  readonly limiter: string
  readonly id?: string
  readonly key?: string
  readonly act: ActName
  readonly length?: string
  readonly units?: number
  readonly reason: string
}

export type ActName = 'block' | 'unblock' | 'reset' | 'penalize' | 'exempt' | 'unexempt'

import {
  absentOr,
  boolean,
  list,
  nullOr,
  number,
  record,
  text,
  type Reader,
} from '../reading/json-shape.js'

/** The part of a dashboard's view that the commands show. All times are milliseconds since the epoch. */
export interface View {
  readonly at: number
  /** Whether the texts of keys are masked. */
  readonly isMasked?: boolean | undefined
  readonly processes: number
  readonly share: Share
  readonly limiters: readonly LimiterView[]
  readonly rules?: RulesView | undefined
  readonly stores: readonly StoreView[]
}

/** Whether the data of other processes are in the view. */
export interface Share {
  readonly state: string
  readonly notMerged: number
  readonly error?: string | undefined
}

export interface LimiterView {
  readonly name: string
  readonly canAct: boolean
  readonly series: Series
  readonly top: { readonly requests: TopKeys; readonly denials: TopKeys }
  readonly denied: readonly DeniedKey[]
  /** With the keys that are not listed. */
  readonly deniedTotal: number
}

/** Counts in steps, oldest first. The last one is the current step. */
export interface Series {
  readonly startsAt: number
  readonly stepMs: number
  readonly allowed: readonly number[]
  readonly denied: readonly number[]
  readonly exempt: readonly number[]
  /** Denials that deny no request. The other counts do not contain them. */
  readonly wouldDeny: readonly number[]
}

export interface TopKeys {
  readonly keys: readonly TopKey[]
}

/** A key, and how often it was counted: at least `count - error` times, at most `count` times. */
export interface TopKey {
  readonly key: string
  readonly count: number
  readonly error: number
}

export interface DeniedKey {
  readonly key: string
  readonly policies: readonly string[]
  /** Null: it is never allowed with that cost. */
  readonly untilAt: number | null
  readonly denials: number
  readonly isBlocked: boolean
}

export interface StoreView {
  readonly name: string
  readonly state: string
  readonly sinceAt: number | null
  readonly errors: number
  readonly lastError?: { readonly code: string; readonly message: string } | undefined
}

export interface RulesView {
  readonly name: string
  readonly version: string
  readonly refused?: { readonly at: number; readonly message: string } | undefined
}

/** The status of a key, as the dashboard sends it. */
export interface KeyView {
  readonly limiter: string
  readonly key: string
  /** An older dashboard does not say it. */
  readonly isCounted?: boolean | undefined
  readonly policies: readonly KeyPolicy[]
}

export interface KeyPolicy {
  readonly name: string
  readonly used: number
  /** Null for a policy without a limit, because JSON has no Infinity. */
  readonly limit: number | null
  readonly remaining: number | null
  readonly resetMs: number
  readonly blockedMs: number
  readonly exemptMs: number
  readonly granted?: number | undefined
  readonly isUncertain?: boolean | undefined
}

const topKeys = record<TopKeys>({
  keys: list(record<TopKey>({ key: text, count: number, error: number })),
})

export const readView: Reader<View> = record<View>({
  at: number,
  isMasked: absentOr(boolean),
  processes: number,
  share: record<Share>({ state: text, notMerged: number, error: absentOr(text) }),
  limiters: list(
    record<LimiterView>({
      name: text,
      canAct: boolean,
      series: record<Series>({
        startsAt: number,
        stepMs: number,
        allowed: list(number),
        denied: list(number),
        exempt: list(number),
        wouldDeny: list(number),
      }),
      top: record<LimiterView['top']>({ requests: topKeys, denials: topKeys }),
      denied: list(
        record<DeniedKey>({
          key: text,
          policies: list(text),
          untilAt: nullOr(number),
          denials: number,
          isBlocked: boolean,
        }),
      ),
      deniedTotal: number,
    }),
  ),
  rules: absentOr(
    record<RulesView>({
      name: text,
      version: text,
      refused: absentOr(record<{ at: number; message: string }>({ at: number, message: text })),
    }),
  ),
  stores: list(
    record<StoreView>({
      name: text,
      state: text,
      sinceAt: nullOr(number),
      errors: number,
      lastError: absentOr(record<{ code: string; message: string }>({ code: text, message: text })),
    }),
  ),
})

export const readKeyView: Reader<KeyView> = record<KeyView>({
  limiter: text,
  key: text,
  isCounted: absentOr(boolean),
  policies: list(
    record<KeyPolicy>({
      name: text,
      used: number,
      limit: nullOr(number),
      remaining: nullOr(number),
      resetMs: number,
      blockedMs: number,
      exemptMs: number,
      granted: absentOr(number),
      isUncertain: absentOr(boolean),
    }),
  ),
})

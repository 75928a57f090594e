import type { Policies } from '@sluice/core'
import type { RulesDocument } from '@sluice/rules'

/**
 * The result of a simulation, which `--json` writes. `packages/cli/report.schema.json` is its JSON Schema. All times are ISO 8601 in UTC, such as
 * `2026-11-20T09:00:00.000Z`.
 */
export interface Report {
  readonly version: 1
  readonly log: LogReport
  /** The width of the intervals of `requests` and `denials`, in milliseconds. */
  readonly intervalMs: number
  /** The requests of the log over time. Intervals without requests are left out. */
  readonly requests: readonly RequestsPoint[]
  /** The limits, in the order in which they were stated, and then those that were suggested. */
  readonly variants: readonly VariantReport[]
  readonly compared?: ComparedReport
  /** The requests that the rules could not judge, because a value or another field was absent. No limit counted them. */
  readonly unjudged?: number
  /** The notes that restrict the meaning of the numbers. */
  readonly notes: readonly string[]
}

/** The log that was replayed. */
export interface LogReport {
  readonly files: readonly string[]
  readonly format: string
  readonly lines: number
  /** The lines that are not requests, by reason. */
  readonly skipped: Readonly<Record<string, number>>
  /** The requests that were out of order by more than `--disorder`. */
  readonly late: number
  /** The time of the first request, and of the last. Empty if there were no requests. */
  readonly from: string
  readonly to: string
  /** The share of the keys that was replayed: 1 is all of them. */
  readonly sampled: number
  /** Whether the requests of each second were spread evenly over it. */
  readonly spread: boolean
  /** Whether requests were replayed at their arrival, or at the time of their line. */
  readonly time: 'arrival' | 'end'
  /** The number of requests in the log with the status 429. */
  readonly limited: number
  /** Whether the compressed data is truncated. */
  readonly truncated: boolean
}

/** The result of one variant. */
export interface VariantReport {
  readonly name: string
  /** Whether `suggest` found this limit. Absent if not. */
  readonly suggested?: true
  /** The key as the caller stated it. Absent for rules, which have their own keys. */
  readonly key?: string
  /** One policy, policies by name, or a document of rules. */
  readonly policies: Policies | RulesDocument
  readonly asked: number
  /** The requests without the key, which this variant does not limit. */
  readonly unkeyed: number
  readonly denied: number
  readonly keys: number
  readonly keysDenied: number
  /** The five minutes of the clock with the largest share of denials. `from` is empty if nothing was denied. */
  readonly worst: { readonly from: string; readonly share: number }
  /** The most consecutive denials of one key. */
  readonly streak: { readonly key: string; readonly length: number }
  /** The intervals with denials. */
  readonly denials: readonly DenialsPoint[]
  readonly rules?: readonly RuleReport[]
  /** The keys with the most denials. */
  readonly top: readonly TopKey[]
}

/** The requests of one interval, which begins at `at`. */
export interface RequestsPoint {
  readonly at: string
  readonly asked: number
}

/** The denials of one interval, which begins at `at`. */
export interface DenialsPoint extends RequestsPoint {
  readonly denied: number
}

/** The denials of one key in an interval, which begins at `at`. */
export interface KeyDenialsPoint {
  readonly at: string
  readonly denied: number
}

/** The result of one rule. */
export interface RuleReport {
  readonly id: string
  readonly asked: number
  readonly denied: number
  readonly shadowDenied: number
}

/** A key with many denials. */
export interface TopKey {
  readonly key: string
  readonly asked: number
  /** An upper bound of the denied requests. The lower bound is `denied - error`. */
  readonly denied: number
  readonly error: number
  readonly first: string
  readonly last: string
  /** The path that most denied requests had, and a lower bound of its share. */
  readonly mostlyAt: string
  readonly mostlyAtShare: number
  /** The user agent of the first denied request. */
  readonly agent?: string
  /** The intervals with denials. Their width is a minute, doubled until 60 intervals are enough. */
  readonly denials: readonly KeyDenialsPoint[]
}

/** A rules document compared with the baseline. */
export interface ComparedReport {
  readonly baseline: string
  readonly variant: string
  /** The number of requests that both documents decided. */
  readonly asked: number
  /** The requests that only the variant denies, and those that only the baseline denies. */
  readonly requestsNewlyDenied: number
  readonly requestsNewlyAllowed: number
  readonly keysNewlyDenied: number
  readonly keysNewlyAllowed: number
  readonly newlyDenied: readonly TopKey[]
  readonly newlyAllowed: readonly TopKey[]
}

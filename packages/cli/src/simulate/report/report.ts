/** The result of a simulation, which `--json` writes. `packages/cli/report.schema.json` is its JSON Schema. */
export interface Report {
  readonly version: 1
  readonly log: LogReport
  readonly variants: readonly VariantReport[]
  readonly compared?: ComparedReport
  readonly suggestion?: readonly Suggestion[]
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
  /** The time of the first request, and of the last, in ISO 8601. Empty if there were no requests. */
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
  /** The key as the caller stated it. Absent for rules, which have their own keys. */
  readonly key?: string
  readonly policies: unknown
  readonly asked: number
  /** The requests without the key, which this variant does not limit. */
  readonly unkeyed: number
  readonly denied: number
  readonly keys: number
  readonly keysDenied: number
  /** The five minutes of the clock with the largest share of denials. */
  readonly worst: { readonly from: string; readonly share: number }
  /** The most consecutive denials of one key. */
  readonly streak: { readonly key: string; readonly length: number }
  readonly series: readonly SeriesPoint[]
  readonly rules?: readonly RuleReport[]
  /** The keys with the most denials. */
  readonly top: readonly TopKey[]
}

/** The requests of one interval. */
export interface SeriesPoint {
  readonly at: string
  readonly asked: number
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
  readonly series: readonly SeriesPoint[]
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

/** A suggested limit. */
export interface Suggestion {
  readonly algorithm: string
  readonly window: string
  readonly limit: number
  readonly burst?: number
  /** The share of requests, and the number of keys, that this limit denies. */
  readonly share: number
  readonly keys: number
}

import type { Source } from '../../stores/store.js'

/** The counts of one policy. */
export interface PolicyStatus {
  /** The units that count now, rounded up. After a penalty they can exceed the limit. */
  readonly used: number
  /** The quota: its limit, burst or capacity. */
  readonly limit: number
  /** The units that could be taken now. */
  readonly remaining: number
  /** The wait until the quota is full; 0 if it is full. */
  readonly resetMs: number
  /** The wait until the block ends; 0 without a block. */
  readonly blockedMs: number
}

/** The counts of a key. */
export interface Status {
  /** The place of the counts: the store, or the memory store that replaces it while it is unavailable (`fallback`). */
  readonly source: Source
  /** The counts of each policy, by its name. */
  readonly policies: Readonly<Record<string, PolicyStatus>>
}

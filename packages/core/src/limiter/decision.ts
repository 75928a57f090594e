import type { Reply, Source, Store } from '../stores/store.js'

/** The part of a decision that belongs to one policy. All times are whole milliseconds. */
export interface Verdict {
  /** Whether this policy allows the request. */
  readonly allowed: boolean
  /** The units that count after this decision, rounded up. After a penalty they can exceed the limit. */
  readonly used: number
  /** The policy's quota: its limit, burst or capacity. */
  readonly limit: number
  /** The units that could be taken now, after this decision. */
  readonly remaining: number
  /** The wait until the policy would allow the same cost: 0 if allowed, null if it never can. */
  readonly retryAfterMs: number | null
  /** The wait until `remaining` increases; 0 if the quota is full. */
  readonly nextMs: number
  /** The wait until the quota is full; 0 if it is full. */
  readonly resetMs: number
  /** The delay of a leaky queue; 0 otherwise. */
  readonly delayMs: number
  /** The units that are left of the key's grant. `remaining` includes them. Absent without a grant. */
  readonly granted?: number
}

/**
 * The result of one request, allowed or denied. It is an instance of a class, which has what a refund needs: a copy has the same fields, and cannot be refunded. Each
 * time in it is the shortest wait in whole milliseconds, provided that no other request is counted in the meantime.
 */
export interface Decision<S extends Store = Store> {
  /** Whether the request is allowed. */
  readonly allowed: boolean
  /** The quota of the policy that has the least remaining. */
  readonly limit: number
  /** The units that remain after this decision: the smallest number of all policies. */
  readonly remaining: number
  /**
   * The wait until all policies would allow the same cost: 0 if allowed, null if they never can. It can be too long after a window became longer, until the
   * old window would have ended.
   */
  readonly retryAfterMs: number | null
  /** The wait until every quota is full. */
  readonly resetMs: number
  /**
   * How long a leaky queue asks to delay the request; 0 otherwise. `acquire`, `limited` and the HTTP adapters delay the request themselves: their
   * decisions then have a 0 here.
   */
  readonly delayMs: number
  /** The names of the policies that deny; empty if allowed. */
  readonly deniedBy: readonly string[]
  /**
   * True if every policy that counts is exempt for its key: the request is allowed, and nothing was counted. Absent otherwise, also if only some of the
   * policies are exempt.
   */
  readonly exempt?: true
  /** The verdict of each policy, by its name. */
  readonly policies: Readonly<Record<string, Verdict>>
  /** The store, or its replacement, that decided. */
  readonly source: Source
  /** The lease of an allowed request, if one of the policies is `concurrency`, its key is not exempt, and the cost is not 0. */
  readonly lease?: HeldLease<S>
}

/** The lease of an allowed request. It expires after the policy's `lease`, unless it is renewed. */
export interface HeldLease<S extends Store = Store> {
  /** The id of the lease. Another process can pass it to `limiter.release(key, id)` and `limiter.renew(key, id)`. */
  readonly id: string
  /**
   * A fencing token: greater than the token of every lease that was granted before for the same key, also of those that have ended. A resource that
   * remembers the greatest token, and rejects smaller ones, rejects holders whose lease has ended. With several `concurrency` policies, it is the
   * token of the first one.
   */
  readonly token: number
  /** The duration of the lease after it was granted or last renewed. */
  readonly lengthMs: number
  /** Releases the lease. True if it was held, false if it had expired or been released. It never releases the lease of another request. */
  release(): Reply<S, boolean>
  /** Renews the lease: its time starts again. True if it was held, false if it had expired or been released. */
  renew(): Reply<S, boolean>
}

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
  /** The wait until the exemption ends; 0 without one. */
  readonly exemptMs: number
  /** The units that are left of the grant. `remaining` includes them. Absent without a grant. */
  readonly granted?: number
}

/** The counts of a key. */
export interface Status {
  /** The place of the counts: the store, or the memory store that replaces it while it is unavailable (`fallback`). */
  readonly source: Source
  /** The counts of each policy, by its name. */
  readonly policies: Readonly<Record<string, PolicyStatus>>
}

/**
 * The effect of a denial. `enforced`: it denies the request. `dryRun`: the limit has the option `dryRun`, so the request is allowed. `shadow`: it is that of a shadow
 * rule, which the request does not wait for. `tagging`: it only adds the tag of its rule to the request.
 */
export type DecisionMode = 'enforced' | 'dryRun' | 'shadow' | 'tagging'

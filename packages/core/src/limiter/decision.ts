import type { Reply, Source, Store } from '../stores/store.js'
import type { Verdict } from './reading/verdict.js'

/**
 * The result of one request, allowed or denied: a plain object. Each time in it is the shortest wait in whole milliseconds, provided that no other
 * request is counted in the meantime.
 */
export interface Decision<S extends Store = Store> {
  readonly allowed: boolean
  /** The quota of the policy that has the least remaining. */
  readonly limit: number
  /** The units that remain after this decision: the smallest number of all policies. */
  readonly remaining: number
  /** 0 if allowed; else how long until all policies would allow the same cost, or null if they never can. */
  readonly retryAfterMs: number | null
  /** How long until every quota is full. */
  readonly resetMs: number
  /**
   * The delay that a leaky queue asks for; 0 otherwise. `acquire`, `limited` and the HTTP adapters have already delayed the request by it, and
   * the other numbers are then those of the moment at which the delay ended.
   */
  readonly delayMs: number
  /** The names of the policies that deny; empty if allowed. */
  readonly deniedBy: readonly string[]
  /** The verdict of each policy, by its name. */
  readonly policies: Readonly<Record<string, Verdict>>
  /** The store, or its replacement, that decided. */
  readonly source: Source
  /** The lease of an allowed request, if one of the policies is `concurrency` and the cost is not 0. */
  readonly lease?: HeldLease<S>
}

/** A lease as its holder sees it. It expires after the policy's `lease`, unless it is renewed. */
export interface HeldLease<S extends Store = Store> {
  /** Another process can release or renew the lease by its id: `limiter.release(key, id)`. */
  readonly id: string
  /**
   * A fencing token: greater than the token of every lease that was granted before for the same key, also of those that have ended. The guarded
   * resource can refuse a token that is smaller than the greatest one it has seen. It thereby refuses a holder that does not know that its lease
   * has ended. If there are several `concurrency` policies, it is the token of the first one.
   */
  readonly token: number
  /** How long the lease lasts after it was granted or last renewed. */
  readonly lengthMs: number
  /** Releases the lease. True if it was held, false if it had expired or been released. It never releases the lease of another request. */
  release(): Reply<S, boolean>
  /** Renews the lease: its time starts again. True if it was held; if not, it stays ended: false. */
  renew(): Reply<S, boolean>
}

import type { Duration } from '../options/readers.js'
import type { Reply, Store } from '../stores/store.js'
import type { AcquireOptions } from './acquire.js'
import type {
  ChangeOptions,
  ConsumeOptions,
  Costs,
  KeyAndCost,
  Keys,
  PeekOptions,
  RefundOptions,
  ResetOptions,
} from './arguments.js'
import type { Decision, Status } from './decision.js'
import type { PolicyChoice } from './limiter-policies.js'

/** Options of `grant`. */
export interface GrantOptions extends ChangeOptions {
  /** How long the units can be taken. */
  readonly for: Duration
}

/**
 * Decides whether requests are allowed. Over a memory store every method but `acquire` returns its result at once, over any other store a promise; `await`
 * works with both. An invalid call throws, or rejects with, a SluiceError.
 */
export interface Limiter<S extends Store = Store> {
  /** The namespace of its counters. */
  readonly name: string
  /** Decides, and counts if all policies allow. A denied request counts in none of them. */
  consume(key: Keys, options?: ConsumeOptions): Reply<S, Decision<S>>
  /** Decides as `consume` would now, and returns the current `remaining` and `resetMs`. Changes nothing. */
  peek(key: Keys, options?: PeekOptions): Reply<S, Decision>
  /** `consume` for many keys in one round trip. Returns the decisions in the order of the requests; each request is decided separately. */
  consumeMany(requests: readonly KeyAndCost[]): Reply<S, readonly Decision<S>[]>
  /** `peek` for many keys in one round trip. Returns the decisions in the order of the requests. */
  peekMany(requests: readonly KeyAndCost[]): Reply<S, readonly Decision[]>
  /**
   * Waits until the request is allowed. Resolves to a denial if `maxWait` is too short, as soon as that is known: the calls before it count. If `signal` is
   * aborted, it rejects and consumes nothing. The calls of this process for the same keys and policies are decided in the order in which they were made. A
   * `leakyQueue` keeps its own order: a request that it allows is delayed by its `delayMs`, and one whose delay would exceed `maxDelay` is denied at once.
   */
  acquire(key: Keys, options?: AcquireOptions): Promise<Decision<S>>
  /**
   * Refunds exactly the units that a decision took, as far as they still count, and releases its lease. With `policies`, it refunds the units that these
   * policies took. False if no policy is left to refund: the request was denied, each policy was refunded before or was exempt, or the store that made the
   * decision is unavailable. Else true, also if the units no longer count or the cost was 0.
   */
  refund(decision: Decision, options?: RefundOptions): Reply<S, boolean>
  /**
   * Changes what an allowed decision took to another cost, once: what it took too much is given back where it was taken, and what it took too little is taken
   * even if fewer units remain. For work whose cost is known at its end. A policy that a record of costs leaves out keeps its units. True if the units still
   * count. False, and nothing is changed, if they do not, or the decision was denied, refunded or adjusted before. The units of leases are not adjusted.
   */
  adjust(decision: Decision, cost: Costs): Reply<S, boolean>
  /** Refunds the n newest units, at most up to the full quota. For leases, it ends the newest ones whose units together are at most n. */
  refund(key: Keys, n?: number, options?: ChangeOptions): Reply<S, boolean>
  /**
   * Takes n units, even if fewer remain. The units that count may then exceed the limit, and even a request of cost 0 is denied until they no longer do. A
   * `concurrency` policy grants a lease of n units that no caller can release; it expires.
   */
  penalize(key: Keys, n: number, options?: ChangeOptions): Reply<S, void>
  /** Blocks the key for this duration, in place of a block or an exemption that it already has. */
  block(key: Keys, length: Duration, options?: ChangeOptions): Reply<S, void>
  /** Ends a block. The units that the key has used still count. An exemption stays. */
  unblock(key: Keys, options?: ChangeOptions): Reply<S, void>
  /**
   * Exempts the key for this duration, in place of an exemption or a block that it already has: every request is allowed, whatever it costs, and nothing is
   * counted. The exemption holds for all processes that share the store; another process that remembers a denial may deny for up to a second more. The
   * decisions have `exempt: true`, the numbers of what was counted before, and no lease. If only some of a request's policies are exempt, the others decide and
   * count.
   */
  exempt(key: Keys, length: Duration, options?: ChangeOptions): Reply<S, void>
  /** Ends an exemption. The units that the key used before it still count, unless they have expired. A block stays. */
  unexempt(key: Keys, options?: ChangeOptions): Reply<S, void>
  /**
   * Grants the key units for a time, beside the quota of each policy, or of one policy, and in place of a grant that it already has. They are taken when the
   * policy itself would deny: the cost of a request comes whole from its quota, or whole from its grant. `remaining` includes them, `granted` is what is left of
   * them. A refund returns units to where they were taken. A block denies all the same, and a `reset` keeps the grant. Policies of `concurrency`, `leakyQueue`,
   * `staged` and `unlimited` have no grants.
   */
  grant(key: Keys, units: number, options: GrantOptions): Reply<S, void>
  /** Ends a grant. */
  ungrant(key: Keys, options?: ChangeOptions): Reply<S, void>
  /**
   * Releases a lease by its id, also one that another process holds. The units that its request took from other policies stay taken. True if the lease was
   * held, false if it had expired or been released.
   */
  release(key: Keys, leaseId: string, options?: PolicyChoice): Reply<S, boolean>
  /** Renews a lease by its id, also one that another process holds: its time starts again. True if it was held, false if it had expired or been released. */
  renew(key: Keys, leaseId: string, options?: PolicyChoice): Reply<S, boolean>
  /**
   * Deletes what the key has used, by any algorithm, so that its full quota is available, and returns true. A later refund of an earlier decision can return
   * units that were taken after the reset. If the key is blocked and `unblock` is not true, it changes nothing and returns false. An exemption stays.
   */
  reset(key: Keys, options?: ResetOptions): Reply<S, boolean>
  /**
   * Returns the units that count for each policy, and those that remain. Changes nothing. With `onStoreError: 'allow'` or `'deny'` it fails with the store's
   * error while the store is unavailable, because nothing is counted then.
   */
  status(key: Keys, options?: PolicyChoice): Reply<S, Status>
  /** Whether the store is available. */
  ping(): Reply<S, boolean>
  /** Closes the store if the limiter created it. A store that was passed to the limiter stays open, and the limiter's name is free again there. */
  close(): Reply<S, void>
}

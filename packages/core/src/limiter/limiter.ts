import { createAcquire, type AcquireOptions } from './waiting/acquire.js'
import type { ConsumeOptions, KeyAndCost, PeekOptions, ResetOptions } from './calls.js'
import { createDispatcher } from './dispatch.js'
import { countedPart } from './counted-policies.js'
import { decisionOf, type Decision } from './decision.js'
import { receiptOf } from './receipts/receipt.js'
import { sharing, type Keys, type PolicyChoice } from './bound-policies.js'
import { readLimiterOptions, statedPolicies, type AnyLimiterOptions } from './limiter-options.js'
import { decisionEvents } from './events.js'
import type { Duration } from '../options/readers.js'
import { receiptOfOtherCopy, shareReceipts } from './receipts/copies.js'
import { createRequests, type Requests } from './requests.js'
import { createDirectWay } from './direct.js'
import type { Clock } from '../clock.js'
import { withFallback } from '../stores/layers/fallback.js'
import { statusOf, type Status } from './status.js'
import { memoryStore, type MemoryStore } from '../stores/memory/index.js'
import type {
  ConsumeRequest,
  DecisionRequest,
  Outcome,
  Reply,
  Source,
  Store,
  StoreRequest,
} from '../stores/store.js'

/**
 * Decides for keys. Over a memory store every method answers at once, over Redis with a promise; `await` works on both. A call
 * that can never be right throws (or rejects with) a SluiceError.
 */
export interface Limiter<S extends Store = Store> {
  readonly name: string
  /** Decides and counts: all policies, or none. */
  consume(key: Keys, options?: ConsumeOptions): Reply<S, Decision<S>>
  /** Whether `consume` would be allowed now; `remaining` and `resetMs` as they stand. Changes nothing. */
  peek(key: Keys, options?: PeekOptions): Reply<S, Decision>
  /** `consume` for many keys in one round trip. Answers in order; each key is decided by itself. */
  consumeMany(requests: readonly KeyAndCost[]): Reply<S, readonly Decision<S>[]>
  /** `peek` for many keys in one round trip. */
  peekMany(requests: readonly KeyAndCost[]): Reply<S, readonly Decision[]>
  /**
   * Waits until the request is allowed. Resolves to a denial if `maxWait` is not enough, at once where that is known; rejects when `signal` is
   * aborted, and takes nothing then. First come, first served among the calls of this process. A `leakyQueue` orders its requests by itself: a
   * request that it allows is held for its `delayMs`, and one that would be held for longer than `maxDelay` is denied at once.
   */
  acquire(key: Keys, options?: AcquireOptions): Promise<Decision<S>>
  /**
   * Gives back exactly what a decision took, where it took it, as far as that still counts, and releases its lease. True the first time,
   * false after that.
   */
  refund(decision: Decision): Reply<S, boolean>
  /** Gives the n newest units back, never above the full quota. Of leases, it ends the newest as long as n units are enough for the whole. */
  refund(key: Keys, n?: number, options?: PolicyChoice): Reply<S, boolean>
  /**
   * Takes n units without asking: what remains may go below zero, and cost 0 is denied until that is made up for. Where there are leases, it
   * takes one that nobody knows and that ends by itself.
   */
  penalize(key: Keys, n: number, options?: PolicyChoice): Reply<S, void>
  /** Shuts the key out for a while, in the place of any block that it is under. */
  block(key: Keys, length: Duration, options?: PolicyChoice): Reply<S, void>
  /** Ends a block. What the key has used still counts. */
  unblock(key: Keys, options?: PolicyChoice): Reply<S, void>
  /**
   * Ends a lease that is held elsewhere, by its id; what its request took of other policies stays taken. True if it was still held,
   * false if it had ended or was released before.
   */
  release(key: Keys, leaseId: string, options?: PolicyChoice): Reply<S, boolean>
  /** Starts the time of a lease anew that is held elsewhere. True if it was still held; false if not, and then it stays ended. */
  renew(key: Keys, leaseId: string, options?: PolicyChoice): Reply<S, boolean>
  /**
   * Forgets what the key has used, so that its whole quota is available: true. A later refund of an earlier decision has no effect. False, and
   * nothing changed, if the key is blocked and `unblock` is not true.
   */
  reset(key: Keys, options?: ResetOptions): Reply<S, boolean>
  /**
   * What counts of each policy, and what remains. Changes nothing. With `onStoreError: 'allow'` or `'deny'` it fails with the store's error
   * while the store is unavailable, because nothing counts then.
   */
  status(key: Keys, options?: PolicyChoice): Reply<S, Status>
  /** Whether the store is there. */
  ping(): Reply<S, boolean>
  /** Closes the store, if the limiter made it. */
  close(): Reply<S, void>
}

/**
 * Puts policies and a store together.
 *
 * @example
 * const limiter = createLimiter({ name: 'api', policies: slidingWindow({ limit: 100, window: '1m' }) })
 * const { allowed, retryAfterMs } = await limiter.consume('user:42')
 * @throws SluiceError where an option is missing, unknown or wrong
 */
export function createLimiter<S extends Store = MemoryStore>(
  options: AnyLimiterOptions<S>,
): Limiter<S> {
  const { onStoreError, localShare, denyCache } = readLimiterOptions(options)
  const { name, clock } = options
  const policies = statedPolicies(options)
  const given: Store = options.store ?? memoryStore()
  const store = given.async ? withFallback(given, name, onStoreError, sharing(localShare)) : given
  const requests = createRequests(name, policies, clock, !denyCache)
  const dispatch = createDispatcher<S>(store)
  const directly = directWayOf<S>(given, clock, requests)
  const consume: Limiter<S>['consume'] =
    directly === undefined
      ? consumeGenerally
      : (key, options) => directly(key, options) ?? consumeGenerally(key, options)

  function consumeGenerally(key: Keys, options?: ConsumeOptions): Reply<S, Decision<S>> {
    return dispatch.run(requests.consume, decide, key, options)
  }

  function changeLease(
    request: StoreRequest,
    verb: 'release' | 'renew',
    source: Source,
  ): Reply<S, boolean> {
    return dispatch.run(requests.ofLease, isAllowed, request, { verb, source })
  }

  function decide(outcome: Outcome, request: DecisionRequest): Decision<S> {
    const decision = decisionOf(outcome, request, changeLease)
    if (request.verb === 'consume' && isHeard(decision)) report(request, decision)
    return decision
  }

  function report({ keys, entries, cost, origin }: ConsumeRequest, decision: Decision): void {
    const names = Object.fromEntries(entries.map(({ name }, i) => [name, keys[i]]))
    const about = origin === undefined ? {} : { request: origin }
    const event = { limiter: name, keys: names, cost, decision, ...about }
    decisionEvents.decision.publish(event)
    if (!decision.allowed) decisionEvents.denial.publish(event)
  }

  const limiter: Limiter<S> = {
    name,
    consume,
    peek: (key, options) => dispatch.run(requests.peek, decide, key, options),
    consumeMany: (calls) => dispatch.runMany(requests.consumeMany, decide, calls),
    peekMany: (calls) => dispatch.runMany(requests.peekMany, decide, calls),
    acquire: (key, options) => acquire(key, options),

    refund(decisionOrKey: Decision | Keys, n?: number, options?: PolicyChoice) {
      const receipt = receiptOf(decisionOrKey) ?? receiptOfOtherCopy(name, decisionOrKey)
      if (receipt !== undefined)
        return dispatch.run(requests.refundReceipt, isGiven, receipt, n, options)
      // Whatever is no decision is taken for a key, and refused if it is none.
      return dispatch.run(requests.refundUnits, isAllowed, decisionOrKey as Keys, n, options)
    },

    penalize: (key, n, options) => dispatch.run(requests.penalize, nothing, key, n, options),
    block: (key, length, options) => dispatch.run(requests.block, nothing, key, length, options),
    unblock: (key, options) => dispatch.run(requests.unblock, nothing, key, options),
    release: (key, id, options) => dispatch.run(requests.release, isAllowed, key, id, options),
    renew: (key, id, options) => dispatch.run(requests.renew, isAllowed, key, id, options),
    reset: (key, options) => dispatch.run(requests.reset, isAllowed, key, options),
    status: (key, options) => dispatch.run(requests.status, statusOf, key, options),
    // These answer as the store does, and that S is the type of this very store is beyond the compiler.
    ping: () => store.ping() as Reply<S, boolean>,
    close: () => (options.store === undefined ? store.close() : closed(store)) as Reply<S, void>,
  }
  shareReceipts(receiptOf)
  const isCounted = (key: Keys, asked: PeekOptions): boolean =>
    countedPart(requests.peek(key, asked)).entries.length > 0
  const acquire = createAcquire(name, limiter, isCounted, store.async)
  return limiter
}

/** The direct way of `consume`, if the store has one. An injected clock and a warning that may have to be given take the general way. */
function directWayOf<S extends Store>(
  store: Store,
  clock: Clock | undefined,
  requests: Requests,
): ((key: Keys, options?: ConsumeOptions) => Reply<S, Decision<S>> | undefined) | undefined {
  if (store.async || store.compile === undefined) return undefined
  if (clock !== undefined || requests.isWatched) return undefined
  // That S is the type of this very store is beyond the compiler.
  return createDirectWay(store, requests.entriesFor) as Limiter<S>['consume']
}

function isHeard({ allowed }: Decision): boolean {
  return (
    decisionEvents.decision.hasSubscribers || (!allowed && decisionEvents.denial.hasSubscribers)
  )
}

function nothing(): void {}

function isAllowed({ allowed }: Outcome): boolean {
  return allowed
}

function isGiven({ allowed }: Outcome, { verb }: StoreRequest): boolean {
  return verb === 'refundReceipt' && allowed
}

/** A store that the caller opened is the caller's to close. */
function closed(store: Store): void | Promise<void> {
  return store.async ? Promise.resolve() : undefined
}

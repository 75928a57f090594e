import { createAcquire, type AcquireOptions } from './acquire.js'
import type {
  ConsumeOptions,
  KeyAndCost,
  PeekOptions,
  RefundOptions,
  ResetOptions,
  Keys,
} from './arguments.js'
import { createAsk } from './ask.js'
import type { Decision, Status } from './decision.js'
import { createFallback } from './fallback.js'
import { publish } from './events.js'
import { addLease } from './leases.js'
import { decisionOf, statusOf } from './read-decision.js'
import { receiptsOf, type Receipt } from './receipt.js'
import { counts, sharing, type PolicyChoice } from './limiter-policies.js'
import { readLimiterOptions, type LimiterOptions } from './limiter-options.js'
import type { Duration } from '../options/readers.js'
import { claimNames, layoutNames, freeNames, type NameUse } from './names.js'
import { assertNoDecision } from './refunds.js'
import { createRequests } from './requests.js'
import { memoryStore, type MemoryStore } from '../stores/memory/index.js'
import {
  noLease,
  type DecisionRequest,
  type LeaseRequest,
  type Reply,
  type Store,
  type StoreResult,
} from '../stores/store.js'

/**
 * Decides whether requests are allowed. Over a memory store every method but `acquire` returns its result at once, over any other store a promise;
 * `await` works with both. An invalid call throws, or rejects with, a SluiceError.
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
   * Waits until the request is allowed. Resolves to a denial if `maxWait` is too short, at once if that is known in advance. If `signal` is
   * aborted, it rejects and consumes nothing. The calls of this process for one key are decided in the order in which they were made. A
   * `leakyQueue` keeps its own order: a request that it allows is delayed by its `delayMs`, and one whose delay would exceed `maxDelay` is denied
   * at once.
   */
  acquire(key: Keys, options?: AcquireOptions): Promise<Decision<S>>
  /**
   * Refunds exactly the units that a decision took, as far as they still count, and releases its lease. With `policies`, it refunds the units that
   * these policies took. False if no policy is left to refund: the request was denied, each policy was refunded before or was exempt, or the store that made the
   * decision is unavailable. Else true, also if the units no longer count or the cost was 0.
   */
  refund(decision: Decision, options?: RefundOptions): Reply<S, boolean>
  /** Refunds the n newest units, at most up to the full quota. For leases, it ends the newest ones whose units together are at most n. */
  refund(key: Keys, n?: number, options?: PolicyChoice): Reply<S, boolean>
  /**
   * Takes n units, even if fewer remain. The units that count may then exceed the limit, and even a request of cost 0 is denied until they no longer
   * do. A `concurrency` policy grants a lease of n units that no caller can release; it expires.
   */
  penalize(key: Keys, n: number, options?: PolicyChoice): Reply<S, void>
  /** Blocks the key for this duration, in place of a block or an exemption that it already has. */
  block(key: Keys, length: Duration, options?: PolicyChoice): Reply<S, void>
  /** Ends a block. The units that the key has used still count. An exemption stays. */
  unblock(key: Keys, options?: PolicyChoice): Reply<S, void>
  /**
   * Exempts the key for this duration, in place of an exemption or a block that it already has: every request is allowed, whatever it costs, and nothing is
   * counted. The exemption holds for all processes that share the store; another process that remembers a denial may deny for up to a second more. The decisions
   * have `exempt: true`, the numbers of what was counted before, and no lease. If only some of a request's policies are exempt, the others decide and count.
   */
  exempt(key: Keys, length: Duration, options?: PolicyChoice): Reply<S, void>
  /** Ends an exemption. The units that the key used before it still count, unless they have expired. A block stays. */
  unexempt(key: Keys, options?: PolicyChoice): Reply<S, void>
  /**
   * Releases a lease by its id, also one that another process holds. The units that its request took from other policies stay taken. True if the
   * lease was held, false if it had expired or been released.
   */
  release(key: Keys, leaseId: string, options?: PolicyChoice): Reply<S, boolean>
  /**
   * Renews a lease by its id, also one that another process holds: its time starts again. True if it was held, false if it had expired or been
   * released.
   */
  renew(key: Keys, leaseId: string, options?: PolicyChoice): Reply<S, boolean>
  /**
   * Deletes what the key has used, by any algorithm, so that its full quota is available, and returns true. A later refund of an earlier decision has no effect. If
   * the key is blocked and `unblock` is not true, it changes nothing and returns false. An exemption stays.
   */
  reset(key: Keys, options?: ResetOptions): Reply<S, boolean>
  /**
   * Returns the units that count for each policy, and those that remain. Changes nothing. With `onStoreError: 'allow'` or `'deny'` it fails with
   * the store's error while the store is unavailable, because nothing is counted then.
   */
  status(key: Keys, options?: PolicyChoice): Reply<S, Status>
  /** Whether the store is available. */
  ping(): Reply<S, boolean>
  /** Closes the store if the limiter created it. A store that was passed to the limiter stays open, and the limiter's name is free again there. */
  close(): Reply<S, void>
}

/**
 * Creates a limiter from policies and a store.
 *
 * @example
 * import { createLimiter } from '@sluice/core'
 *
 * const limiter = createLimiter({ name: 'api', limit: 100, window: '1m' })
 * const { allowed, retryAfterMs } = await limiter.consume('user:42')
 * @throws SluiceError if an option is missing, unknown or invalid
 */
export function createLimiter<S extends Store = MemoryStore, const W extends Duration = Duration>(
  options: LimiterOptions<S, W>,
): Limiter<S> {
  const { limiter, names } = makeLimiter(options)
  // No other limiter can use a store that this one has created.
  if (options.store !== undefined) claimNames(limiter, options.store, names)
  return limiter
}

/** Makes a limiter, and returns the names that its caller has to claim. */
export function makeLimiter<S extends Store>(
  options: LimiterOptions<S>,
): { readonly limiter: Limiter<S>; readonly names: readonly NameUse[] } {
  const { policies, onStoreError, localShare, denyCache } = readLimiterOptions(options)
  const { name, clock } = options
  const store: Store = options.store ?? memoryStore()
  const fallback = store.async
    ? createFallback(store, name, onStoreError, sharing(localShare))
    : undefined
  const requests = createRequests(name, policies, clock, store, !denyCache)
  const ask = createAsk<S>(store, fallback)

  /** The request as the fallback decided it: by shares of the policies. */
  function shared(request: DecisionRequest): DecisionRequest {
    const { policies } = request
    return { ...request, policies: fallback?.sharesOf(policies) ?? policies }
  }

  /** Reads the decision of a consumption, with its lease, and publishes it. */
  function consumed(
    result: StoreResult,
    request: DecisionRequest,
    options: ConsumeOptions | undefined,
  ): Decision<S> {
    const decision: Decision<S> = peeked(result, request)
    if (decision.allowed && request.lease !== noLease) addLease(decision, changeLease)
    return publish(name, decision, options)
  }

  function peeked(result: StoreResult, request: DecisionRequest): Decision<S> {
    return decisionOf(result.source === 'fallback' ? shared(request) : request, result)
  }

  function decideMany(
    all: readonly DecisionRequest[],
    read: (result: StoreResult, request: DecisionRequest, about: undefined) => Decision<S>,
  ): Reply<S, readonly Decision<S>[]> {
    return ask.all(all, (results) => results.map((result, i) => read(result, all[i], undefined)))
  }

  function changeLease(receipt: Receipt, verb: LeaseRequest['verb']): Reply<S, boolean> {
    return ask.one(requests.ofLease(receipt, verb), isAllowed)
  }

  const methods: Omit<Limiter<S>, 'name' | 'acquire' | 'ping' | 'close'> = {
    consume: (key, options) => ask.one(requests.consume(key, options), consumed, options),
    peek: (key, options) => ask.one(requests.peek(key, options), peeked),
    consumeMany: (calls) => decideMany(requests.many('consume', calls), consumed),
    peekMany: (calls) => decideMany(requests.many('peek', calls), peeked),
    status: (key, options) => {
      return ask.one(requests.status(key, options), (result, request) => {
        return statusOf(result.source === 'fallback' ? shared(request) : request, result)
      })
    },

    refund(decisionOrKey: Decision | Keys, n?: number | RefundOptions, options?: PolicyChoice) {
      const receipts = receiptsOf(decisionOrKey)
      if (receipts !== undefined) {
        const call = { receipts, options: n, more: options }
        return ask.all(requests.refundReceipts(call), isAnyAllowed)
      }
      assertNoDecision(name, decisionOrKey)
      // Any other value is read as a key. `refundUnits` throws if it is not a valid one.
      return ask.one(requests.refundUnits(decisionOrKey as Keys, n, options), isAllowed)
    },

    penalize: (key, n, options) => ask.one(requests.penalize(key, n, options), nothing),
    block: (key, length, options) => ask.one(requests.block(key, length, options), nothing),
    unblock: (key, options) => ask.one(requests.unblock(key, options), nothing),
    exempt: (key, length, options) => ask.one(requests.exempt(key, length, options), nothing),
    unexempt: (key, options) => ask.one(requests.unexempt(key, options), nothing),
    release: (key, id, options) => ask.one(requests.release(key, id, options), isAllowed),
    renew: (key, id, options) => ask.one(requests.renew(key, id, options), isAllowed),
    reset: (key, options) => ask.one(requests.reset(key, options), isAllowed),
  }

  const decisions = store.async ? rejecting(methods) : methods
  const limiter: Limiter<S> = {
    name,
    ...decisions,
    acquire: createAcquire(
      name,
      decisions,
      (key, call) => requests.peek(key, call).policies.some(counts),
      store.async,
    ),
    // The compiler cannot know that S is the type of this store.
    ping: () => store.ping() as Reply<S, boolean>,
    close() {
      freeNames(limiter)
      return (options.store === undefined ? store.close() : closed(store)) as Reply<S, void>
    },
  }
  return { limiter, names: layoutNames(requests.own) }
}

/** Methods that reject where these throw: an invalid call over an asynchronous store. */
function rejecting<M extends object>(methods: M): M {
  const names = Object.keys(methods) as (keyof M)[]
  return Object.fromEntries(
    names.map((name) => [
      name,
      (...args: unknown[]): unknown => {
        try {
          return (methods[name] as (...args: unknown[]) => unknown)(...args)
        } catch (error) {
          return Promise.reject(error)
        }
      },
    ]),
  ) as M
}

function nothing(): void {}

function isAllowed({ allowed }: StoreResult): boolean {
  return allowed
}

function isAnyAllowed(results: readonly StoreResult[]): boolean {
  return results.some(isAllowed)
}

/** The application closes a store that it created itself. */
function closed(store: Store): void | Promise<void> {
  return store.async ? Promise.resolve() : undefined
}

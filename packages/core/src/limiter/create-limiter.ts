import { hasLeases } from '../algorithms/kind.js'
import { sluiceError } from '../errors.js'
import {
  anything,
  duration,
  quota,
  readOption,
  readOptions,
  warnOfShort,
  type Duration,
} from '../options/readers.js'
import { memoryStore, type MemoryStore } from '../stores/memory/index.js'
import {
  noLease,
  partOf,
  type DecisionRequest,
  type LeaseRequest,
  type LimiterPolicy,
  type Reply,
  type Store,
  type StoreRequest,
  type StoreResult,
} from '../stores/store.js'
import { createAcquire } from './acquire.js'
import {
  assertExact,
  leaseText,
  type ChangeOptions,
  type ConsumeOptions,
  type Keys,
  type RefundOptions,
} from './arguments.js'
import { createAsk, isOneAllowed, rejecting } from './ask.js'
import type { Decision } from './decision.js'
import { publish, publishAdjustment } from './events.js'
import { createFallback } from './fallback.js'
import { addLease } from './leases.js'
import type { Limiter } from './limiter.js'
import { readLimiterOptions, type LimiterOptions } from './limiter-options.js'
import { counts } from './limiter-policies.js'
import { claimNames, freeNames, layoutNames, type NameUse } from './names.js'
import { queuesOf } from './queue.js'
import { decisionOf, statusOf } from './read-decision.js'
import { receiptsOf, type Receipt } from './receipt.js'
import { adjustRequests, assertNoDecision, refundRequests } from './refunds.js'

import { createRequests, type RequestBase } from './requests.js'

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
  return makeLimiter(options, [])
}

/** @param names what the limiter claims besides the names of its policies */
export function makeLimiter<S extends Store>(
  options: LimiterOptions<S>,
  names: readonly NameUse[],
): Limiter<S> {
  const { policies, onStoreError, localShare, denyCache } = readLimiterOptions(options)
  const { name, clock } = options
  const where = `limiter "${name}"`
  const store: Store = options.store ?? memoryStore()
  const queues = queuesOf(store)
  const ask = createAsk<S>(
    store,
    (store) => createFallback(store, name, onStoreError, localShare),
    (request) => queues.wake(request),
  )
  const requests = createRequests(name, policies, clock, store, !denyCache)
  const { base } = requests

  /** The decision of a consumption, with its lease. It is published. */
  function consumed(
    request: DecisionRequest,
    result: StoreResult,
    options?: ConsumeOptions,
  ): Decision<S> {
    const decision: Decision<S> = decisionOf(request, result)
    if (decision.allowed && request.lease !== noLease) addLease(decision, changeOwnLease)
    return publish(name, decision, options)
  }

  const change = (request: StoreRequest): Reply<S, void> => ask.all([request], () => {})
  const test = (request: StoreRequest): Reply<S, boolean> => ask.all([request], isOneAllowed)

  function override(
    verb: 'block' | 'exempt',
    key: Keys,
    length: Duration,
    options: ChangeOptions | undefined,
  ): Reply<S, void> {
    const forMs = readOption(where, 'for', length, duration)
    warnOfShort(where, 'for', length)
    return change({ verb, ...limited(base(key, options)), forMs })
  }

  /** @throws SluiceError if none of the policies can deny */
  function limited(request: RequestBase): RequestBase {
    if (request.policies.length === 0 || request.policies.some(counts)) return request
    const expected = 'at least one policy that can deny: "unlimited" allows everything'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  /** For those policies of the request that have leases. */
  function changeLease(request: LeaseRequest): Reply<S, boolean> {
    const leased = [...request.policies.keys()].filter((i) => hasLeases(request.policies[i]))
    if (leased.length > 0) return test(partOf(request, leased))
    const expected = 'at least one concurrency policy, and a key for it: no other policy has leases'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function changeOwnLease(
    { request: { policies, keys, lease }, result: { source = 'store' } }: Receipt,
    verb: LeaseRequest['verb'],
  ): Reply<S, boolean> {
    return changeLease({ verb, source, policies, keys, lease, now: requests.now() })
  }

  const unitsOf = (n: unknown): number => readOption(where, 'n', n, quota)
  const leaseId = (id: string): string => readOption(where, 'leaseId', id, leaseText)

  const methods: Omit<Limiter<S>, 'name' | 'acquire' | 'ping' | 'close'> = {
    consume: (key, options) => ask.one(requests.one(key, options, 'consume'), consumed, options),
    peek: (key, options) => ask.one(requests.one(key, options), decisionOf),
    consumeMany: (calls) =>
      ask.all(requests.many('consume', calls), (all) =>
        all.map((one) => consumed(one.request, one.result)),
      ),
    peekMany: (calls) =>
      ask.all(requests.many('peek', calls), (all) =>
        all.map((one) => decisionOf(one.request, one.result)),
      ),
    status: (key, options) => ask.one(requests.status(key, options), statusOf),

    refund(decisionOrKey: Decision | Keys, n?: number | RefundOptions, options?: ChangeOptions) {
      const receipts = receiptsOf(decisionOrKey)
      if (receipts !== undefined) {
        const refunds = refundRequests(name, receipts, n, options, requests.now())
        return ask.all(refunds, isOneAllowed)
      }
      assertNoDecision(name, decisionOrKey)
      const units = n === undefined ? 1 : unitsOf(n)
      // Any other value is read as a key. `base` throws if it is not a valid one.
      return test({ verb: 'refundUnits', ...base(decisionOrKey as Keys, options), units })
    },

    adjust(decision, cost) {
      const receipts = receiptsOf(decision)
      if (receipts === undefined) throw sluiceError('SLUICE_DECISION_FOREIGN', name)
      const adjustments = adjustRequests(name, receipts, cost, requests.now())
      return ask.all(adjustments, (answered) => {
        const isAdjusted = isOneAllowed(answered)
        if (isAdjusted) publishAdjustment(name, decision, cost)
        return isAdjusted
      })
    },

    penalize(key, n, options) {
      const units = unitsOf(n)
      const rest = base(key, options)
      assertExact(where, rest.policies, 'n', units)
      return change({ verb: 'penalize', ...rest, units })
    },
    block: (key, length, options) => override('block', key, length, options),
    unblock: (key, options) => change({ verb: 'unblock', ...base(key, options) }),
    exempt: (key, length, options) => override('exempt', key, length, options),
    unexempt: (key, options) => change({ verb: 'unexempt', ...base(key, options) }),
    grant(key, n, options) {
      const { for: forMs } = readOptions(where, options, grantReaders)
      const { for: _length, ...choice } = options
      const request = limited(base(key, choice))
      assertGrantable(where, request.policies)
      return change({ verb: 'grant', ...request, forMs, units: unitsOf(n) })
    },
    ungrant: (key, options) => change({ verb: 'ungrant', ...base(key, options) }),
    release: (key, id, options) =>
      changeLease({ verb: 'release', ...base(key, options, leaseId(id)) }),
    renew: (key, id, options) => changeLease({ verb: 'renew', ...base(key, options, leaseId(id)) }),
    reset: (key, options) => test(requests.reset(key, options)),
  }

  const callable = store.async ? rejecting(methods) : methods
  const limiter: Limiter<S> = {
    name,
    ...callable,
    acquire: createAcquire(name, callable, requests.one, queues, store.async),
    // The compiler cannot know that S is the type of this store.
    ping: () => store.ping() as Reply<S, boolean>,
    close() {
      freeNames(limiter)
      if (options.store === undefined) return store.close() as Reply<S, void>
      return (store.async ? Promise.resolve() : undefined) as Reply<S, void>
    },
  }
  // No other limiter can use a store that this one has created.
  if (options.store !== undefined) {
    claimNames(limiter, store, [...names, ...layoutNames(requests.own)])
  }
  return limiter
}

const grantReaders = { for: duration, policies: anything, policy: anything }

/** The kinds of policies that have no grants: their units are not spent, or they have an order or stages of their own. */
const withoutGrants = ['concurrency', 'leakyQueue', 'staged']

/** @throws SluiceError SLUICE_OPTION_INVALID for a policy that has no grants */
function assertGrantable(where: string, policies: readonly LimiterPolicy[]): void {
  const other = policies.find(({ policy }) => withoutGrants.includes(policy.kind))
  if (other === undefined) return
  const expected = `the name of a policy that is none of ${withoutGrants.join(', ')}`
  throw sluiceError('SLUICE_OPTION_INVALID', where, 'policy', other.name, expected)
}

import type { Clock } from '../clock.js'
import { costOf } from './costs.js'
import { hasLeases } from './reading/read-decision.js'
import {
  resolveKeys,
  chosenPerCall,
  bindPolicies,
  createBinder,
  type Keys,
  type Policies,
  type PolicyChoice,
} from './bound-policies.js'
import { sluiceError } from '../errors.js'
import type { ConsumeOptions, KeyAndCost, PeekOptions, ResetOptions } from './calls.js'
import { isCount } from '../options/predicates.js'
import {
  duration,
  optionsObject,
  rejectUnknown,
  warnOfShort,
  type Duration,
} from '../options/readers.js'
import { argumentChecks } from './checks/argument-checks.js'
import { refundRequests, type RefundCall } from './receipts/refunds.js'
import { watchRedundancy } from './checks/redundant-policies.js'
import { leaseFor } from './leases/requested-lease.js'
import type {
  BoundPolicy,
  ConsumeRequest,
  LeaseRequest,
  PeekRequest,
  Source,
  StoreRequest,
} from '../stores/store.js'

/**
 * Turns the calls of a limiter's methods into requests to its store. An invalid call is an error with a code. The methods have the names of the
 * limiter's methods.
 */
export interface Requests {
  /** The limiter's own policies. */
  readonly own: readonly BoundPolicy[]
  /** Binds the policies of a call to the limiter. Undefined means the limiter's own policies. */
  entriesFor(policies: Policies | undefined): readonly BoundPolicy[]
  /** Whether the limiter has an injected clock. */
  readonly hasClock: boolean
  /** The time of the injected clock, if there is one. */
  injectedTime(): number | undefined
  checkConsume(options: object): void
  checkPeek(options: object | undefined): void
  checkOwner(owner: unknown): void
  /** Warns that a policy is redundant, if one is and both policies count by the same key. */
  readonly watchKey: ((key: Keys, policies: Policies | undefined) => void) | undefined
  consume(key: Keys, options: ConsumeOptions | undefined): ConsumeRequest
  peek(key: Keys, options: PeekOptions | undefined): PeekRequest
  consumeMany(calls: readonly KeyAndCost[]): readonly ConsumeRequest[]
  peekMany(calls: readonly KeyAndCost[]): readonly PeekRequest[]
  /** One request for each request that the decision combines. */
  refundReceipts(call: RefundCall): readonly StoreRequest[]
  refundUnits(key: Keys, units: unknown, options?: PolicyChoice): StoreRequest
  penalize(key: Keys, units: number, options?: PolicyChoice): StoreRequest
  block(key: Keys, length: Duration, options?: PolicyChoice): StoreRequest
  unblock(key: Keys, options: PolicyChoice | undefined): StoreRequest
  release(key: Keys, leaseId: string, options?: PolicyChoice): StoreRequest
  renew(key: Keys, leaseId: string, options?: PolicyChoice): StoreRequest
  reset(key: Keys, options: ResetOptions | undefined): StoreRequest
  status(key: Keys, options: PolicyChoice | undefined): StoreRequest
  /** The request that releases or renews the lease of an allowed request. */
  ofLease(allowed: StoreRequest, change: LeaseChange): LeaseRequest
}

export interface LeaseChange {
  readonly verb: 'release' | 'renew'
  readonly source: Source
}

/** The options of a call, checked except for the cost. */
interface Options {
  readonly cost?: unknown
  readonly policies?: Policies | undefined
  readonly owner?: string | undefined
  readonly origin?: unknown
}

/** @param fresh whether the store has to decide each consumption, so that a denial which this process remembers is not enough */
export function createRequests(
  limiter: string,
  policies: Policies,
  clock: Clock | undefined,
  fresh: boolean,
): Requests {
  const where = `limiter "${limiter}"`
  const own = policies === chosenPerCall ? [] : bindPolicies(limiter, policies)
  const entriesFor = createBinder(limiter, policies === chosenPerCall ? undefined : own)
  const watchKey = watchRedundancy(own, policies)
  const { assertPenalty, assertBlockable, count, text } = argumentChecks(where, policies)

  /** The part that all requests have. */
  function about(key: Keys, policies: Policies | undefined, owner?: string, leaseId?: string) {
    const { entries, keys } = resolveKeys(limiter, entriesFor(policies), key)
    return { entries, keys, now: injectedTime(), lease: leaseFor(entries, owner, leaseId) }
  }

  function consumption(
    key: Keys,
    { cost: costs, policies, owner, origin }: Options,
  ): ConsumeRequest {
    const all = entriesFor(policies)
    const { entries, keys } = resolveKeys(limiter, all, key)
    const [now, lease] = [injectedTime(), leaseFor(entries, owner, undefined)]
    const cost = costOf(limiter, all, entries, costs)
    watchKey?.(key, policies)
    // Field by field: to spread an object into each request takes longer than to make the request.
    const request: ConsumeRequest = { verb: 'consume', entries, keys, now, lease, cost, fresh }
    return origin === undefined ? request : { ...request, origin }
  }

  function look(key: Keys, { cost, policies }: Options = {}): PeekRequest {
    const asked = about(key, policies)
    const { entries } = asked
    return { verb: 'peek', ...asked, cost: costOf(limiter, entriesFor(policies), entries, cost) }
  }

  function injectedTime(): number | undefined {
    if (clock === undefined) return undefined
    const moment = Math.floor(clock())
    if (!isCount(moment)) throw sluiceError('SLUICE_CLOCK_INVALID', moment)
    return moment
  }

  function leaseRequest(
    verb: 'release' | 'renew',
    key: Keys,
    leaseId: string,
    options: PolicyChoice | undefined,
  ): LeaseRequest {
    const id = text('leaseId', leaseId)
    return ofLeases({ verb, ...about(key, policiesOf(options), undefined, id) })
  }

  /** The request for those of its policies that have leases. */
  function ofLeases(request: LeaseRequest): LeaseRequest {
    const { entries, keys } = request
    const leased = entries.filter(hasLeases)
    if (leased.length > 0) {
      return { ...request, entries: leased, keys: keys.filter((_, i) => hasLeases(entries[i])) }
    }
    const expected = 'at least one concurrency policy, and a key for it: no other policy has leases'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function check(options: object | undefined, known: readonly string[]): void {
    if (options !== undefined) rejectUnknown(where, optionsObject(where, options, known), known)
  }

  function checkConsume(options: object): void {
    check(options, ['cost', 'owner', 'policies', 'request'])
  }

  function checkPeek(options: object | undefined): void {
    check(options, ['cost', 'policies'])
  }

  /** The policies of a call that has no other options. */
  function policiesOf(options: PolicyChoice | undefined): Policies | undefined {
    check(options, ['policies'])
    return options?.policies
  }

  function many<Q>(
    calls: readonly KeyAndCost[],
    make: (key: Keys, options: KeyAndCost) => Q,
  ): readonly Q[] {
    return calls.map((call) => {
      check(call, ['key', 'cost', 'policies'])
      return make(call.key, call)
    })
  }

  return {
    entriesFor,
    own,
    hasClock: clock !== undefined,
    injectedTime,
    checkConsume,
    checkPeek,
    checkOwner: (owner) => void text('owner', owner),
    watchKey,

    consume(key, options) {
      if (options === undefined) return consumption(key, {})
      checkConsume(options)
      const { cost, policies, request: origin } = options
      const owner = options.owner === undefined ? undefined : text('owner', options.owner)
      return consumption(key, { cost, owner, policies, origin })
    },

    peek(key, options) {
      checkPeek(options)
      return look(key, options)
    },

    consumeMany: (calls) => many(calls, consumption),
    peekMany: (calls) => many(calls, look),

    refundReceipts: refundRequests(limiter, injectedTime),

    refundUnits: (key, n = 1, options) => {
      const units = count(n)
      return { verb: 'refundUnits', ...about(key, policiesOf(options)), units }
    },

    penalize(key, n, options) {
      const policies = policiesOf(options)
      const units = count(n)
      const request = { verb: 'penalize', ...about(key, policies), units } as const
      assertPenalty(request.entries, units)
      return request
    },

    block(key, length, options) {
      const forMs = duration.read(length)
      if (forMs === undefined) {
        const { expected, advice } = duration
        throw sluiceError('SLUICE_OPTION_INVALID', where, 'for', length, expected, advice?.(length))
      }
      warnOfShort(where, 'for', length)
      const request = { verb: 'block', ...about(key, policiesOf(options)), forMs } as const
      assertBlockable(request.entries)
      return request
    },

    unblock: (key, options) => ({ verb: 'unblock', ...about(key, policiesOf(options)) }),

    release: (key, leaseId, options) => leaseRequest('release', key, leaseId, options),
    renew: (key, leaseId, options) => leaseRequest('renew', key, leaseId, options),

    reset(key, options) {
      check(options, ['unblock', 'policies'])
      const unblock = options?.unblock === true
      return { verb: 'reset', ...about(key, options?.policies), unblock }
    },

    status: (key, options) => ({
      ...look(key, { cost: 0, policies: policiesOf(options) }),
      fromCounts: true,
    }),

    ofLease: ({ entries, keys, lease }, change) =>
      ofLeases({ ...change, entries, keys, lease, now: injectedTime() }),
  }
}

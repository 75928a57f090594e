import type { Clock } from '../clock.js'
import { counts } from './counted-policies.js'
import { hasLeases, type Receipt } from './decision.js'
import {
  resolveKeys,
  chosenPerCall,
  bindPolicies,
  type Keys,
  type Policies,
  type PolicyChoice,
} from './bound-policies.js'
import { sluiceError } from '../errors.js'
import type { ConsumeOptions, KeyAndCost, PeekOptions, ResetOptions } from './calls.js'
import {
  duration,
  isCount,
  optionsObject,
  rejectUnknown,
  warnOfShort,
  type Duration,
} from '../options/readers.js'
import { watchPolicyNames } from './checks/policy-names.js'
import { markGiven } from './receipts.js'
import { watchRedundancy } from './checks/redundant-policies.js'
import { leaseFor } from './leases/requested-lease.js'
import type { BoundPolicy, Source, StoreRequest, Verb } from '../stores/store.js'

/**
 * Turns the calls of a limiter's methods into requests to its store, and refuses what can never be right with a coded error. Each method of
 * the limiter has the one of its name here.
 */
export interface Requests {
  consume(key: Keys, options: ConsumeOptions | undefined): StoreRequest
  peek(key: Keys, options: PeekOptions | undefined): StoreRequest
  consumeMany(calls: readonly KeyAndCost[]): readonly StoreRequest[]
  peekMany(calls: readonly KeyAndCost[]): readonly StoreRequest[]
  /** Of a receipt that was given back already, or took nothing, it is a peek at nothing. */
  refundReceipt(receipt: Receipt, units: undefined | number, options?: PolicyChoice): StoreRequest
  refundUnits(key: Keys, units: number | undefined, options?: PolicyChoice): StoreRequest
  penalize(key: Keys, units: number, options?: PolicyChoice): StoreRequest
  block(key: Keys, length: Duration, options?: PolicyChoice): StoreRequest
  unblock(key: Keys, options: PolicyChoice | undefined): StoreRequest
  release(key: Keys, leaseId: string, options?: PolicyChoice): StoreRequest
  renew(key: Keys, leaseId: string, options?: PolicyChoice): StoreRequest
  reset(key: Keys, options: ResetOptions | undefined): StoreRequest
  status(key: Keys, options: PolicyChoice | undefined): StoreRequest
  /** The request about the leases of one that was admitted. */
  ofLease(admitted: StoreRequest, change: LeaseChange): StoreRequest
}

export interface LeaseChange {
  readonly verb: 'release' | 'renew'
  readonly source: Source
}

/** A call, as its caller put it. */
interface Question {
  readonly verb: Verb
  readonly key: Keys
  readonly cost?: number | undefined
  readonly policies?: Policies | undefined
  /** Whose lease is asked for. */
  readonly owner?: string | undefined
  /** The id of the lease that is meant. */
  readonly lease?: string | undefined
  /** What is decided about. */
  readonly origin?: unknown
}

/** The most units that one `penalize` takes or one `refund` gives. */
const mostUnits = 2 ** 31

/** `fresh`: whether no answer does but the store's own. */
export function createRequests(
  limiter: string,
  policies: Policies,
  clock: Clock | undefined,
  fresh: boolean,
): Requests {
  const where = `limiter "${limiter}"`
  const ownEntries = policies === chosenPerCall ? undefined : bindPolicies(limiter, policies)
  const watchKey = watchRedundancy(ownEntries ?? [], policies)
  const chosenEntries = new WeakMap<Policies, readonly BoundPolicy[]>()
  const watchNames = watchPolicyNames(limiter)

  function requestOf(question: Question): StoreRequest {
    const { verb, key, cost = 1, policies, owner, lease, origin } = question
    if (!isCount(cost)) throw sluiceError('SLUICE_COST_INVALID', limiter, cost)
    const { entries, keys } = resolveKeys(limiter, entriesFor(policies), key)
    if (verb === 'consume') watchKey?.(key, policies)
    const held = leaseFor(entries, owner, lease)
    const request = { verb, entries, keys, cost, now: now(), lease: held, fresh }
    return origin === undefined ? request : { ...request, origin }
  }

  function entriesFor(chosen: Policies | undefined): readonly BoundPolicy[] {
    if (chosen === undefined) {
      if (ownEntries === undefined) throw sluiceError('SLUICE_POLICIES_MISSING', limiter)
      return ownEntries
    }
    let entries = chosenEntries.get(chosen)
    if (entries === undefined) {
      entries = bindPolicies(limiter, chosen)
      watchNames(entries)
      chosenEntries.set(chosen, entries)
    }
    return entries
  }

  function now(): number | undefined {
    if (clock === undefined) return undefined
    const moment = Math.floor(clock())
    if (!isCount(moment)) throw sluiceError('SLUICE_CLOCK_INVALID', moment)
    return moment
  }

  /** The request without those policies that know no leases. */
  function ofLeases(request: StoreRequest): StoreRequest {
    const { entries, keys } = request
    const leased = entries.filter(hasLeases)
    if (leased.length > 0) {
      return { ...request, entries: leased, keys: keys.filter((_, i) => hasLeases(entries[i])) }
    }
    const expected = 'a concurrency policy among them, or a key for it: nothing else has leases'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function assertPenalty(entries: readonly BoundPolicy[], units: number): void {
    const most = Math.min(
      ...entries.map(({ steps, params }) => steps.maxPenalty?.(params) ?? Infinity),
    )
    if (units <= most) return
    const expected = `at most ${most}: more cannot be counted exactly`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', units, expected)
  }

  function assertBlockable(entries: readonly BoundPolicy[]): void {
    if (entries.length === 0 || entries.some(counts)) return
    const expected = 'a policy that can deny among them: "unlimited" allows everything'
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'policies', policies, expected)
  }

  function count(value: number): number {
    if (isCount(value) && value <= mostUnits) return value
    const expected = `a whole number from 0 to ${mostUnits}`
    throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', value, expected)
  }

  function text(what: string, value: unknown): string {
    if (typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)) return value
    const expected = 'a non-empty string of whole characters'
    throw sluiceError('SLUICE_OPTION_INVALID', where, what, value, expected)
  }

  function check(options: object | undefined, known: readonly string[]): void {
    if (options !== undefined) rejectUnknown(where, optionsObject(where, options, known), known)
  }

  /** The policies of a call that has no other options. */
  function policiesOf(options: PolicyChoice | undefined): Policies | undefined {
    check(options, ['policies'])
    return options?.policies
  }

  function many(verb: 'consume' | 'peek', calls: readonly KeyAndCost[]): readonly StoreRequest[] {
    return calls.map((call) => {
      check(call, ['key', 'cost', 'policies'])
      return requestOf({ verb, key: call.key, cost: call.cost, policies: call.policies })
    })
  }

  return {
    consume(key, options) {
      if (options === undefined) return requestOf({ verb: 'consume', key })
      check(options, ['cost', 'owner', 'policies', 'request'])
      const { cost, policies, request: origin } = options
      const owner = options.owner === undefined ? undefined : text('owner', options.owner)
      return requestOf({ verb: 'consume', key, cost, owner, policies, origin })
    },

    peek(key, options) {
      check(options, ['cost', 'policies'])
      return requestOf({ verb: 'peek', key, cost: options?.cost, policies: options?.policies })
    },

    consumeMany: (calls) => many('consume', calls),
    peekMany: (calls) => many('peek', calls),

    refundReceipt({ request, outcome }, units, options) {
      if (units !== undefined || options !== undefined) {
        const expected = 'nothing besides the decision, which is refunded as a whole'
        throw sluiceError('SLUICE_OPTION_INVALID', where, 'n', units ?? options, expected)
      }
      if (request.entries.some((entry) => entry.limiter !== limiter)) {
        const maker = `the limiter "${request.entries[0].limiter}"`
        throw sluiceError('SLUICE_DECISION_FOREIGN', limiter, maker)
      }
      if (request.verb !== 'consume' || !outcome.allowed || !markGiven(request)) {
        return { ...request, verb: 'peek', entries: [], keys: [] }
      }
      const { states: receipts, source = 'store' } = outcome
      return { ...request, verb: 'refundReceipt', receipts, source, now: now() }
    },

    refundUnits: (key, units = 1, options) =>
      requestOf({ verb: 'refundUnits', key, cost: count(units), policies: policiesOf(options) }),

    penalize(key, units, options) {
      const policies = policiesOf(options)
      const request = requestOf({ verb: 'penalize', key, cost: count(units), policies })
      assertPenalty(request.entries, units)
      return request
    },

    block(key, length, options) {
      const cost = duration.read(length)
      if (cost === undefined) {
        const { expected, advice } = duration
        throw sluiceError('SLUICE_OPTION_INVALID', where, 'for', length, expected, advice?.(length))
      }
      warnOfShort(where, 'for', length)
      const request = requestOf({ verb: 'block', key, cost, policies: policiesOf(options) })
      assertBlockable(request.entries)
      return request
    },

    unblock: (key, options) => requestOf({ verb: 'unblock', key, policies: policiesOf(options) }),

    release(key, leaseId, options) {
      const lease = text('leaseId', leaseId)
      return ofLeases(requestOf({ verb: 'release', key, lease, policies: policiesOf(options) }))
    },

    renew(key, leaseId, options) {
      const lease = text('leaseId', leaseId)
      return ofLeases(requestOf({ verb: 'renew', key, lease, policies: policiesOf(options) }))
    },

    reset(key, options) {
      check(options, ['unblock', 'policies'])
      const cost = options?.unblock === true ? 1 : 0
      return requestOf({ verb: 'reset', key, cost, policies: options?.policies })
    },

    status(key, options) {
      const request = requestOf({ verb: 'peek', key, cost: 0, policies: policiesOf(options) })
      return { ...request, fromCounts: true }
    },

    ofLease: (admitted, change) => ofLeases({ ...admitted, ...change, now: now() }),
  }
}

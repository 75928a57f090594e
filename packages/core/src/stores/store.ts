import type { Lease, Row } from '../algorithms/algorithm.js'
import type { ResolvedPolicy } from '../algorithms/kind.js'
import type { SluiceError } from '../errors.js'
import { isList } from '../options/predicates.js'
import { isExempt, type OverrideAt } from './override.js'

/** A policy of a limiter, with all that a store needs to find and change its state. */
export interface LimiterPolicy extends ResolvedPolicy {
  /** The name of the limiter, which is the namespace of its counters. */
  readonly limiter: string
  /** The name of the policy within the limiter. */
  readonly name: string
  // Read from the algorithm once.
  /** The number of units in total. */
  readonly quota: number
  /** The number of cells that a store keeps, and of those that only a receipt has. */
  readonly width: number
  readonly extras: number
  readonly followsWall: boolean
  /** Whether the first request of a key saves its row even if it is denied. */
  readonly keepsFirstRow: boolean
}

/** The lease of a request without leases. */
export const noLease: Lease = { id: '', owner: '' }

/** The fields of every request. `policies[i]` counts in the state of `keys[i]`. All policies belong to one limiter. */
interface RequestBase {
  readonly policies: readonly LimiterPolicy[]
  readonly keys: readonly string[]
  /** The time of an injected clock, which replaces the store's own. */
  readonly now: number | undefined
  /** The lease to grant, release or renew. Its id and owner are empty if no policy has leases. */
  readonly lease: Lease
  /** The source of the decision that this request undoes or changes. That source has the state. */
  readonly source?: Source
}

/** The units of a request: one number for all policies, or one for each policy. */
export type Cost = number | readonly number[]

/** The units that a request takes from the policy with this index. */
export function costAt(cost: Cost, index: number): number {
  return typeof cost === 'number' ? cost : cost[index]
}

/** A request that decides: `consume` counts if all policies allow, `peek` changes nothing. */
export interface DecisionRequest extends RequestBase {
  readonly verb: 'consume' | 'peek'
  readonly cost: Cost
  /** Whether the store itself has to decide a consumption. A remembered denial is not enough, because another process may have refunded units since. */
  readonly skipDenyCache?: boolean
  /** Whether the result has to come from counts, as for `status`. Such a request fails if `onStoreError` would allow or deny it without counts. */
  readonly requireStore?: boolean
}

/** Undoes a consumption, or changes what it took. Its receipts are the states that the consumption left. */
export interface RefundReceiptRequest extends RequestBase {
  readonly verb: 'refundReceipt'
  readonly cost: Cost
  /** The units that the consumption takes in place of its cost. Undefined: none, and the consumption is undone. */
  readonly adjusted?: Cost
  readonly receipts: readonly State[]
}

/** `refundUnits` refunds the newest units, `penalize` takes units without a decision. */
export interface UnitsRequest extends RequestBase {
  readonly verb: 'refundUnits' | 'penalize'
  readonly units: number
}

/** Blocks each policy, or exempts it, in place of the block or the exemption that it has. */
export interface OverrideRequest extends RequestBase {
  readonly verb: 'block' | 'exempt'
  readonly forMs: number
}

/** Grants each policy units beside its quota, in place of the grant that it has. */
export interface GrantRequest extends RequestBase {
  readonly verb: 'grant'
  readonly forMs: number
  readonly units: number
}

/** `unblock` ends blocks only, `unexempt` exemptions, `ungrant` grants. */
export interface EndOverrideRequest extends RequestBase {
  readonly verb: 'unblock' | 'unexempt' | 'ungrant'
}

/** Deletes the counts, and with `unblock` the blocks too. It keeps exemptions. Without `unblock` it is not allowed while a policy is blocked. */
export interface ResetRequest extends RequestBase {
  readonly verb: 'reset'
  readonly unblock: boolean
}

/** Releases a lease, or starts its time again. */
export interface LeaseRequest extends RequestBase {
  readonly verb: 'release' | 'renew'
}

/** One request to a store: all or nothing. */
export type StoreRequest =
  | DecisionRequest
  | RefundReceiptRequest
  | UnitsRequest
  | OverrideRequest
  | GrantRequest
  | EndOverrideRequest
  | ResetRequest
  | LeaseRequest

/** A peek at the same policies and keys. */
export function peekOf({ policies, keys, now, lease }: StoreRequest, cost: Cost): DecisionRequest {
  return { verb: 'peek', policies, keys, now, lease, cost }
}

const parts = new WeakMap<readonly LimiterPolicy[], Map<string, readonly LimiterPolicy[]>>()

/** The policies at some indices. The same list each time, by which stores cache what they have made of it. */
export function someOf(
  policies: readonly LimiterPolicy[],
  indices: readonly number[],
): readonly LimiterPolicy[] {
  if (indices.length === policies.length) return policies
  const known = parts.get(policies) ?? new Map<string, readonly LimiterPolicy[]>()
  parts.set(policies, known)
  const id = indices.join(' ')
  const part = known.get(id) ?? indices.map((i) => policies[i])
  known.set(id, part)
  return part
}

const texts = new WeakMap<readonly LimiterPolicy[], string>()

/** Policies with their numbers, as a text: the same one for equal policies. */
export function textOf(policies: readonly LimiterPolicy[]): string {
  const each = ({ limiter, name, policy }: LimiterPolicy) => [limiter, name, policy]
  const text = texts.get(policies) ?? JSON.stringify(policies.map(each))
  texts.set(policies, text)
  return text
}

/** The request with some of its policies, by their indices. */
export function partOf<Q extends StoreRequest>(request: Q, indices: readonly number[]): Q {
  const at = <T>(list: readonly T[]): readonly T[] => indices.map((i) => list[i])
  const part = { ...request, policies: someOf(request.policies, indices), keys: at(request.keys) }
  for (const name of ['cost', 'adjusted'] as const) {
    const units: unknown = Reflect.get(request, name)
    if (isList(units)) Object.assign(part, { [name]: at(units) })
  }
  if ('receipts' in request) Object.assign(part, { receipts: at(request.receipts) })
  return part
}

/** The requests that undo a consumption: none if all its policies were exempt, else one with those that were not. */
export function refundsOf(
  { policies, keys, now, lease, cost }: DecisionRequest,
  receipts: readonly State[],
): readonly RefundReceiptRequest[] {
  const verb = 'refundReceipt'
  const whole: RefundReceiptRequest = { verb, policies, keys, now, lease, cost, receipts }
  if (!receipts.some(isExempt)) return [whole]
  const taken = [...policies.keys()].filter((i) => !isExempt(receipts[i]))
  return taken.length === 0 ? [] : [partOf(whole, taken)]
}

/** The state of one policy at the time `now`. */
export interface State extends OverrideAt {
  readonly row: Row
  /** The time by which this policy was decided. It differs between policies that follow different clocks, or that are on different servers. */
  readonly now: number
}

/**
 * The place of a decision: the store (`store`); this process, which remembers a recent denial by the store (`local`); the memory store that
 * replaces an unavailable store (`fallback`); units that this process had taken from the store before (`ahead`); or no counts, because the store is unavailable and
 * `onStoreError` is `'allow'` (`open`) or `'deny'` (`closed`).
 */
export type Source = 'store' | 'local' | 'ahead' | 'fallback' | 'open' | 'closed'

/** The result of a request that did not fail. */
export interface StoreResult {
  /**
   * Whether all policies allowed the cost. Then, and only then, each of them that is not exempt has counted it. A `reset` without `unblock` is not allowed while a policy is
   * blocked. A `release` or `renew` is not allowed if the lease is not held. All other verbs are always allowed.
   */
  readonly allowed: boolean
  /** The state of each policy after the decision. It is also the receipt of a consumption. */
  readonly states: readonly State[]
  /** @default 'store' */
  readonly source?: Source
}

/** The return value of a store for one request: its result, or its error. An error concerns no other request. */
export type Answer = StoreResult | SluiceError

/**
 * The version of the contract between limiters and stores: the types of this file, and the steps, cells, args and Lua of each algorithm. An application
 * can contain several copies of this package, and a limiter accepts a store of another copy if both have the same version. Increase it with every
 * change that another copy would misinterpret.
 */
export const contractVersion: number = 8

/** The property of a store that contains its contract. A store that an application implements itself does not have it. */
export const storeContract: unique symbol = Symbol.for('@sluice/core:store')

export interface StoreContract {
  readonly version: number
  /** The largest limit of each kind of policy with records, if the store keeps all records of a key in one row of a limited size. */
  readonly largestLimits?: Readonly<Record<string, number>>
  /** The most policies of one request. */
  readonly mostPolicies?: number
  /** Called with each list of policies before its first request: a store can make what it needs for them. Throws if it cannot. */
  prepare?(policies: readonly LimiterPolicy[]): void
  /** Decides while the store is unavailable. It belongs to the store, so that limiters of one name share their counts as they do in the store. */
  fallback?: SyncStore
}

/**
 * Keeps the counts. A store runs each request all or nothing: it looks at all policies first, and takes the cost only if all of them allow it. A store
 * does not depend on any particular algorithm: it loads rows, calls the steps on them, and keeps the rows until `ends`.
 */
export interface SyncStore {
  /** The methods return results. */
  readonly async: false
  readonly [storeContract]?: StoreContract
  /** Runs one request, and returns its answer at once. */
  run(request: StoreRequest): Answer
  /** Whether the store is available. */
  ping(): boolean
  /** Releases what the store itself has opened. */
  close(): void
}

/** A store that answers with promises, such as `redisStore`. */
export interface AsyncStore {
  /** The methods return promises. */
  readonly async: true
  readonly [storeContract]?: StoreContract
  /** Runs the requests, and resolves to their answers in the same order. It never rejects. */
  run(requests: readonly StoreRequest[]): Promise<readonly Answer[]>
  /** Whether the store is available. It never rejects. */
  ping(): Promise<boolean>
  /** Releases what the store itself has opened. */
  close(): Promise<void>
}

/** A store of either kind. */
export type Store = SyncStore | AsyncStore

/** The return type of a method over a store: the value over a synchronous store, a promise over an asynchronous one, either if the type is not known. */
export type Reply<S extends Store, T> = S extends SyncStore ? T : Promise<T>

export function isDecision(request: StoreRequest): request is DecisionRequest {
  return request.verb === 'consume' || request.verb === 'peek'
}

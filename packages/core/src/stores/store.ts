import type { Lease, Row } from '../algorithms/algorithm.js'
import type { Rule } from '../algorithms/kind.js'
import type { SluiceError } from '../errors.js'

/** One policy of one limiter: what a store needs to find its state and to step it. */
export interface BoundPolicy extends Rule {
  /** The limiter's name: the namespace of its counters. */
  readonly limiter: string
  /** The policy's name within the limiter. */
  readonly name: string
}

/** What every request to a store has. `keys[i]` is the key whose state `entries[i]` counts in; all entries belong to one limiter. */
interface RequestBase {
  readonly entries: readonly BoundPolicy[]
  readonly keys: readonly string[]
  /** The time of an injected clock, which replaces the store's own. */
  readonly now: number | undefined
  /** The lease that is asked for, or that a release or renewal means; without id and owner if no entry has leases. */
  readonly lease: Lease
  /** Who made the decision that this request undoes or changes: the state is there. */
  readonly source?: Source
}

/** Decides and counts. */
export interface ConsumeRequest extends RequestBase {
  readonly verb: 'consume'
  readonly cost: number
  /** Whether the store itself has to answer: a remembered denial is not enough, because it may have been refunded since. */
  readonly fresh?: boolean
  /** What the caller decides about, for the listeners of decision events. No store reads it. */
  readonly origin?: unknown
}

/** Decides and changes nothing. */
export interface PeekRequest extends RequestBase {
  readonly verb: 'peek'
  readonly cost: number
  /** Whether the answer has to come from counts: a `status`, which fails where `onStoreError` would allow or deny without any. */
  readonly fromCounts?: boolean
}

/** Undoes a consumption by the states that it left. */
export interface RefundReceiptRequest extends RequestBase {
  readonly verb: 'refundReceipt'
  readonly cost: number
  readonly receipts: readonly State[]
}

/** `refundUnits` refunds the newest units, `penalize` takes units without a decision. */
export interface UnitsRequest extends RequestBase {
  readonly verb: 'refundUnits' | 'penalize'
  readonly units: number
}

export interface BlockRequest extends RequestBase {
  readonly verb: 'block'
  readonly forMs: number
}

export interface UnblockRequest extends RequestBase {
  readonly verb: 'unblock'
}

/** Removes what is counted; with `unblock` the blocks too, else it is refused while one lasts. */
export interface ResetRequest extends RequestBase {
  readonly verb: 'reset'
  readonly unblock: boolean
}

/** Ends a lease, or starts its time anew. */
export interface LeaseRequest extends RequestBase {
  readonly verb: 'release' | 'renew'
}

/** A request that asks whether a cost is allowed. */
export type DecisionRequest = ConsumeRequest | PeekRequest

/** One request to a store: all or nothing. */
export type StoreRequest =
  | DecisionRequest
  | RefundReceiptRequest
  | UnitsRequest
  | BlockRequest
  | UnblockRequest
  | ResetRequest
  | LeaseRequest

export type Verb = StoreRequest['verb']

/** The same entries and keys, only looked at. */
export function peekOf({ entries, keys, now, lease }: StoreRequest, cost: number): PeekRequest {
  return { verb: 'peek', entries, keys, now, lease, cost }
}

/** The request that undoes what a consumption took. */
export function refundOf(
  { entries, keys, now, lease, cost }: ConsumeRequest,
  receipts: readonly State[],
): RefundReceiptRequest {
  return { verb: 'refundReceipt', entries, keys, now, lease, cost, receipts }
}

/** The state of one entry, brought up to the time of its answer. */
export interface State {
  readonly row: Row
  /** The end of the last block, past or to come; 0 if there was none. */
  readonly blockedUntil: number
  /** The time by which this entry was decided. Entries that follow the wall, or lie on other servers, may have other times. */
  readonly now: number
  /**
   * How many times the key had been reset in the millisecond of `now`.
   *
   * @default 0
   */
  readonly resets?: number
}

/**
 * Who decided: the store; this process, which remembers that the store denied the key a moment ago (`local`); a memory store in the place of one
 * that is away (`fallback`); or nobody, where the store failed and the limiter was told to allow (`open`) or to deny (`closed`).
 */
export type Source = 'store' | 'local' | 'fallback' | 'open' | 'closed'

/** What became of a request. */
export interface Outcome {
  /**
   * Whether every entry allowed. If so, and only then, each of them has counted the cost. A `reset` is not allowed while an entry is blocked,
   * unless it forgets the block too; a `release` or `renew` not if the lease is not held. All other verbs are always allowed.
   */
  readonly allowed: boolean
  /** The state of each entry after the decision. It is at the same time the receipt of what was taken. */
  readonly states: readonly State[]
  /** By what it was decided, where those are not the request's own: a share of each. */
  readonly entries?: readonly BoundPolicy[]
  /** @default 'store' */
  readonly source?: Source
}

/** Consumes for one list of entries, without a request or an outcome for each decision. */
export interface DirectConsume {
  /** Decides for a key: whether all entries allow the cost, and have counted it. Undefined if only `run` can decide; nothing has changed then. */
  decide(key: string, cost: number): boolean | undefined
  /** The state of each entry after the last decision. The next decision overwrites them. */
  readonly states: readonly DirectState[]
}

export interface DirectState {
  readonly row: Row
  readonly now: number
  /** The units that count after the decision. */
  readonly used: number
}

/** A failure is the answer of the request that failed, and of no other. */
export type Answer = Outcome | SluiceError

/**
 * The version of what limiters and stores pass to each other: the types of this file, and of each algorithm its steps, cells, args and Lua. An
 * application may hold several copies of this package, and a limiter takes a store of another copy if both have the same version. Raise it with
 * every change that another copy would misread.
 */
export const contractVersion: number = 1

/** The property of a store that says which contract it has. A store that an application wrote itself has none. */
export const storeContract: unique symbol = Symbol.for('@sluice/core:store')

export interface StoreContract {
  readonly version: number
  /** Decides while the store is unavailable. It belongs to the store, so that all limiters of one name count together, as they do in the store. */
  fallback?: SyncStore
}

/**
 * Where the counts live. A store runs each request all or nothing: it looks at all entries first, and takes only if all of them
 * allow. It knows no particular algorithm; it loads rows, calls their steps, and keeps what they wrote until `ends`.
 */
export interface SyncStore {
  readonly async: false
  /**
   * The direct way for consumptions by these entries with one key for all of them. Undefined if there is none: `run` can do all that it can.
   */
  compile?(entries: readonly BoundPolicy[]): DirectConsume | undefined
  readonly [storeContract]?: StoreContract
  /** Answers at once. */
  run(request: StoreRequest): Answer
  /** Whether it is there. */
  ping(): boolean
  close(): void
}

export interface AsyncStore {
  readonly async: true
  readonly [storeContract]?: StoreContract
  /** Answers the requests in their order. It never rejects. */
  run(requests: readonly StoreRequest[]): Promise<readonly Answer[]>
  /** Whether it is there. It never rejects. */
  ping(): Promise<boolean>
  close(): Promise<void>
}

export type Store = SyncStore | AsyncStore

/** What a method answers over a store: at once over a synchronous one, a promise over the others, either if it is not known. */
export type Reply<S extends Store, T> = S extends SyncStore ? T : Promise<T>

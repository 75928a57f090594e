// The contract of algorithms. A store keeps a row of numbers for each key of a policy. An algorithm is how the row changes (`look`, `take`, `refund`, `ends`: in
// TypeScript and, step by step with the same names, in Lua) and what it means (the other members, in TypeScript only). `fixed-window` is the shortest one.

/** The state of a key: a short row of whole numbers, each 0 or more and below 2^53. A row of zeros is that of a key without any requests, in every algorithm. */
export type Row = number[]

/**
 * How a row changes. A step changes nothing but the copy of the row that it gets, and a store saves this copy only if every policy of the request allows. `now` is in whole
 * milliseconds. A `now` before the time in the row (the clock was set back) must never make the limit looser.
 */
export interface Steps<P extends object = object> {
  /** Updates the row to `now` and returns whether `cost` fits. */
  look(row: Row, params: P, now: number, cost: number): boolean
  /** Records the units of an allowed request or of a penalty, in a row that `look` has updated to now. A cost of 0 changes nothing that the row means. */
  take(row: Row, params: P, now: number, cost: number): void
  /** Returns units, at most the used ones: those of one take, as far as they still count, or the newest ones. A reset returns an infinite number. */
  refund(row: Row, params: P, now: number, units: number, taken?: Taken): void
}

/** A take of which units are returned: the row after it, its time, and whether it keeps some of its units. */
export interface Taken {
  readonly row: Row
  readonly now: number
  readonly isPart: boolean
}

/** The meaning of a row now. Every store returns rows, so these numbers cannot differ between stores. */
export interface Numbers {
  /** The units that count, rounded up. The remaining units are the quota minus these. */
  readonly used: number
  /** Whole milliseconds until `cost` fits if nothing else happens; 0 if it fits now, Infinity if it never can. */
  readonly wait: number
  /** Whole milliseconds until one more unit remains than now. Without meaning if the quota is full. */
  readonly next: number
  /** The time from which the quota is full. A row may exist for longer. */
  readonly full: number
  /** How long an allowed request must be delayed, in milliseconds. */
  readonly delay: number
  /** How long until the queue is short enough for `cost`; 0 if it is, or if something else decides. Only queues have it. */
  readonly queue?: number
}

export interface Algorithm<P extends object = object, R = unknown> extends Steps<P> {
  /** Identifies the rows of this algorithm in a store: see `scripts.ts`. A row with another id is read as absent, so a new layout needs a new id. */
  readonly id: number
  /** The cells of a row. */
  size(params: P): Size
  /** The time from which the row means the same as a row of zeros. The only number that Lua needs as well, for the expiry of a state. */
  ends(row: Row, params: P): number
  /** The units that count at `now`. */
  used(row: Row, params: P, now: number): number
  /**
   * All numbers of a row that `look` has updated to `now`.
   *
   * @param isTaken whether the row already includes the units of this request. Then its wait is 0
   * @param target the number of units of which `next` is the wait, in place of one more than now
   */
  read(row: Row, params: P, now: number, cost: number, isTaken: boolean, target?: number): Numbers
  /** The number of units in total. Infinite if nothing is counted: then no store is called. */
  quota(params: P): number
  /** How long the whole quota takes to become available again, in milliseconds: the window. */
  windowMs(params: P): number
  /** The numbers that the Lua steps receive, in their order. `now` is the time of the store, as far as the client knows it. */
  args(params: P, now: number): readonly number[]

  /** Whether the args depend on `now`. */
  readonly isDated?: boolean
  /** Whether the windows begin at a time of day, so that the algorithm needs the wall clock. All others use a monotonic clock. */
  followsWall?(params: P): boolean
  /** The largest number of units that one penalty may take. */
  mostUnits?(params: P): number
  /** The token of the lease that was granted last, read from the row after the grant. Only algorithms with leases have it. */
  token?(row: Row): number
  /** The state of a key in addition to its row. */
  readonly records?: Records<P, R>
  /** How a process can take units before it spends them; absent if it cannot. */
  readonly ahead?: Ahead<P> | undefined
}

/** Units that are taken before they are spent. */
export interface Ahead<P extends object = object> {
  /** Of the newest `units` that a take has left in the row, those that may still be spent now: then no more is allowed than without taking them ahead. */
  held(row: Row, params: P, now: number, units: number): number
  /** Whether unspent units can be given back. Those of a rate cannot: it would move the times of units that other processes hold. */
  readonly isReturned: boolean
}

/** The numbers of the cells: first the times (milliseconds since the epoch), then the counts, then the extras. */
export interface Size {
  readonly times: number
  readonly counts: number
  /** Cells that the steps compute for the decision or for the receipt. A store does not save them. */
  readonly extras?: number
}

/**
 * A state that grows: a log, or leases. The steps read it by position and never as a whole. `look` must not change it; after any change of it the row is saved. If
 * the row is all zeros, the records are void, whatever they contain.
 */
export interface Records<P extends object = object, R = unknown> {
  /** The numbers of their Redis keys, each from 1 to `mostRecordKeys`. No other algorithm has them, so that no two layouts share records. */
  readonly keys: readonly number[]
  create(params: P): R
  /** The records as bytes, for a store that keeps them as a whole. It is called after a change, and not for a row of zeros. */
  pack(records: R): Uint8Array
  /** The records of these bytes. Undefined if they are damaged, or are not the records of this row. */
  unpack(bytes: Uint8Array, row: Row): R | undefined
  /** The steps over the records of one key. In Lua this is `bind(keys, lease)`, which gets the names of their Redis keys instead. */
  bind(records: R, lease: Lease): BoundSteps<P>
}

/** The largest number of a key of records. A reset deletes the records of all algorithms. */
export const mostRecordKeys = 4

/** The steps of one request. After its `take`, `look` returns whether another request would fit. */
export interface BoundSteps<P extends object = object> extends Steps<P> {
  /** Ends the lease. True if it was active. Only algorithms with leases have `release` and `renew`. */
  release?(row: Row, params: P, now: number): boolean
  /** Restarts the duration of the lease. True if it was active. */
  renew?(row: Row, params: P, now: number): boolean
}

/** The lease that a request asks for. */
export interface Lease {
  readonly id: string
  /** The owner of the lease. Another lease of the same owner takes no further units. */
  readonly owner: string
}

/** The steps of an algorithm whose steps need the records of a key. Only the bound ones are called. */
export const stepsOverRecords: Steps = { look: unbound, take: unbound, refund: unbound }

function unbound(): never {
  throw new TypeError('the steps are not bound to records')
}

/**
 * One state as the steps see it: a short row of whole numbers, each 0 or more and below 2^53. A row of zeros is the state of a key without
 * any requests, in every algorithm.
 */
export type Row = number[]

/** The numbers of a policy, as the steps use them. */
export type Params = Readonly<Record<string, unknown>>

/**
 * How a state changes. Each of these functions exists twice, with the same name: in TypeScript, and in Lua for Redis.
 *
 * A step is pure. It gets a copy of the row, and a store saves the changed copy only if every policy of the request allows. All numbers are
 * whole; `now` is in whole milliseconds. A `now` before the time in the row (the clock was set back) must never make the limit looser.
 */
export interface Steps<P extends object = Params> {
  /** Updates the row to `now` and returns whether `cost` fits. */
  look(row: Row, params: P, now: number, cost: number): boolean
  /**
   * Records the `cost` units of an allowed request or of a penalty, in a row that `look` has updated to now. The cost of a penalty may be 0: then the row means
   * the same as before.
   */
  take(row: Row, params: P, now: number, cost: number): void
  /**
   * Undoes one `take` of `cost`, as far as its units still count: with its units go their times, so that the row is the same as without that request if no
   * other one was taken since. `receipt` is the row after that take, and `takenAt` is the `now` of that take.
   */
  refundReceipt(row: Row, params: P, now: number, cost: number, receipt: Row, takenAt: number): void
  /** Refunds the newest `units`, but at most the used ones. */
  refundUnits(row: Row, params: P, now: number, units: number): void
  /** Refunds all units and leaves in the row only what a reset must keep. Without this step a reset removes the row. */
  forget?(row: Row, params: P, now: number): void
}

/**
 * Reads the meaning of a row. Both stores return the row, so these functions exist only in TypeScript and cannot differ between the stores. The
 * exception is `ends`: the script needs it in Lua as well, to set the expiry of a state.
 */
export interface Reading<P extends object = Params> {
  /**
   * Identifies the rows of this algorithm in Redis: an id of the table in `ids.ts`. A row with another id is read as absent, so a new layout needs a new
   * id. Ids from 128 are for rows whose width depends on the policy.
   */
  readonly id: number
  /** The cells of a row: first the times (milliseconds since the epoch), then the counts, then the extras. */
  cells(params: P): Cells
  /** The numbers that the Lua steps receive, in their order. `now` is the time of the store, as far as the client knows it. */
  args(params: P, now: number): readonly number[]
  /** Whether these numbers depend on `now`. */
  readonly datedArgs?: boolean

  /** The time from which the row means the same as a row of zeros. */
  ends(row: Row, params: P): number
  /** Whole milliseconds until `cost` fits if nothing else happens; 0 if it fits now, Infinity if it never can. */
  wait(row: Row, params: P, now: number, cost: number): number
  /** The units that count now, rounded up. The remaining units are the quota minus these. */
  used(row: Row, params: P, now: number): number
  /** The number of units in total. */
  quota(params: P): number
  /** How long the whole quota takes to become available again, in milliseconds: the window. */
  windowMs(params: P): number
  /** Whether the windows begin at a time of day, so that the algorithm needs the wall clock. All others use a monotonic clock. */
  followsWall(params: P): boolean

  /** The time from which the quota is full. A row may exist for longer. */
  full(row: Row, params: P): number
  /** Whole milliseconds until `remaining` units remain, which is one more than now. */
  next(row: Row, params: P, now: number, remaining: number): number
  /** How long an allowed request of `cost` must be delayed, in milliseconds. `taken`: the row already includes its units. */
  delay(row: Row, params: P, now: number, cost: number, taken: boolean): number
  /** The largest number of units that one penalty may take. */
  maxPenalty(params: P): number
  /** Whether the first request of a key saves its row even if it is denied. */
  persistsOnDenial(params: P): boolean
  /** Whether there is no state, so that no store is called. Such a policy allows everything. */
  readonly countsNothing: boolean

  /**
   * How long until the queue is short enough for a request of `cost`, in milliseconds; 0 if it is short enough, or if something else decides.
   * Only queues have this.
   */
  queueWait?(row: Row, params: P, now: number, cost: number): number
  /** The token of the lease that was granted last, read from the row after the grant. Only algorithms with leases have this. */
  token?(row: Row): number
}

/** An algorithm whose complete state is a row. */
export interface RowAlgorithm<P extends object = Params> extends Steps<P>, Reading<P> {
  readonly hasRecords?: undefined
  /**
   * Takes the cost if it is not 0, and reads the row. Only the algorithms that decide most requests have a form of their own, which calculates each
   * number once. The time of the row's end may also be written if nothing was taken.
   *
   * @default settleBy
   */
  settle?(decided: DecidedRow<P>, cost: number): void
}

/** The row of one policy that a decision has looked at, and what the decision reads from it. A store reuses the object for many decisions. */
export interface DecidedRow<P extends object = Params> {
  readonly row: Row
  readonly params: P
  readonly now: number
  /** The units that count after the decision. */
  used: number
  /** How long until one more unit remains. Without meaning if the quota is full. */
  next: number
  /** The time from which the quota is full. */
  full: number
  /** The time at which the row expires. Without meaning if no units were taken. */
  ends: number
}

/**
 * An algorithm whose state grows: in addition to its row a key has records (a log, or leases), which are read by position and never as a whole.
 * `look` must not change the records; after any change of the records the row is saved. If the row is all zeros, the records are void, whatever they
 * contain.
 */
export interface AlgorithmWithRecords<P extends object = Params, R = unknown> extends Reading<P> {
  readonly hasRecords: true
  newRecords(params: P): R
  /** The records as bytes, for a store that keeps them as a whole. It is called after a change, and not for a row of zeros. */
  packRecords(records: R): Uint8Array
  /** The records of these bytes. Undefined if they are damaged, or are not the records of this row. */
  unpackRecords(bytes: Uint8Array, row: Row): R | undefined
  /** The steps over the records of one key. In Lua this is `bind(keys, lease)`, which gets the names of their Redis keys instead. */
  bind(records: R, lease: Lease): RequestSteps<P>
  /** The numbers of the Redis keys of the records, each from 1 to `mostRecordKeys`. No other algorithm has them, so that no two forms share records. */
  readonly recordKeys: readonly number[]
}

/** The largest number of a key of records. A reset deletes the records of all algorithms. */
export const mostRecordKeys = 4

/** The steps of one request. After its `take`, `look` returns whether another request would fit. */
export interface RequestSteps<P extends object = Params> extends Steps<P> {
  /** Ends the lease. True if it was active. Only algorithms with leases have `release` and `renew`. */
  release?(row: Row, params: P, now: number): boolean
  /** Restarts the duration of the lease. True if it was active. */
  renew?(row: Row, params: P, now: number): boolean
}

export interface Cells {
  readonly times: number
  readonly counts: number
  /** Cells that the steps compute for the decision or for the receipt. A store does not save them. */
  readonly extras?: number
}

/** The lease that a request asks for. */
export interface Lease {
  readonly id: string
  /** The owner of the lease. Another lease of the same owner takes no further units. */
  readonly owner: string
}

/** The values of most algorithms: no delay, no row after a denial of a new key, and no limit of penalties except that of the limiter. */
export const usualReading: Pick<
  Reading,
  'delay' | 'maxPenalty' | 'persistsOnDenial' | 'countsNothing'
> = {
  delay: () => 0,
  maxPenalty: () => Infinity,
  persistsOnDenial: () => false,
  countsNothing: false,
}

/** Takes the cost if it is not 0, and reads the row, by the other steps of the algorithm. */
export function settleBy<P extends object>(
  steps: RowAlgorithm<P>,
  decided: DecidedRow<P>,
  cost: number,
): void {
  const { row, params, now } = decided
  if (cost > 0) {
    steps.take(row, params, now, cost)
    decided.ends = steps.ends(row, params)
  }
  readBy(steps, decided)
}

/** Reads the row: the numbers of the decision. */
export function readBy<P extends object>(steps: Reading<P>, decided: DecidedRow<P>): void {
  const { row, params, now } = decided
  const used = steps.used(row, params, now)
  const free = Math.max(0, steps.quota(params) - used)
  decided.used = used
  decided.next = steps.next(row, params, now, free + 1)
  decided.full = steps.full(row, params)
}

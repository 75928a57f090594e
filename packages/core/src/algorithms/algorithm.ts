/**
 * One state as the steps see it: a short row of whole numbers, each 0 or more and below 2^53. A row of zeros is a key that
 * was never seen, and every algorithm reads it so.
 */
export type Row = number[]

/** A policy's numbers in the form that the steps count with. */
export type Params = Readonly<Record<string, unknown>>

/**
 * How a state changes. These four exist twice with the same names in the same order: here, and in Lua, which runs inside Redis.
 *
 * A step is pure. It gets a copy of the row, and a store keeps what `take` made of it only if every policy of the
 * request allows. All numbers are whole; `now` is whole milliseconds. A `now` before the row's own time (a clock that was set
 * back) must never make the limit looser.
 */
export interface Steps<P extends object = Params> {
  /** Brings the row up to `now` and tells whether `cost` fits. */
  look(row: Row, params: P, now: number, cost: number): boolean
  /** Writes what an admitted request takes into a row that `look` has brought up to now. */
  take(row: Row, params: P, now: number, cost: number): void
  /**
   * Undoes one `take` of `cost`, as far as it still counts. `receipt` is the row as that take left it, and `takenAt` the moment by which it was
   * decided.
   */
  refundReceipt(row: Row, params: P, now: number, cost: number, receipt: Row, takenAt: number): void
  /** Gives the `units` newest units back, at most what is used. */
  refundUnits(row: Row, params: P, now: number, units: number): void
  /** Refunds all units, and leaves in the row what a reset must not forget. Without this step a reset removes the row. */
  forget?(row: Row, params: P, now: number): void
}

/**
 * What a row says. Except for `ends`, whose twin the script needs to let states expire, all of it follows from the row by
 * arithmetic alone and exists only here: both stores hand the row back, so there is nothing for the two languages to disagree about.
 */
export interface Reading<P extends object = Params> {
  /**
   * Marks this algorithm's rows in Redis. A row of another id reads as absent, so a new layout takes a new id. Ids from 128 on are for rows
   * whose width depends on the policy.
   */
  readonly id: number
  /** The cells of a row: first the moments (milliseconds since the epoch), then the counts, then the views. */
  cells(params: P): Cells
  /** The numbers that the Lua form receives, in its order. `now` is what the store takes the time to be. */
  args(params: P, now: number): readonly number[]
  /** Whether these numbers change with `now`. */
  readonly datedArgs?: boolean
  /** The steps and `ends` in Lua: an expression whose value is a table of these functions. */
  readonly lua: string

  /** The moment from which the row says nothing that a row of zeros does not. */
  ends(row: Row, params: P): number
  /** Whole milliseconds until `cost` fits if nothing else happens; 0 if it fits now, Infinity if it never can. */
  wait(row: Row, params: P, now: number, cost: number): number
  /** The units that count now, rounded up. What remains is the quota without them. */
  used(row: Row, params: P, now: number): number
  /** How many units there are in all. */
  quota(params: P): number
  /** How long the whole quota takes to come back, in milliseconds: the window. */
  windowMs(params: P): number
  /** Whether time is read off the wall, because windows begin at a time of day. Everything else runs on a clock that never steps. */
  followsWall(params: P): boolean

  /** The moment from which the quota is full. A row may outlive it. */
  full(row: Row, params: P): number
  /** Whole milliseconds until so many units remain, one more than now. */
  next(row: Row, params: P, now: number, remaining: number): number
  /** How long a request of `cost` that fits is held, in milliseconds. `taken`: the row already holds what it took. */
  delay(row: Row, params: P, now: number, cost: number, taken: boolean): number
  /** The most units that one penalty may take. */
  maxPenalty(params: P): number
  /** Whether a key's first request leaves its row even if it is denied. */
  persistsOnDenial(params: P): boolean
  /** Whether there is no state at all, so that no store is ever asked. Such a policy allows everything. */
  readonly countsNothing: boolean

  /** How long until a queue is short enough for a request of `cost`, in milliseconds; 0 if it is, or if something else decides. Only queues have it. */
  queueWait?(row: Row, params: P, now: number, cost: number): number
  /** The token of the lease that was granted last, read from the row that it left. Only where there are leases. */
  token?(row: Row): number
}

/** An algorithm whose whole state is a row. */
export interface Algorithm<P extends object = Params> extends Steps<P>, Reading<P> {
  readonly bodied?: undefined
}

/**
 * An algorithm whose state grows: beside its row a key has a body, a log or its leases, read by position and never as a whole. `look` must
 * not change the body; whatever changes it is followed by keeping the row. A row of zeros says that the body is void, whatever it holds.
 */
export interface BodiedAlgorithm<P extends object = Params, B = unknown> extends Reading<P> {
  readonly bodied: true
  newBody(params: P): B
  /** The steps over one key's body. In Lua this is `bind(keys, lease)`, which gets the names of `bodies` keys instead of a body. */
  bind(body: B, lease: Lease): BodiedSteps<P>
  /** How many keys the body takes in Redis. */
  readonly bodies: number
}

/** The steps of one request. After its `take`, `look` tells what remains for others. */
export interface BodiedSteps<P extends object = Params> extends Steps<P> {
  /** Ends the lease; true if it was held. Only leases have these. */
  release?(row: Row, params: P, now: number): boolean
  /** Starts the lease's time anew; true if it was held. */
  renew?(row: Row, params: P, now: number): boolean
}

export interface Cells {
  readonly moments: number
  readonly counts: number
  /** What the steps derive for the answer, or note for the receipt; a store does not keep it. */
  readonly views?: number
}

/** Who asks, where that matters: for leases. */
export interface Lease {
  readonly id: string
  /** Whose lease it is: a further one of the same owner takes no further unit. */
  readonly owner: string
}

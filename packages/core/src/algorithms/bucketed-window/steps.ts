import type { Algorithm, Row } from '../algorithm.js'
import { quotientOf } from '../quotient.js'

export interface BucketedWindowParams {
  readonly limit: number
  /** The length of a sub-window. */
  readonly size: number
  /** The number of sub-windows that count in addition to the current one. */
  readonly older: number
  /** 1: the oldest of them counts by the share that is still inside; 0: it counts completely. */
  readonly weighted: number
}

// row: [a time in the current sub-window, its number, the units taken in it, the units taken in the sub-window before, …]
// A time in the sub-window and not its start, so that the units stay in the right sub-window if the length of the window changes.
// A receipt's number identifies its sub-window, even if sub-windows of other lengths have begun since: counts move by as many places as the number
// increases. It begins with the time, and increases by less than the time does, so that a row that begins again repeats no number.
const FIRST_AT = 0
const NUMBER = 1
const NEWEST = 2

/** The policy defines the number of counters, so the id is one of those for rows of varying width. */
export const bucketedWindowSteps: Algorithm<BucketedWindowParams> = {
  id: 128,
  size: ({ older }) => ({ times: 2, counts: 1 + older }),
  args: ({ limit, size, older, weighted }) => [limit, size, older, weighted],

  look(row, params, now, cost) {
    const { limit, size, older } = params
    const passed = (startOf(now, size) - opening(row, size)) / size
    if (passed > 0) {
      for (let i = older; i >= 0; i--) row[NEWEST + i] = i >= passed ? row[NEWEST + i - passed] : 0
      row[NUMBER] = passed > older ? now : row[NUMBER] + passed
      row[FIRST_AT] = now
    }
    const left = limit - whole(row, params) - cost
    return limit > 0 && left >= 0 && carried(row, params, now) <= left
  },

  take(row, _params, _now, cost) {
    row[NEWEST] += cost
  },

  refund(row, params, _now, units, taken) {
    const { older } = params
    const passed = taken === undefined ? 0 : row[NUMBER] - taken.row[NUMBER]
    if (passed < 0 || passed > older) return
    let refunded = 0
    for (let i = passed; i <= (taken === undefined ? older : passed); i++) {
      const part = Math.min(units - refunded, row[NEWEST + i])
      row[NEWEST + i] -= part
      refunded += part
    }
    // The next request after a refund of all units opens a new window, so an earlier receipt refunds nothing.
    if (refunded > 0 && bucketedWindowSteps.ends(row, params) === 0) row[FIRST_AT] = row[NUMBER] = 0
  },

  ends(row, { size, older }) {
    for (let i = 0; i <= older; i++) {
      if (row[NEWEST + i] > 0) return opening(row, size) + (older + 1 - i) * size
    }
    return 0
  },

  used: (row, params, now) => whole(row, params) + carried(row, params, now),
  quota: (params) => params.limit,
  windowMs: ({ size, older, weighted }) => size * (older + 1 - weighted),
  ahead: {
    held: (row, { size }, now, units) => (now < opening(row, size) + size ? units : 0),
    isReturned: true,
  },

  read(row, params, now, cost, isTaken, target) {
    const used = bucketedWindowSteps.used(row, params, now)
    return {
      used,
      wait: isTaken ? 0 : waitFor(row, params, now, cost),
      next: waitFor(row, params, now, target ?? Math.max(0, params.limit - used) + 1),
      full: bucketedWindowSteps.ends(row, params),
      delay: 0,
    }
  },
}

function waitFor(row: Row, params: BucketedWindowParams, now: number, cost: number): number {
  const { limit, size, older, weighted } = params
  if (cost > limit || limit === 0) return Infinity
  let left = limit - whole(row, params) - cost
  if (left >= 0 && carried(row, params, now) <= left) return 0
  // Goes forward by one sub-window at a time: the oldest expires (gradually, if it is weighted), and the next becomes the oldest.
  const start = opening(row, size)
  for (let ahead = 0; ahead <= older; ahead++) {
    const leaving = weighted * row[NEWEST + older - ahead]
    const elapsed = left < 0 ? size : elapsedUntil(leaving, left, size)
    const fits = start + ahead * size + elapsed
    if (elapsed < size && fits > now) return fits - now
    if (ahead + weighted <= older) left += row[NEWEST + older - ahead - weighted]
  }
  return start + (older + 1) * size - now
}

function opening(row: Row, size: number): number {
  return startOf(row[FIRST_AT], size)
}

/** The start of the sub-window that contains a time. It divides, as Lua does for a remainder: exact below 2^52, and much faster than `%`. */
function startOf(time: number, size: number): number {
  return Math.floor(time / size) * size
}

/** The units of all sub-windows that count completely. */
function whole(row: Row, { older, weighted }: BucketedWindowParams): number {
  let sum = 0
  for (let i = older - weighted; i >= 0; i--) sum += row[NEWEST + i]
  return sum
}

/** The units of the oldest, weighted sub-window that still count, rounded up. */
function carried(row: Row, { size, older, weighted }: BucketedWindowParams, now: number): number {
  const elapsed = Math.max(0, now - opening(row, size))
  const units = weighted * row[NEWEST + older]
  return units - quotientOf(elapsed, units, size)
}

/** The least whole e in 0 … size with units × (size - e) ≤ left × size. */
function elapsedUntil(units: number, left: number, size: number): number {
  return units <= left ? 0 : size - quotientOf(left, size, units)
}

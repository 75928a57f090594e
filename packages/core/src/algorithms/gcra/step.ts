import type { Algorithm, Row } from '../algorithm.js'
import { usualReading } from '../reading.js'
import { lengthOf, mostUnits, spans } from './fill.js'
import { gcraLua } from './script.js'

/**
 * `refill` units come back in each `every` milliseconds, `burst` at most are there at once. Time is counted in fractions of
 * 1 / `refill` ms: one unit lasts exactly `every` of them, so nothing is ever rounded, not at ten million units a second.
 */
export type GcraParams = {
  readonly burst: number
  readonly refill: number
  readonly every: number
  /** How many units a key has that was never seen. */
  readonly initial: number
  /** How long a bucket that is born with less than it holds is remembered after it was full, lest it be born again, in milliseconds. */
  readonly remembered: number
  /** How long all units take to come back, as `spanOf` has it. 0 where a changed policy leaves the backlog as it is. */
  readonly span: number
}

// row: [the theoretical arrival time: the moment at which the key is idle again, whole milliseconds;
//       what is beyond it, in fractions of 1 / refill ms;
//       the policy's span when it was written, and `spans` times the units refunded since the row began]
// A row that had refunds is kept until no receipt of an allowed request can have an arrival time that lies ahead.
const TAT = 0
const FRACTION = 1
const SPAN = 2

/** The count of refunded units stops here, and then says nothing. */
const mostRefunded = 2 ** 36 - 1

/** Only one penalty on another reaches so far: the year 6429, half of what six bytes hold. */
const latest = 2 ** 47

export const gcraSteps: Algorithm<GcraParams> = {
  ...usualReading,
  id: 3,
  cells: () => ({ moments: 1, counts: 2 }),
  args: ({ burst, refill, every, initial, remembered, span }) => {
    return [burst, refill, every, initial, remembered, span]
  },
  lua: gcraLua,

  look(row, params, now, cost) {
    const { burst, refill, every, initial } = params
    rescale(row, params, now)
    if (row[TAT] <= now && now >= gcraSteps.ends(row, params)) {
      row[TAT] = now
      row[FRACTION] = 0
      row[SPAN] = params.span
      if (initial < burst) gcraSteps.take(row, params, now, burst - initial)
    } else if (row[TAT] < now) {
      row[TAT] = now
      row[FRACTION] = 0
    } else if (row[FRACTION] >= refill) {
      // Counted in finer fractions, by the policy as it was before it changed: round up, to the strict side.
      row[TAT] += 1
      row[FRACTION] = 0
    }
    return burst > 0 && cost <= burst && now >= backlogAtMost(row, refill, (burst - cost) * every)
  },

  take(row, { refill, every }, _now, cost) {
    const whole = Math.floor((cost * every) / refill)
    const fraction = row[FRACTION] + (cost * every - whole * refill)
    const carry = fraction >= refill ? 1 : 0
    row[TAT] = Math.min(row[TAT] + whole + carry, latest)
    row[FRACTION] = fraction - carry * refill
  },

  // One row cannot tell how many of the units refunded since the receipt were taken before the receipt's own. So the refund is the greater of
  // two amounts, neither of which is ever more than what is left of those:
  // - They end at the receipt's arrival time, which has moved back by no more than all units refunded since.
  // - No unit drains before it is taken.
  // If the row has refunded fewer units than the receipt says, it began after all that the receipt took had drained.
  refundReceipt(row, params, now, cost, receipt, takenAt) {
    const { refill, every } = params
    const refunded = refundedUnits(row)
    const refundedSince = refunded - refundedUnits(receipt)
    if (refundedSince < 0) return
    const own = cost * every
    const isCounted = refunded < mostRefunded
    const byArrival = isCounted ? backlog(receipt, params, now) - refundedSince * every : 0
    const byAge = own - (now - takenAt) * refill
    shorten(row, params, now, Math.min(own, Math.max(byArrival, byAge)))
  },

  refundUnits(row, params, now, units) {
    const newest = Math.min(units, gcraSteps.used(row, params, now))
    shorten(row, params, now, newest * params.every)
  },

  // A bucket is full after a reset. Without a row it would be born again with its initial tokens.
  forget(row, { burst, initial }, now) {
    row.fill(0)
    if (initial < burst) row[TAT] = now
  },

  ends(row, { burst, refill, every, initial, remembered }) {
    const refunded = refundedUnits(row)
    if (row[TAT] === 0 && row[FRACTION] === 0 && refunded === 0) return 0
    const idle = idleAt(row) + (initial < burst ? remembered : 0)
    if (refunded === 0) return idle
    const ahead = row[FRACTION] + Math.min(refunded, burst) * every
    return Math.max(idle, row[TAT] + Math.ceil(ahead / refill))
  },

  wait(row, { burst, refill, every }, now, cost) {
    if (cost > burst || burst === 0) return Infinity
    return Math.max(0, backlogAtMost(row, refill, (burst - cost) * every) - now)
  },

  used: (row, params, now) => Math.ceil(Math.max(0, backlog(row, params, now)) / params.every),
  quota: (params) => params.burst,
  windowMs: ({ burst, refill, every }) => Math.ceil((burst * every) / refill),
  followsWall: () => false,

  next: (row, params, now, remaining) => gcraSteps.wait(row, params, now, remaining),
  maxPenalty: ({ refill, every }) => mostUnits(refill, every),
  full: idleAt,
  persistsOnDenial: ({ burst, initial }) => initial < burst,
}

/** Where the policy has changed since, the same share of it stays used: rounded up, to the strict side. */
function rescale(row: Row, { span }: GcraParams, now: number): void {
  if (row[SPAN] === span) return
  const refunded = refundedUnits(row)
  const before = row[SPAN] - refunded * spans
  if (before !== 0 && before !== span && row[TAT] >= now) {
    const left = row[TAT] - now + (row[FRACTION] > 0 ? 1 : 0)
    row[TAT] = now + Math.ceil((left * lengthOf(span)) / lengthOf(before))
    row[FRACTION] = 0
  }
  row[SPAN] = span + refunded * spans
}

/** The units refunded since the row began. */
function refundedUnits(row: Row): number {
  return row[SPAN] < spans ? 0 : Math.floor(row[SPAN] / spans)
}

/** The first whole millisecond at which all that was taken has drained. */
export function idleAt(row: Row): number {
  return row[TAT] + (row[FRACTION] > 0 ? 1 : 0)
}

/** What has not drained yet, in fractions of 1 / refill ms. */
export function backlog(row: Row, { refill }: GcraParams, now: number): number {
  return (row[TAT] - now) * refill + row[FRACTION]
}

/** The first whole millisecond at which no more than `most` fractions of backlog are left. */
export function backlogAtMost(row: Row, refill: number, most: number): number {
  return row[TAT] - Math.floor((most - row[FRACTION]) / refill)
}

/** Shortens the backlog, at most by all of it, and counts the refunded units, rounded up. */
function shorten(row: Row, params: GcraParams, now: number, fractions: number): void {
  const { refill, every } = params
  const refunded = Math.min(fractions, backlog(row, params, now))
  if (refunded <= 0) return
  const whole = Math.floor(refunded / refill)
  const fraction = row[FRACTION] - (refunded - whole * refill)
  const borrow = fraction < 0 ? 1 : 0
  row[TAT] -= whole + borrow
  row[FRACTION] = fraction + borrow * refill
  row[SPAN] += spans * Math.min(Math.ceil(refunded / every), mostRefunded - refundedUnits(row))
}

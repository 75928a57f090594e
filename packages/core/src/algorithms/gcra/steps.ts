import { tooLate } from '../../clock.js'
import type { Algorithm, Row } from '../algorithm.js'
import { mostUnits, windowOf, type Rate } from './rate.js'
import { isForeign, lengthOf, refundedUnits, setSpan, SPAN, spanIn, spans } from './span.js'

export interface GcraParams extends Rate {
  /** The number of units of a new key. */
  readonly initial: number
  /** How long a full bucket is kept if a new one has fewer units, in milliseconds: without its row it would be a new one. */
  readonly remembered: number
  /** How long all units take to become available again, as `spanOf` returns it. 0 if a changed policy does not change the backlog. */
  readonly span: number
}

// row: [the theoretical arrival time: the time at which the key is idle again, in whole milliseconds;
//       the rest of it, in fractions of 1 / refill ms;
//       the span of the policy at the last write, plus `spans` times the units refunded since the row was created]
// A row with refunds is kept until no receipt of an allowed request can have an arrival time in the future.
const TAT = 0
const FRACTION = 1

/** The count of refunded units stops here and is not used from then on. */
const mostRefunded = 2 ** 36 - 1

export const gcraSteps: Algorithm<GcraParams> = {
  id: 3,
  size: () => ({ times: 1, counts: 2 }),
  args: (p) => [p.burst, p.refill, p.every, p.initial, p.remembered, p.span],

  look(row, params, now, cost) {
    const { burst, refill, every, span } = params
    if (row[SPAN] !== span && (row[TAT] < now || spanIn(row) === 0)) setSpan(row, span)
    if (row[TAT] <= now || row[FRACTION] >= refill) advance(row, params, now)
    return burst > 0 && cost <= burst && now >= backlogAtMost(row, params, (burst - cost) * every)
  },

  take(row, params, now, cost) {
    const { refill, every, span } = params
    if (row[SPAN] !== span && cost > 0) rescale(row, span, now)
    const whole = Math.floor((cost * every) / refill)
    const fraction = row[FRACTION] + (cost * every - whole * refill)
    const carry = fraction >= refill ? 1 : 0
    // Only repeated penalties reach the end.
    row[TAT] = Math.min(row[TAT] + whole + carry, tooLate)
    row[FRACTION] = fraction - carry * refill
  },

  // The row does not record how many of the units refunded since the receipt were taken before those of the receipt. So the refund is the
  // greater of two lower bounds of the receipt's units that have not drained:
  // - They end at the arrival time of the receipt, which has moved back by at most all units refunded since.
  // - No unit drains before it is taken.
  // If the row has fewer refunded units than the receipt, it was created after all units of the receipt had drained. If another policy has taken units since,
  // the backlog drains by that one, and does not show how much of it is left of the receipt.
  // Without a receipt the newest units; and if it is all of them, the count of refunded units begins again, and a bucket is full: without a row it would be a new
  // one with its initial tokens.
  refund(row, params, now, units, taken) {
    const { burst, initial, refill, every, span } = params
    if (units === Infinity) {
      row.fill(0)
      if (initial < burst) row[TAT] = now
      return
    }
    if (taken === undefined) {
      const newest = Math.min(units, gcraSteps.used(row, params, now))
      if (newest <= 0) return
      rescale(row, span, now)
      shorten(row, params, now, newest * every)
      return
    }
    if (isForeign(row, span)) return
    const refunded = refundedUnits(row)
    const refundedSince = refunded - refundedUnits(taken.row)
    if (refundedSince < 0) return
    const own = units * every
    const isCounted = refunded < mostRefunded
    const byArrival = isCounted ? ownBacklog(taken.row, params, now) - refundedSince * every : 0
    const byAge = own - (now - taken.now) * refill
    shorten(row, params, now, Math.min(own, Math.max(byArrival, byAge)))
  },

  ends(row, { burst, refill, every, initial, remembered }) {
    const refunded = refundedUnits(row)
    if (row[TAT] === 0 && row[FRACTION] === 0 && refunded === 0) return 0
    const ended = idleAt(row) + (initial < burst ? remembered : 0)
    if (refunded === 0) return ended
    const ahead = row[FRACTION] + Math.min(refunded, burst) * every
    return Math.max(ended, row[TAT] + Math.ceil(ahead / refill))
  },

  used: (row, params, now) => Math.ceil(Math.max(0, backlog(row, params, now)) / params.every),
  quota: (params) => params.burst,
  windowMs: (params) => Math.ceil(windowOf(params)),
  mostUnits,

  // Each unit has a slot of the timeline that ends at the arrival time, and is spent before its slot begins.
  ahead: {
    held: (row, params, now, units) =>
      Math.min(units, Math.max(0, Math.floor(backlog(row, params, now) / params.every))),
    isReturned: false,
  },

  read(row, params, now, cost, isTaken, target) {
    const used = gcraSteps.used(row, params, now)
    const units = target ?? Math.max(0, params.burst - used) + 1
    const wait = isTaken ? 0 : waitFor(row, params, now, cost)
    return { used, wait, next: waitFor(row, params, now, units), full: idleAt(row), delay: 0 }
  },
}

function waitFor(row: Row, params: GcraParams, now: number, units: number): number {
  const { burst, every } = params
  if (units > burst || burst === 0) return Infinity
  return Math.max(0, backlogAtMost(row, params, (burst - units) * every) - now)
}

/** Updates a row to `now`: resets an idle one, and lets the units of another one drain. */
function advance(row: Row, params: GcraParams, now: number): void {
  const { burst, initial } = params
  const isOver = row[TAT] <= now && now >= gcraSteps.ends(row, params)
  if (isOver || row[TAT] < now) {
    row[TAT] = now
    row[FRACTION] = 0
    if (isOver) row[SPAN] = params.span
    if (isOver && initial < burst) gcraSteps.take(row, params, now, burst - initial)
  } else if (row[FRACTION] >= params.refill) {
    // The policy had finer fractions before it changed: round up, to the strict side.
    row[TAT] += 1
    row[FRACTION] = 0
  }
}

/**
 * Converts a row that another policy has written: the same share of this one stays used. It happens when units are taken, or refunded by number. Until then
 * the backlog drains by the policy of the row, because a denial saves nothing.
 */
function rescale(row: Row, span: number, now: number): void {
  if (isForeign(row, span)) {
    row[TAT] = now + rescaled(row, span, now)
    row[FRACTION] = 0
  }
  setSpan(row, span)
}

/** The backlog of another policy's row in whole milliseconds of this one: rounded up, to the strict side. */
function rescaled(row: Row, span: number, now: number): number {
  const left = Math.max(0, idleAt(row) - now)
  return Math.min(Math.ceil((left * lengthOf(span)) / lengthOf(spanIn(row))), tooLate - now)
}

/** Whether no units were taken after those of a receipt, except refunded ones. */
export function isLast(receipt: Row, row: Row): boolean {
  return row[TAT] === receipt[TAT] && row[FRACTION] === receipt[FRACTION]
}

/** The first whole millisecond at which all taken units have drained. */
export function idleAt(row: Row): number {
  return row[TAT] + (row[FRACTION] > 0 ? 1 : 0)
}

/** The backlog that has not drained yet, in fractions of 1 / refill ms. */
export function backlog(row: Row, params: GcraParams, now: number): number {
  const { refill, span } = params
  return isForeign(row, span) ? rescaled(row, span, now) * refill : ownBacklog(row, params, now)
}

/** That of a row of this policy. */
function ownBacklog(row: Row, { refill }: GcraParams, now: number): number {
  return (row[TAT] - now) * refill + row[FRACTION]
}

/** The first whole millisecond at which the backlog is at most `most` fractions. */
export function backlogAtMost(row: Row, { refill, span }: GcraParams, most: number): number {
  if (isForeign(row, span)) {
    const left = Math.floor(most / refill) * lengthOf(spanIn(row))
    return idleAt(row) - Math.floor(left / lengthOf(span))
  }
  return row[TAT] - Math.floor((most - row[FRACTION]) / refill)
}

/** Shortens the backlog of a row of this policy, at most to nothing, and counts the refunded units, rounded up. */
export function shorten(row: Row, params: GcraParams, now: number, fractions: number): void {
  const { refill, every } = params
  const refunded = Math.min(fractions, ownBacklog(row, params, now), Number.MAX_SAFE_INTEGER)
  if (refunded <= 0) return
  const whole = Math.floor(refunded / refill)
  const fraction = row[FRACTION] - (refunded - whole * refill)
  const borrow = fraction < 0 ? 1 : 0
  row[TAT] -= whole + borrow
  row[FRACTION] = fraction + borrow * refill
  row[SPAN] += spans * Math.min(Math.ceil(refunded / every), mostRefunded - refundedUnits(row))
}

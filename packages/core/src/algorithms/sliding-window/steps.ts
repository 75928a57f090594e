import type { Algorithm, Row } from '../algorithm.js'
import { quotientOf } from '../quotient.js'

export interface SlidingWindowParams {
  readonly limit: number
  readonly window: number
}

// row: [the start of the current window, the start of the older window,
//       the units taken in the current one, the milliseconds from its start to its last unit, the same for the older one,
//       (only in a receipt) the milliseconds to the last unit before the take]
// A window starts at the time of its first unit. The start never changes, so it identifies the window of a receipt.
const FIRST_AT = 0
const OLDER_FIRST_AT = 1
const UNITS = 2
const SPAN = 3
const OLDER_UNITS = 4
const OLDER_SPAN = 5
const SPAN_BEFORE = 6

/**
 * Two windows, each started by an allowed request. The units of the older one count as if they had been taken evenly between its first and its
 * last unit, and each of them expires one window after its time.
 */
export const slidingWindowSteps: Algorithm<SlidingWindowParams> = {
  id: 9,
  size: () => ({ times: 2, counts: 4, extras: 1 }),
  args: ({ limit, window }) => [limit, window],

  look(row, { limit, window }, now, cost) {
    if (row[UNITS] === 0 || now >= row[FIRST_AT] + window) startWindow(row, now)
    return limit > 0 && row[UNITS] + stillCounting(row, window, now) + cost <= limit
  },

  take(row, _params, now, cost) {
    if (cost === 0) return
    row[SPAN_BEFORE] = row[SPAN]
    row[UNITS] += cost
    row[SPAN] = Math.max(row[SPAN], now - row[FIRST_AT])
  },

  refund(row, { window }, now, units, taken) {
    if (taken === undefined) {
      const left = units - Math.min(units, row[UNITS])
      refundNewest(row, UNITS, units)
      refundNewest(row, OLDER_UNITS, left)
      return
    }
    const { row: receipt, isPart } = taken
    const isCurrent = row[UNITS] > 0 && row[FIRST_AT] === receipt[FIRST_AT]
    const isOlder = row[OLDER_FIRST_AT] === receipt[FIRST_AT] && stillCounting(row, window, now) > 0
    if (units === 0 || (!isCurrent && !isOlder)) return
    const at = isCurrent ? UNITS : OLDER_UNITS
    // The time of the last unit is restored only if nothing was taken since, and all units are refunded. Otherwise the others keep it, which errs on the strict side.
    const isNewest = !isPart && row[at] === receipt[UNITS] && row[at + 1] === receipt[SPAN]
    if (isNewest) row[at + 1] = receipt[SPAN_BEFORE]
    row[at] -= Math.min(units, row[at])
  },

  ends(row, { window }) {
    if (row[UNITS] > 0) return row[FIRST_AT] + row[SPAN] + window
    return row[OLDER_UNITS] > 0 ? row[OLDER_FIRST_AT] + row[OLDER_SPAN] + window : 0
  },

  used: (row, { window }, now) => row[UNITS] + stillCounting(row, window, now),
  quota: (params) => params.limit,
  windowMs: (params) => params.window,

  read(row, params, now, cost, isTaken, target) {
    const older = stillCounting(row, params.window, now)
    const used = row[UNITS] + older
    const units = target ?? Math.max(0, params.limit - used) + 1
    const wait = isTaken ? 0 : waitFor(row, params, now, older, cost)
    const next = waitFor(row, params, now, older, units)
    return { used, wait, next, full: slidingWindowSteps.ends(row, params), delay: 0 }
  },
}

function waitFor(
  row: Row,
  { limit, window }: SlidingWindowParams,
  now: number,
  older: number,
  units: number,
): number {
  if (units > limit || limit === 0) return Infinity
  const excess = row[UNITS] + older - (limit - units)
  return excess <= 0 ? 0 : timeOfUnit(row, older, excess) + window - now
}

/** Starts a window. If the current one has units, it becomes the older one. */
function startWindow(row: Row, now: number): void {
  if (row[UNITS] > 0) {
    row[OLDER_FIRST_AT] = row[FIRST_AT]
    row[OLDER_UNITS] = row[UNITS]
    row[OLDER_SPAN] = row[SPAN]
    row[UNITS] = 0
  }
  // Even if the clock was set back, a window starts after the units of the older one: at its end, all of them have expired.
  row[FIRST_AT] = Math.max(now, row[OLDER_FIRST_AT] + row[OLDER_SPAN])
  row[SPAN] = 0
}

/** The number of units of the older window that are still inside. A single unit that refunds have left counts as the last one. */
function stillCounting(row: Row, window: number, now: number): number {
  const units = row[OLDER_UNITS]
  const elapsed = now - window - row[OLDER_FIRST_AT]
  if (elapsed < 0 || units === 0) return units
  const span = row[OLDER_SPAN]
  if (elapsed >= span) return 0
  return units === 1 ? 1 : units - 1 - quotientOf(elapsed, units - 1, span)
}

/**
 * The time of the unit number `count`, of those that still count. `older` of them are in the older window. Units expire in order: first those of the
 * older window, then those of the current one, which is the older one by then.
 */
function timeOfUnit(row: Row, older: number, count: number): number {
  return count <= older
    ? row[OLDER_FIRST_AT] +
        spanUntil(row[OLDER_UNITS] - older + count, row[OLDER_UNITS], row[OLDER_SPAN])
    : row[FIRST_AT] + spanUntil(count - older, row[UNITS], row[SPAN])
}

/** The time from the first unit to the `count`-th, rounded up. */
function spanUntil(count: number, units: number, span: number): number {
  return units === 1 ? span : span - quotientOf(span, units - count, units - 1)
}

/** Refunds the newest units of a window. The others keep their estimated times. */
function refundNewest(row: Row, units: number, refunded: number): void {
  const before = row[units]
  const kept = Math.max(0, before - refunded)
  if (kept === before) return
  row[units] = kept
  row[units + 1] = kept > 1 ? Math.floor((row[units + 1] * (kept - 1)) / (before - 1)) : 0
}

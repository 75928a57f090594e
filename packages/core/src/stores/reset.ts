import type { Row } from '../algorithms/algorithm.js'
import type { State } from './store.js'

// The row of a reset: [time of the last reset, number of resets in that millisecond]
const AT = 0
const COUNT = 1

/**
 * The row after another reset at `now`. It is kept until the units that the reset deleted would have expired, so that a refund of an earlier decision
 * does not refund units of a later one.
 */
export function nextReset(row: Row, now: number): Row {
  return row[AT] < now ? [now, 1] : [row[AT], row[COUNT] + 1]
}

/** The number of resets in the millisecond of `now`. */
export function resetsIn(row: Row, now: number): number {
  return row[AT] === now ? row[COUNT] : 0
}

/** Whether the key was reset after the decision of this receipt. */
export function isForgotten(row: Row, { now, resets = 0 }: State): boolean {
  return now < row[AT] || (now === row[AT] && resets !== row[COUNT])
}
